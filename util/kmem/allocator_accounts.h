/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct allocator_accounts: what the accounts of both allocators have.
 *
 * Tables by any keys, when most was live, figures that were counted elsewhere, and what lies
 * outside the bounds (bounds.h).  It is a member of struct slab_accounts and struct page_accounts,
 * which feed it.
 */
#ifndef KMEM_ALLOCATOR_ACCOUNTS_H
#define KMEM_ALLOCATOR_ACCOUNTS_H

#include <stdbool.h>

#include "util/decode/windows.h"
#include "util/kmem/account.h"
#include "util/table/counted_rows.h"
#include "util/table/cpu_pairs.h"
#include "util/table/stat_rollup.h"
#include "util/table/stat_table.h"

/*
 * When the most bytes were live, among the moments in the time windows. It counts the events of its
 * allocator, whose live bytes also change between two windows, so each window's beginning is such a
 * moment, too.
 */
struct live_peak {
	uint64_t bytes;
	uint64_t event;	  /* its number, from 1; 0: nothing was ever live */
	uint64_t time_ns; /* of the event, or the beginning of the window */
	uint64_t ptr;	  /* slab: whose allocation made it; 0 once that was traced again */

	const struct time_window *windows;
	size_t nr_windows;
	uint64_t nr_events;
	uint64_t stop_event; /* the last event to be accounted; 0: all */
	uint64_t now_ns;     /* with windows: of the latest event */
};

static inline void live_peak_note(struct live_peak *p, uint64_t bytes_live, uint64_t time_ns)
{
	if (bytes_live <= p->bytes)
		return;
	p->bytes = bytes_live;
	p->event = p->nr_events;
	p->time_ns = time_ns;
	p->ptr = 0;
}

/* Note what was live until this moment, if a window has begun in the meantime. */
void live_peak_note_windows(struct live_peak *p, uint64_t bytes_live, uint64_t time_ns);

/* An event comes, with this many bytes live before it. False: it is not to be accounted. */
static inline bool live_peak_next(struct live_peak *p, uint64_t bytes_live, uint64_t time_ns)
{
	if (p->nr_windows)
		live_peak_note_windows(p, bytes_live, time_ns);
	p->nr_events++;
	return !p->stop_event || p->nr_events <= p->stop_event;
}

struct allocator_accounts {
	struct stat_table tables[STAT_TABLES_MAX];
	unsigned int nr_tables;
	/* Where events are counted: in the tables, or in `finest`, of which they are made in the
	 * end (stat_rollup.h). */
	struct stat_table *counted_in;
	unsigned int nr_counted_in;
	struct stat_table finest;
	struct live_peak peak;
	struct counted_rows counted; /* live ones without events */
	struct recent_row total;     /* at the latest ticks, of the whole allocator */
	struct cpu_pairs *cpu_pairs; /* NULL: not wanted */
	uint64_t max_live;	     /* objects or blocks; more are counted, but not tracked */
	uint64_t untracked, untracked_bytes;
	bool count_unmatched_frees; /* false if what they belong to may have been left out */
};

void allocator_accounts_init(struct allocator_accounts *a);
void allocator_accounts_deinit(struct allocator_accounts *a);

/*
 * Also group allocations by these keys; call it before the first event. Returns the table's number,
 * or -1 if there are already STAT_TABLES_MAX.
 */
int allocator_accounts_add_table(struct allocator_accounts *a, const enum kmem_key *by,
				 unsigned int nr_by);

/* All tables are there and prepared, and nobody looks at them before the end: count in their finest
 * table, if that is worth it. */
void allocator_accounts_roll_up(struct allocator_accounts *a);

/* The keys that the tables are grouped by, as bits. */
key_mask_t allocator_accounts_keys(const struct allocator_accounts *a);

/* Figures of allocations without events. Errors: -ENOMEM. */
int allocator_accounts_add_row(struct allocator_accounts *a, const struct kmem_event *keys,
			       const struct source_figures *figures);

/* Are so many live ones too many? */
static inline bool allocator_accounts_is_full(const struct allocator_accounts *a, uint64_t nr_live)
{
	return __builtin_expect(nr_live > a->max_live, false);
}

/* Rows of a table moved: live ones with a row in it now have the one at [their number]. */
typedef void (*rows_moved_fn)(void *ctx, unsigned int table, const uint32_t *moved);

/* The part of account_ops.tick() of tables; total: of the whole allocator. Errors: -ENOMEM. */
int allocator_accounts_tick(struct allocator_accounts *a, const struct recent_counts *total,
			    const struct account_tick *tick, rows_moved_fn rows_moved, void *ctx);

/* All events have been taken, with this many bytes live; stop_ns: the last moment that counts. */
void allocator_accounts_finish(struct allocator_accounts *a, uint64_t bytes_live, uint64_t stop_ns);

#endif
