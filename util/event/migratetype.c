// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/event/migratetype.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "util/tracepoint/const_expr.h"

static const struct {
	const char *name;
	const char *short_name;
} names[MIGRATETYPE_NR] = {
	[MIGRATETYPE_UNMOVABLE] = {"Unmovable", "UNMOVABL"},
	[MIGRATETYPE_RECLAIMABLE] = {"Reclaimable", "RECLAIM"},
	[MIGRATETYPE_MOVABLE] = {"Movable", "MOVABLE"},
	[MIGRATETYPE_RESERVE] = {"Reserve", "RESERVED"},
	[MIGRATETYPE_HIGHATOMIC] = {"HighAtomic", "HIGHATOM"},
	[MIGRATETYPE_CMA] = {"CMA", "CMA"},
	[MIGRATETYPE_ISOLATE] = {"Isolate", "ISOLATE"},
};

static const enum migratetype since_4_4[] = {MIGRATETYPE_UNMOVABLE,   MIGRATETYPE_MOVABLE,
					     MIGRATETYPE_RECLAIMABLE, MIGRATETYPE_HIGHATOMIC,
					     MIGRATETYPE_CMA,	      MIGRATETYPE_ISOLATE};
static const enum migratetype before_4_4[] = {MIGRATETYPE_UNMOVABLE, MIGRATETYPE_RECLAIMABLE,
					      MIGRATETYPE_MOVABLE,   MIGRATETYPE_RESERVE,
					      MIGRATETYPE_CMA,	     MIGRATETYPE_ISOLATE};

static enum migratetype by_name(const char *name, size_t len)
{
	for (int t = 0; t < MIGRATETYPE_NR; t++)
		if (strlen(names[t].name) == len && !strncmp(names[t].name, name, len))
			return (enum migratetype)t;
	return MIGRATETYPE_NR;
}

static bool has(const struct migratetypes *m, enum migratetype t)
{
	for (size_t i = 0; i < m->nr; i++)
		if (m->v[i] == t)
			return true;
	return false;
}

/* No two numbers have the same name: if a list repeats one, the second number gets none. */
static void add(struct migratetypes *m, enum migratetype t)
{
	m->v[m->nr++] = has(m, t) ? MIGRATETYPE_NR : t;
}

void migratetypes_init(struct migratetypes *m, const struct source_facts *recording)
{
	const char *list = recording->migratetypes;

	*m = (struct migratetypes){0};
	while (list && *list && m->nr < MIGRATETYPES_MAX) {
		size_t len = strcspn(list, ", ");

		if (len)
			add(m, by_name(list, len));
		list += len + strspn(list + len, ", ");
	}
	if (m->nr)
		return;
	if (source_facts_kernel_at_least(recording, 4, 4)) {
		memcpy(m->v, since_4_4, sizeof(since_4_4));
		m->nr = sizeof(since_4_4) / sizeof(since_4_4[0]);
	} else {
		memcpy(m->v, before_4_4, sizeof(before_4_4));
		m->nr = sizeof(before_4_4) / sizeof(before_4_4[0]);
	}
}

enum migratetype migratetype_of(const struct migratetypes *m, uint64_t number)
{
	return number < m->nr ? m->v[number] : MIGRATETYPE_NR;
}

const char *migratetype_name(enum migratetype t)
{
	return t < MIGRATETYPE_NR ? names[t].name : NULL;
}

const char *migratetype_short_name(enum migratetype t)
{
	return t < MIGRATETYPE_NR ? names[t].short_name : NULL;
}

/* ---- reasons for moving a page --------------------------------------------------------------- */

static const char *const reason_names[MIGRATE_REASONS_NR] = {
	[MIGRATE_REASON_NONE] = "none",
	[MIGRATE_REASON_COMPACTION] = "compaction",
	[MIGRATE_REASON_MEMORY_FAILURE] = "memory_failure",
	[MIGRATE_REASON_MEMORY_HOTPLUG] = "memory_hotplug",
	[MIGRATE_REASON_SYSCALL] = "syscall_or_cpuset",
	[MIGRATE_REASON_MBIND] = "mempolicy_mbind",
	[MIGRATE_REASON_NUMA] = "numa_misplaced",
	[MIGRATE_REASON_CMA] = "cma",
	[MIGRATE_REASON_CONTIG_RANGE] = "contig_range",
	[MIGRATE_REASON_LONGTERM_PIN] = "longterm_pin",
	[MIGRATE_REASON_DEMOTION] = "demotion",
	[MIGRATE_REASON_DAMON] = "damon",
	[MIGRATE_REASON_OTHER] = "other",
};

enum migrate_reason migrate_reason_find(const char *name, size_t len)
{
	for (int r = 0; r < MIGRATE_REASON_OTHER; r++)
		if (strlen(reason_names[r]) == len && !memcmp(reason_names[r], name, len))
			return (enum migrate_reason)r;
	return MIGRATE_REASON_OTHER;
}

const char *migrate_reason_name(uint64_t reason)
{
	return reason < MIGRATE_REASONS_NR ? reason_names[reason] : NULL;
}

/* ---- pageblock order ------------------------------------------------------------------------- */

#define PAGEBLOCK_ORDER_MAX 30 /* larger values are misread text */

static int order_in(const struct trace_text *format)
{
	static const char field[] = "REC->fallback_order";
	const char *p = format->text, *end = p + format->len;

	while ((p = memmem(p, end - p, field, sizeof(field) - 1))) {
		uint64_t order;

		p += sizeof(field) - 1;
		while (p < end && isspace((unsigned char)*p))
			p++;
		if (p == end || *p != '<')
			continue;
		p++;
		if (!const_expr_read(&p, end, &order) && order && order <= PAGEBLOCK_ORDER_MAX)
			return (int)order;
	}
	return PAGEBLOCK_ORDER_UNKNOWN;
}

int pageblock_order_of(const struct tracing_data *formats)
{
	int order = PAGEBLOCK_ORDER_UNKNOWN;

	for (size_t i = 0; order == PAGEBLOCK_ORDER_UNKNOWN && i < formats->nr_formats; i++)
		order = order_in(&formats->formats[i].text);
	return order;
}
