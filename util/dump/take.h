/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes a snapshot: copies of this kernel's files about memory, as an archive (archive.h).
 *
 * Each text is first copied to an unlinked file, because its size must be known and page_owner may
 * have gigabytes. The archive is written through the caller's function, compressed with zstd if
 * that is built in.
 */
#ifndef DUMP_TAKE_H
#define DUMP_TAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/base/strbuf.h"

/* A text of the snapshot that is made, instead of copied. */
struct snapshot_part {
	const char *name;
	/* Append the text; root as below. Errors: -ENOMEM. */
	int (*make)(const char *root, struct strbuf *sb);
};

struct snapshot_taking {
	/* Prefix of the paths, for tests; "" for this machine. */
	const char *root;
	/* Write the next bytes of the archive. Returns 0, or -errno, which ends the snapshot. */
	int (*write)(void *ctx, const uint8_t *data, size_t len);
	/* Reports a copied file (why is NULL), or one that could not be copied. May be NULL. */
	void (*report)(void *ctx, const char *name, uint64_t bytes, const char *why);
	void *ctx;
	/* Make a snapshot of a series, without the large texts. */
	bool is_series;
	/* Made after the copies. NULL: none. */
	const struct snapshot_part *part;
};

/*
 * The kernel counts pages per CPU, and adds them to the totals in meminfo only in batches. Let it
 * add them now (mm/vmstat.c: vmstat_refresh(), since 4.7). Ignored if the user is not root.
 */
void snapshot_refresh_counters(const char *root);

/* Errors: those of write() and of the temporary files, -ENOMEM; no file could be read. */
int snapshot_take(const struct snapshot_taking *t, struct error *err);

/* Requirements of a kernel for this file: "CONFIG_PAGE_OWNER and page_owner=on". NULL if there are
 * none, or the file is not part of a snapshot. */
const char *snapshot_text_needs(const char *path);

#endif
