/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Migrate types: the number in a page event to its name.
 *
 * The kernel changed the order in 4.4 ("mm, page_alloc: only enforce watermarks for order-0
 * allocations" and its series: MIGRATE_RESERVE gave way to MIGRATE_HIGHATOMIC and Movable came
 * before Reclaimable).  Our recordings have the kernel's own order; for others it is derived from
 * the release.  A number without a name prints as a number; no two numbers have the same name.
 */
#ifndef EVENT_MIGRATETYPE_H
#define EVENT_MIGRATETYPE_H

#include <stddef.h>
#include <stdint.h>

#include "util/source/facts.h"

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

#endif
