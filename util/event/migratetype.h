/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Migrate types: the number in a page event to its name.
 *
 * The kernel changed the order in 4.4 ("mm, page_alloc: only enforce watermarks for order-0
 * allocations" and its series: MIGRATE_RESERVE gave way to MIGRATE_HIGHATOMIC and Movable came
 * before Reclaimable).  Our recordings have the kernel's own order; for others it is derived from
 * the release.  A number without a name prints as a number; no two numbers have the same name.
 *
 * Also the reasons for moving a page, and the pageblock order: pages of one migrate type are kept
 * together in blocks of 2^order pages.
 */
#ifndef EVENT_MIGRATETYPE_H
#define EVENT_MIGRATETYPE_H

#include <stddef.h>
#include <stdint.h>

#include "util/source/facts.h"
#include "util/tracepoint/tracing_data.h"

/* The types, in the order of the report's columns. */
enum migratetype {
	MIGRATETYPE_UNMOVABLE,
	MIGRATETYPE_RECLAIMABLE,
	MIGRATETYPE_MOVABLE,
	MIGRATETYPE_RESERVE, /* until 4.4 */
	MIGRATETYPE_HIGHATOMIC,
	MIGRATETYPE_CMA,
	MIGRATETYPE_ISOLATE,
	MIGRATETYPE_NR, /* also: unknown */
};

#define MIGRATETYPES_MAX 8

struct migratetypes {
	enum migratetype v[MIGRATETYPES_MAX]; /* by the kernel's number */
	size_t nr;
};

void migratetypes_init(struct migratetypes *m, const struct source_facts *recording);
enum migratetype migratetype_of(const struct migratetypes *m, uint64_t number);

/* "Movable", "MOVABLE" (at most 8 characters); NULL for MIGRATETYPE_NR. */
const char *migratetype_name(enum migratetype t);
const char *migratetype_short_name(enum migratetype t);

/* The reason why the kernel last moved a page: enum migrate_reason of include/linux/migrate_mode.h,
 * by the names that it prints (migrate_reason_names[] of mm/debug.c). */
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

#define PAGEBLOCK_ORDER_UNKNOWN (-1)

/*
 * The pageblock order of the recorded kernel, or PAGEBLOCK_ORDER_UNKNOWN.
 *
 * No event has it, but the print fmt of mm_page_alloc_extfrag compares fallback_order with it, and
 * the kernel prints its value there as a C expression. If it is a variable
 * (CONFIG_HUGETLB_PAGE_SIZE_VARIABLE), the text has only its name, and the order is unknown.
 */
int pageblock_order_of(const struct tracing_data *formats);

#endif
