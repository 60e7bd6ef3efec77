/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reason why the kernel last moved a page: enum migrate_reason of include/linux/migrate_mode.h,
 * by the names that it prints (migrate_reason_names[] of mm/debug.c).
 */
#ifndef EVENT_MIGRATE_REASON_H
#define EVENT_MIGRATE_REASON_H

#include <stddef.h>
#include <stdint.h>

enum migrate_reason {
	MIGRATE_REASON_NONE, /* it was not moved */
	MIGRATE_REASON_COMPACTION,
	MIGRATE_REASON_MEMORY_FAILURE,
	MIGRATE_REASON_MEMORY_HOTPLUG,
	MIGRATE_REASON_SYSCALL,
	MIGRATE_REASON_MBIND,
	MIGRATE_REASON_NUMA,
	MIGRATE_REASON_CMA, /* an older name of the next one */
	MIGRATE_REASON_CONTIG_RANGE,
	MIGRATE_REASON_LONGTERM_PIN,
	MIGRATE_REASON_DEMOTION,
	MIGRATE_REASON_DAMON,
	MIGRATE_REASON_OTHER, /* a name newer than this list */
	MIGRATE_REASONS_NR,
};

/* name: len bytes. */
enum migrate_reason migrate_reason_find(const char *name, size_t len);

/* "none", "compaction"; NULL if it is not a reason. */
const char *migrate_reason_name(uint64_t reason);

#endif
