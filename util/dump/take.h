/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Taking a snapshot: copies of what this machine's kernel says about its memory, as an archive
 * (archive.h).
 *
 * Each text is first copied to an unlinked file, because its size is known only then and page_owner
 * may have gigabytes.  The archive is written through the caller's function, packed with zstd if
 * perf was built with that.
 */
#ifndef DUMP_TAKE_H
#define DUMP_TAKE_H

#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"

struct snapshot_taking {
	/* Before the paths, for tests: "" for this machine. */
	const char *root;
	/* Write the next bytes of the archive. Returns 0 or -errno, which ends it. */
	int (*write)(void *ctx, const uint8_t *data, size_t len);
	/* What was copied (why NULL), or could not be. NULL: not needed. */
	void (*told)(void *ctx, const char *name, uint64_t bytes, const char *why);
	void *ctx;
};

/* Errors: of write(), of the temporary files, memory; nothing at all could be read. */
int snapshot_take(const struct snapshot_taking *t, struct error *err);

/* What a kernel needs to have this file: "CONFIG_PAGE_OWNER and page_owner=on". NULL: nothing, or
 * it is none of those that a snapshot has. */
const char *snapshot_text_needs(const char *path);

#endif
