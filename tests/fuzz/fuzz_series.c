// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hostile series of snapshots. Input that begins with "@" is made into archives first
 * (entries.h): each entry "info" begins one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/entries.h"
#include "util/base/log.h"
#include "util/dump/archive_entries.h"
#include "util/dump/tar.h"
#include "util/series/series_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t zeroes[2 * TAR_BLOCK];

static void add_entry(void *ctx, const char *entry, const uint8_t *body, size_t size)
{
	struct strbuf *tar = ctx;
	char name[TAR_NAME_MAX + 1];
	uint8_t header[TAR_BLOCK];

	if (tar->len && !strcmp(entry, ARCHIVE_INFO))
		strbuf_add(tar, zeroes, sizeof(zeroes));
	snprintf(name, sizeof(name), ARCHIVE_FOLDER "%s", entry);
	tar_make_header(header, name, size, 0);
	strbuf_add(tar, header, sizeof(header));
	strbuf_add(tar, body, size);
	strbuf_add(tar, zeroes, tar_padding(size));
}

static volatile uint8_t touched;

static void touch(const struct series *s)
{
	for (size_t i = 0; i < s->nr_rows; i++) {
		const struct series_row *r = &s->rows[i];

		touched ^= (uint8_t)strlen(r->path) ^ (uint8_t)strlen(r->label);
		touched ^= (uint8_t)r->v[s->nr - 1] ^ (uint8_t)trend_is_steady(&r->trend);
		touched ^= r->with ? (uint8_t)strlen(r->with) : 0;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf tar = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct series_input input;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64];

	log_set_level(LOG_QUIET);
	if (size && data[0] == '@')
		entries_for_each(data, size, add_entry, &tar);
	else
		strbuf_add(&tar, data, size);
	if (fd < 0 || write(fd, tar.buf ? tar.buf : "", tar.len) != (ssize_t)tar.len)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!series_input_read(&input, path, true, &err)) {
		touch(&input.series);
		series_input_deinit(&input);
	}
	close(fd);
	strbuf_deinit(&tar);
	return 0;
}
