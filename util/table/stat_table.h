/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct stat_table: allocations grouped by a list of keys.
 *
 * The table has one row for each combination of the keys' values.  Rows do not move, so the live
 * set may keep their numbers.  The account chooses keys that apply to its allocator.  All values
 * are unsigned 64-bit numbers; signed ones are sign-extended.  Folding (stat_fold.h) leaves gaps
 * in the numbers, which later rows reuse: walk rows with stat_table_for_each().
 */
#ifndef TABLE_STAT_TABLE_H
#define TABLE_STAT_TABLE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/base/table.h"
#include "util/table/history.h"
#include "util/event/key.h"
#include "util/event/event_key.h"
#include "util/event/kmem_event.h"
#include "util/table/lifetime.h"
#include "util/table/stat_limit.h"
#include "util/table/stat_recent.h"
#include "util/table/stat_steps.h"
#include "util/table/timeline.h"

#define STAT_BY_MAX	8  /* keys of a report's table */
#define STAT_KEYS_MAX	12 /* keys of any table: leak's have up to four more (leak.c) */
#define STAT_TABLES_MAX 8  /* of an allocator */
#define STAT_ROW_NONE	TABLE_NO_ROW
#define STAT_CACHED	512	   /* a power of two */
#define STAT_HITS_GAP	UINT64_MAX /* of a number without a row */

/* Objects with shorter lifetimes are candidates for reuse. */
#define SHORT_LIVED_NS 1000000

struct stat_counts {
	uint64_t hits;
	uint64_t bytes_req;
	uint64_t bytes_alloc;
	uint64_t pingpong;     /* freed on a different CPU from the one they were allocated on */
	uint64_t unseen_frees; /* proved by another allocation of the same pointer */
	uint64_t live_hits;
	uint64_t live_bytes; /* as allocated */
	uint64_t live_bytes_req;
	uint64_t lifetime_ns;	/* sum over freed_hits */
	uint64_t freed_hits;	/* allocations of this row that were freed in the window */
	uint64_t short_lived;	/* of those, freed within SHORT_LIVED_NS */
	uint64_t last_callsite; /* of the latest allocation; of any one in a rolled up row */
};

/* A table to be made. */
struct table_spec {
	enum kmem_key by[STAT_KEYS_MAX];
	unsigned int nr_by;
	unsigned int nr_shown; /* for leak: the first ones, which rows are grouped by */
	bool unfiltered;       /* see struct stat_table */
	bool history;
	bool timeline;
	bool recent; /* since the latest ticks: stat_table_recent() */
};

/* Whether the table is to be grouped by the key. */
static inline bool table_spec_has(const struct table_spec *spec, enum kmem_key key)
{
	for (unsigned int i = 0; i < spec->nr_by; i++)
		if (spec->by[i] == key)
			return true;
	return false;
}

struct stat_table {
	enum kmem_key by[STAT_KEYS_MAX];
	unsigned int nr_by;
	struct lifetime_histogram *lifetimes; /* one for each row; NULL if not wanted */
	uint32_t nr_lifetimes;
	bool want_lifetimes;
	bool want_history; /* of allocations in the window, in `history` */
	struct history history;
	struct timeline *timeline; /* the same over time; owned, unless it belongs to a coarser
				    * table; NULL if not wanted */
	struct stat_steps *steps;  /* allocations over time; owned; NULL if not wanted */
	bool want_recent;	   /* changes between ticks, in `recents` */
	bool live_unknown;	   /* frees cannot be matched to allocations */
	struct stat_recents recents;
	bool unfiltered;	       /* includes events that the report's filter excludes
					* (slab only) */
	const struct key_names *names; /* of interned values; may be NULL */
	uint64_t *live_untraced;       /* for each row, live bytes whose frees are mostly untraced
					* (find_untraced()); NULL if unknown */
	struct stat_limit *limit;      /* shared with other tables; NULL: none */
	struct table rows;	       /* nr_by values, then struct stat_counts */
	/* recently looked up rows + 1, by a hash of their keys; 0: none */
	uint32_t cached[STAT_CACHED];
	bool is_cached; /* whether `cached` is used: not for a single number, which the index finds
			 * as quickly and without a mispredicted branch; not for objects and pages,
			 * which are not looked up again soon */
	/* instead of `cached`, if the first key is the callchain: its latest row + 1, by number */
	uint32_t *cached_stacks;
	uint32_t nr_cached_stacks;
	/* The tables that this one is rolled up into (stat_rollup.h), and the rows' numbers there.
	 * NULL if none. */
	struct stat_table *coarser;
	unsigned int nr_coarser, timeline_of; /* the coarser table that owns `timeline` */
	uint32_t *coarser_rows;		      /* nr_coarser for each row */
	uint32_t *timeline_rows; /* those of `timeline_of`, apart: read for each event */
	uint32_t nr_coarser_rows, cap_coarser_rows;
};

void stat_table_init(struct stat_table *t, const enum kmem_key *by, unsigned int nr_by);
void stat_table_deinit(struct stat_table *t);

/* stat_table_row() for any table, and for rows that do not exist yet. */
uint32_t stat_table_row_any(struct stat_table *t, const struct kmem_event *ev);

/* The number of the allocation's row, which is created if missing. STAT_ROW_NONE if out of
 * memory. A number alone is looked up inline. */
static inline uint32_t stat_table_row(struct stat_table *t, const struct kmem_event *ev)
{
	if (t->nr_by == 1 && !t->is_cached) {
		uint64_t key = kmem_event_key(ev, t->by[0]);
		const struct table_slot *slot =
			table_find_slot_u64(&t->rows, key, table_hash_u64(&t->rows, key));

		if (slot)
			return slot->row - 1;
	}
	return stat_table_row_any(t, ev);
}

/* The row of a coarser table for a row's keys, which include all keys of that table. It is created
 * if missing. STAT_ROW_NONE if out of memory. */
uint32_t stat_table_coarser_row(const struct stat_table *finest, struct stat_table *t,
				uint32_t row);

/*
 * Prefetch the row of an allocation, if the first key is the callchain: first the index entry, then
 * the row.  A free has callchain 0 and is not skipped: the branch would be mispredicted in a mix of
 * allocations and frees, which costs more than the prefetch.
 */
static inline void stat_table_prefetch_index(const struct stat_table *t,
					     const struct kmem_event *ev)
{
	if (ev->stack < t->nr_cached_stacks)
		table_prefetch(&t->cached_stacks[ev->stack]);
}

static inline void stat_table_prefetch_row(const struct stat_table *t, const struct kmem_event *ev)
{
	const uint8_t *at;
	uint32_t row;

	if (ev->stack >= t->nr_cached_stacks)
		return;
	row = t->cached_stacks[ev->stack];
	row -= row > 0;
	at = table_row(&t->rows, row);
	for (size_t line = 0; line < t->rows.row_size; line += 64)
		table_prefetch(at + line);
	if (t->timeline_rows)
		table_prefetch(&t->timeline_rows[row]);
}

/* The upper limit of row numbers. */
static inline uint32_t stat_table_top(const struct stat_table *t)
{
	return t->rows.top;
}

/* Changes of a row in the latest interval, or NULL before its first tick (see want_recent). */
static inline const struct stat_recent *stat_table_recent(const struct stat_table *t, uint32_t row)
{
	return row < t->recents.nr ? &t->recents.rows[row].shown : NULL;
}

/* End the interval of all rows, if want_recent. Errors: -ENOMEM. */
int stat_table_tick(struct stat_table *t);

/* Remove a row without live objects. */
void stat_table_remove(struct stat_table *t, uint32_t row);

/* Whether rows are grouped by the key. */
static inline bool stat_table_has(const struct stat_table *t, enum kmem_key key)
{
	for (unsigned int i = 0; i < t->nr_by; i++)
		if (t->by[i] == key)
			return true;
	return false;
}

static inline const uint64_t *stat_table_keys(const struct stat_table *t, uint32_t row)
{
	return table_row(&t->rows, row);
}

static inline struct stat_counts *stat_table_counts(const struct stat_table *t, uint32_t row)
{
	return (struct stat_counts *)((uint64_t *)table_row(&t->rows, row) + t->nr_by);
}

/* The first row at or after this number, or STAT_ROW_NONE. */
static inline uint32_t stat_table_next(const struct stat_table *t, uint32_t row)
{
	for (; row < t->rows.top; row++)
		if (stat_table_counts(t, row)->hits != STAT_HITS_GAP)
			return row;
	return STAT_ROW_NONE;
}

#define stat_table_for_each(row, t)                                                                \
	for ((row) = stat_table_next(t, 0); (row) != STAT_ROW_NONE;                                \
	     (row) = stat_table_next(t, (row) + 1))

/* The timeline's row for a row. */
static inline uint32_t stat_table_timeline_row(const struct stat_table *t, uint32_t row)
{
	return t->coarser ? t->timeline_rows[row] : row;
}

/* Add bytes (and allocations) to the live ones from this time on; negative: remove them. */
static inline void stat_table_note_live(struct stat_table *t, uint32_t row, uint64_t time_ns,
					uint64_t bytes, uint32_t allocs)
{
	if (t->want_history)
		history_add(&t->history, row, time_ns, bytes, allocs);
	if (t->timeline)
		timeline_add(t->timeline, stat_table_timeline_row(t, row), time_ns, bytes,
			     allocs != 0);
}

/* Whether stat_table_note_live() or stat_table_count() does more than add to a row's sums. */
static inline bool stat_table_has_times(const struct stat_table *t)
{
	return t->want_history || t->timeline || t->steps;
}

/* Reserve the row's histogram. Errors: -ENOMEM. */
int stat_table_reserve_lifetimes(struct stat_table *t, uint32_t row);

/* Reserve the row's histogram before its first lifetime, also in coarser tables. */
int stat_table_begin_lifetimes(struct stat_table *t, uint32_t row);

/* Count the frees of n allocations of the row, age_ns after them. Errors: -ENOMEM. */
static inline int stat_table_add_lifetimes(struct stat_table *t, uint32_t row, uint64_t age_ns,
					   uint64_t n)
{
	struct stat_counts *c = stat_table_counts(t, row);
	uint64_t sum_ns;

	c->freed_hits += n;
	if (__builtin_mul_overflow(age_ns, n, &sum_ns) ||
	    __builtin_add_overflow(c->lifetime_ns, sum_ns, &c->lifetime_ns))
		c->lifetime_ns = UINT64_MAX;
	c->short_lived += age_ns <= SHORT_LIVED_NS ? n : 0;
	if (!t->want_lifetimes)
		return 0;
	if ((row >= t->nr_lifetimes || !t->lifetimes[row].nr) && stat_table_begin_lifetimes(t, row))
		return -ENOMEM;
	lifetime_histogram_add_equal(&t->lifetimes[row], age_ns, n);
	return 0;
}

/* Add to the live objects of a row; negative: remove. */
static inline void stat_counts_add_live(struct stat_counts *c, uint64_t hits, uint64_t bytes_req,
					uint64_t bytes_alloc)
{
	c->live_hits += hits;
	c->live_bytes += bytes_alloc;
	c->live_bytes_req += bytes_req;
}

/* Add the figures of another row. */
void stat_counts_add_all(struct stat_counts *to, const struct stat_counts *from);

/* Count an allocation in a row (sign 1), or remove it (-1, for a duplicate). */
static inline void stat_counts_add(struct stat_counts *c, uint64_t bytes_req, uint64_t bytes_alloc,
				   int64_t sign)
{
	c->hits += (uint64_t)sign;
	c->bytes_req += (uint64_t)sign * bytes_req;
	c->bytes_alloc += (uint64_t)sign * bytes_alloc;
}

/* The same for a row of a table, also in its step of time. */
static inline void stat_table_count(struct stat_table *t, uint32_t row, uint64_t time_ns,
				    uint64_t bytes_req, uint64_t bytes_alloc, int64_t sign)
{
	stat_counts_add(stat_table_counts(t, row), bytes_req, bytes_alloc, sign);
	if (t->steps)
		stat_steps_count(t->steps, row, time_ns, bytes_req, bytes_alloc, sign);
}

/* Bytes allocated beyond the requested ones; 0 if more was asked for. */
uint64_t stat_wasted_bytes(uint64_t bytes_req, uint64_t bytes_alloc);

/* 100 - 100 * req / alloc; 0 for 0. */
double stat_fragmentation_percent(uint64_t bytes_req, uint64_t bytes_alloc);

#endif
