// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hostile snapshot.  Input that begins with "@" is made into an archive first (entries.h),
 * because checksums would stop all others at their first header.
 */
#include "tests/fuzz/consume_rows.h"
#include "tests/fuzz/entries.h"
#include "util/base/strbuf.h"
#include "util/dump/archive.h"
#include "util/dump/archive_entries.h"
#include "util/dump/tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_entry(void *ctx, const char *entry, const uint8_t *body, size_t size)
{
	static const uint8_t zeroes[TAR_BLOCK];
	struct strbuf *tar = ctx;
	char name[TAR_NAME_MAX + 1];
	uint8_t header[TAR_BLOCK];

	snprintf(name, sizeof(name), ARCHIVE_FOLDER "%s", entry);
	tar_make_header(header, name, size, 0);
	strbuf_add(tar, header, sizeof(header));
	strbuf_add(tar, body, size);
	strbuf_add(tar, zeroes, tar_padding(size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf tar = STRBUF_INIT;

	if (!size || data[0] != '@') {
		consume_rows("snapshot", data, size);
		return 0;
	}
	entries_for_each(data, size, add_entry, &tar);
	consume_rows(NULL, (const uint8_t *)tar.buf, tar.len);
	strbuf_deinit(&tar);
	return 0;
}
