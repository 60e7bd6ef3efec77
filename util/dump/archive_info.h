/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first entry of a snapshot: the machine, the time of the snapshot, and the list of its parts.
 *
 *	perf-kmem-snapshot: 1      the version of the format
 *	series: 1                  only if other snapshots may follow; always the second line
 *	host: NAME                 and kernel, version, arch, command, migratetypes,
 *	                           reclaimable_caches
 *	merged_caches: NAME/NAME   a line for each group of caches that the kernel merged
 *	page_size: 4096            bytes; and cpus, memory_kib
 *	time_ns: N                 since 1970
 *	uptime_ns: N               since the machine was started (CLOCK_MONOTONIC)
 *	part: NAME BYTES           in the order of the archive
 *	missing: NAME: REASON
 *
 * A reader skips unknown keys.
 */
#ifndef DUMP_ARCHIVE_INFO_H
#define DUMP_ARCHIVE_INFO_H

#include <stdbool.h>

#include "util/base/strbuf.h"
#include "util/source/facts.h"

/* Bits of the parts that can become rows. */
enum archive_part {
	ARCHIVE_SLABINFO = 1,
	ARCHIVE_PAGE_OWNER = 2,
	ARCHIVE_STACKS = 4,
	ARCHIVE_ALLOCINFO = 8,
	ARCHIVE_VMALLOCINFO = 16,
};

/* The bit of a part, by name; 0 for other parts. */
unsigned int archive_part_of(const char *name);

/* The start of the info of a snapshot that belongs to a series. */
#define ARCHIVE_SERIES_BEGIN "perf-kmem-snapshot: 1\nseries: 1\n"

/* Append the lines about the machine. Errors: -ENOMEM, in sb->failed. */
void archive_info_write(struct strbuf *sb, const struct source_facts *f, bool is_series);
void archive_info_add_part(struct strbuf *sb, const char *name, uint64_t bytes);
void archive_info_add_missing(struct strbuf *sb, const char *name, const char *why);

/*
 * Parse a line into the facts. *parts gets the bits of the listed parts. Errors: -EINVAL for a
 * version newer than this program's; -ENOMEM.
 */
int archive_info_read(struct source_facts *f, unsigned int *parts, char *line);

#endif
