// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hostile snapshot.  Input that begins with "@" is made into an archive first, because checksums
 * would stop all others at their first header: a line "@NAME" begins an entry, whose bytes follow.
 */
#include "tests/fuzz/consume_rows.h"
#include "util/base/strbuf.h"
#include "util/snapshot/archive.h"
#include "util/snapshot/tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *find_entry(const uint8_t *from, const uint8_t *end)
{
	while (from < end && (from = memchr(from, '\n', (size_t)(end - from)))) {
		from++;
		if (from < end && *from == '@')
			return from;
	}
	return end;
}

static void add_entry(struct strbuf *tar, const uint8_t *text, const uint8_t *end)
{
	static const uint8_t zeroes[TAR_BLOCK];
	const uint8_t *line_end = memchr(text, '\n', (size_t)(end - text));
	const uint8_t *body = line_end ? line_end + 1 : end;
	size_t name_len = (size_t)((line_end ? line_end : end) - text) - 1;
	char name[TAR_NAME_MAX + 1];
	uint8_t header[TAR_BLOCK];

	snprintf(name, sizeof(name), ARCHIVE_FOLDER "%.*s", name_len < 60 ? (int)name_len : 60,
		 (const char *)text + 1);
	tar_make_header(header, name, (uint64_t)(end - body), 0);
	strbuf_add(tar, header, sizeof(header));
	strbuf_add(tar, body, (size_t)(end - body));
	strbuf_add(tar, zeroes, tar_padding((uint64_t)(end - body)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;
	struct strbuf tar = STRBUF_INIT;

	if (!size || data[0] != '@') {
		consume_rows("snapshot", data, size);
		return 0;
	}
	for (const uint8_t *at = data, *next; at < end; at = next) {
		next = find_entry(at, end);
		add_entry(&tar, at, next);
	}
	consume_rows(NULL, (const uint8_t *)tar.buf, tar.len);
	strbuf_deinit(&tar);
	return 0;
}
