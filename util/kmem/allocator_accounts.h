/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct allocator_accounts: the part common to all allocators' accounts.
 *
 * It contains tables by any keys, the peak of live bytes, figures counted elsewhere, and the sample
 * of live allocations. It is a member of struct slab_accounts, struct page_accounts and struct
 * range_accounts, which fill it.
 *
 * The sample: if more than max_live (bounds.h) allocations are live, only one in 2, 4, 8... of them
 * is followed, chosen by a hash of its address, and counts for as many. Allocations are counted
 * exactly all the same; figures of live and freed ones are estimates then. An address is either
 * followed or not, so an allocation and its free agree without memory. When one in n no longer
 * fits, half of the followed ones are dropped, and the rest count double.
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
 * The peak of live bytes within the time windows. It counts the events of its allocator. Live bytes
 * also change between two windows, so the start of each window is a candidate, too.
 */
struct live_peak {
	uint64_t bytes;
	uint64_t event;	  /* its number, from 1; 0 if nothing was ever live */
	uint64_t time_ns; /* of the event, or the start of the window */
	uint64_t ptr; /* slab: pointer of the allocation that made it; 0 after its second trace */

	const struct time_window *windows;
	size_t nr_windows;
	uint64_t nr_events;
	uint64_t stop_event; /* the last event to account; 0: all */
	uint64_t now_ns;     /* time of the latest event; only with windows */
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

/* Record the bytes live up to this moment if a window has started since the last call. */
void live_peak_note_windows(struct live_peak *p, uint64_t bytes_live, uint64_t time_ns);

/* Called before each event, with the bytes live before it. Returns false if the event is not to be
 * accounted. */
static inline bool live_peak_next(struct live_peak *p, uint64_t bytes_live, uint64_t time_ns)
{
	if (p->nr_windows)
		live_peak_note_windows(p, bytes_live, time_ns);
	p->nr_events++;
	return !p->stop_event || p->nr_events <= p->stop_event;
}

/* One in 2^20 is followed at the least. */
#define SAMPLE_MASK_MAX ((1u << 20) - 1)

struct allocator_accounts {
	struct stat_table tables[STAT_TABLES_MAX];
	unsigned int nr_tables;
	/* Events are counted in the tables, or in `finest`, from which the tables are made at the
	 * end (stat_rollup.h). */
	struct stat_table *counted_in;
	unsigned int nr_counted_in;
	struct stat_table finest;
	struct live_peak peak;
	struct counted_rows counted; /* live allocations without events */
	struct recent_row total;     /* at the latest ticks, over the whole allocator */
	struct cpu_pairs *cpu_pairs; /* NULL: not requested */
	uint64_t max_live;	     /* objects or blocks that are followed */
	uint64_t sample_mask;	     /* one in sample_mask + 1 is followed; 0: all are */
	bool count_unmatched_frees;  /* false if their allocations may have been left out */
};

void allocator_accounts_init(struct allocator_accounts *a);
void allocator_accounts_deinit(struct allocator_accounts *a);

/*
 * Also group allocations by these keys. Called before the first event. Returns the table's number,
 * or -1 if there are already STAT_TABLES_MAX.
 */
int allocator_accounts_add_table(struct allocator_accounts *a, const enum kmem_key *by,
				 unsigned int nr_by);

/* Called when all tables are prepared, and not read before the end: count in their finest table if
 * that saves work. */
void allocator_accounts_roll_up(struct allocator_accounts *a);

/* Returns the tables' keys, as bits. */
key_mask_t allocator_accounts_keys(const struct allocator_accounts *a);

/* Add figures of allocations without events. Returns 0, or -ENOMEM. */
int allocator_accounts_add_row(struct allocator_accounts *a, const struct kmem_event *keys,
			       const struct source_figures *figures);

/* Calls fn for each of them that is live. */
void allocator_accounts_for_each_counted(const struct allocator_accounts *a, account_live_fn fn,
					 void *ctx);

/* Whether this number of live allocations exceeds the limit: half of them are to be dropped. */
static inline bool allocator_accounts_is_full(const struct allocator_accounts *a, uint64_t nr_live)
{
	return __builtin_expect(nr_live > a->max_live, false) && a->sample_mask < SAMPLE_MASK_MAX;
}

/* Whether an address is in the sample, if one in mask + 1 is. */
static inline bool sample_has(uint64_t mask, uint64_t address)
{
	return !(address * 0x9e3779b97f4a7c15ULL >> 32 & mask);
}

static inline bool allocator_accounts_follows(const struct allocator_accounts *a, uint64_t address)
{
	return __builtin_expect(!a->sample_mask, true) || sample_has(a->sample_mask, address);
}

/* How many live allocations a followed one counts for. */
static inline uint64_t allocator_accounts_weight(const struct allocator_accounts *a)
{
	return a->sample_mask + 1;
}

/* How far the number of live ones, as estimated by the sample, is off at the most: three standard
 * deviations. 0 if all are followed. */
uint64_t allocator_accounts_sample_error(const struct allocator_accounts *a, uint64_t nr_live);

/* The next sample: one in twice as many. */
static inline uint64_t sample_halved(uint64_t mask)
{
	return mask * 2 + 1;
}

/* Accounts for a followed row that is not in the next sample, or counts for twice as many there.
 * Returns whether it is dropped. */
typedef bool (*thin_row_fn)(void *ctx, const void *row, uint64_t next_mask);

/* Follow half of the rows of a table by address. Returns 0, or -ENOMEM. */
int allocator_accounts_thin(struct allocator_accounts *a, struct table *live, thin_row_fn fn,
			    void *ctx);

/* Called when rows of a table have moved: a live allocation in row i is now in row moved[i]. */
typedef void (*rows_moved_fn)(void *ctx, unsigned int table, const uint32_t *moved);

/* The tables' part of account_ops.tick(); total: of the whole allocator. Returns 0, or -ENOMEM. */
int allocator_accounts_tick(struct allocator_accounts *a, const struct recent_counts *total,
			    const struct account_tick *tick, rows_moved_fn rows_moved, void *ctx);

/* Called after the last event, with the bytes live then; stop_ns: the end of the reported time. */
void allocator_accounts_finish(struct allocator_accounts *a, uint64_t bytes_live, uint64_t stop_ns);

#endif
