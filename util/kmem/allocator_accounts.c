// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/allocator_accounts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "util/base/cleanup.h"
#include "util/table/stat_fold.h"

/* The maximum may be at the start of a window, if the live bytes only fall from then on. */
void live_peak_note_windows(struct live_peak *p, uint64_t bytes_live, uint64_t time_ns)
{
	for (size_t i = 0; i < p->nr_windows; i++) {
		uint64_t start_ns = p->windows[i].start_ns;

		if (start_ns <= time_ns && start_ns > p->now_ns)
			live_peak_note(p, bytes_live, start_ns);
	}
	p->now_ns = time_ns;
}

void allocator_accounts_init(struct allocator_accounts *a)
{
	*a = (struct allocator_accounts){.count_unmatched_frees = true, .max_live = UINT64_MAX};
	a->counted_in = a->tables;
}

void allocator_accounts_deinit(struct allocator_accounts *a)
{
	for (unsigned int i = 0; i < a->nr_tables; i++)
		stat_table_deinit(&a->tables[i]);
	if (a->counted_in == &a->finest)
		stat_table_deinit(&a->finest);
	counted_rows_deinit(&a->counted);
	cpu_pairs_free(a->cpu_pairs);
}

int allocator_accounts_add_table(struct allocator_accounts *a, const enum kmem_key *by,
				 unsigned int nr_by)
{
	if (a->nr_tables == STAT_TABLES_MAX)
		return -1;
	stat_table_init(&a->tables[a->nr_tables], by, nr_by);
	a->nr_counted_in = ++a->nr_tables;
	return (int)a->nr_tables - 1;
}

void allocator_accounts_roll_up(struct allocator_accounts *a)
{
	if (!stat_rollup_fits(a->tables, a->nr_tables))
		return;
	stat_rollup_init(&a->finest, a->tables, a->nr_tables);
	a->counted_in = &a->finest;
	a->nr_counted_in = 1;
}

key_mask_t allocator_accounts_keys(const struct allocator_accounts *a)
{
	key_mask_t keys = 0;

	for (unsigned int t = 0; t < a->nr_tables; t++)
		for (unsigned int i = 0; i < a->tables[t].nr_by; i++)
			keys |= KEY_BIT(a->tables[t].by[i]);
	return keys;
}

int allocator_accounts_thin(struct allocator_accounts *a, struct table *live, thin_row_fn fn,
			    void *ctx)
{
	const uint64_t next_mask = sample_halved(a->sample_mask);
	_cleanup_free_ uint64_t *dropped = reallocarray(NULL, live->nr, sizeof(*dropped));
	const uint64_t *address;
	uint32_t nr = 0;

	if (!dropped)
		return -ENOMEM;
	for (uint64_t at = 0; (address = table_next(live, &at));)
		if (fn(ctx, address, next_mask))
			dropped[nr++] = *address;
	for (uint32_t i = 0; i < nr; i++)
		table_remove(live, table_find(live, &dropped[i]));
	a->sample_mask = next_mask;
	return 0;
}

/* The estimate of N by a sample of one in n has the variance N * (n - 1). */
uint64_t allocator_accounts_sample_error(const struct allocator_accounts *a, uint64_t nr_live)
{
	return (uint64_t)(3 * sqrt((double)nr_live * (double)a->sample_mask));
}

int allocator_accounts_add_row(struct allocator_accounts *a, const struct kmem_event *keys,
			       const struct source_figures *figures)
{
	return counted_rows_add(&a->counted, a->tables, a->nr_tables, keys, figures);
}

void allocator_accounts_for_each_counted(const struct allocator_accounts *a, account_live_fn fn,
					 void *ctx)
{
	for (uint32_t i = 0; i < a->counted.rows.nr; i++) {
		const struct counted_row *r = counted_rows_at(&a->counted, i);
		const struct account_live live = {.time_ns = r->first_ns,
						  .last_ns = r->last_ns,
						  .hits = r->live_hits,
						  .bytes = r->live_bytes,
						  .filtered_out = r->filtered_out,
						  .in_window = true,
						  .row = r->row};

		fn(ctx, &live);
	}
}

static int fold_table(struct allocator_accounts *a, unsigned int table,
		      const struct account_tick *tick, rows_moved_fn rows_moved, void *ctx)
{
	uint32_t *moved;
	int ret = stat_table_fold(&a->tables[table], tick->names, tick->bounds, &moved);

	if (moved) {
		rows_moved(ctx, table, moved);
		if (counted_rows_moved(&a->counted, table, a->tables[table].unfiltered, moved))
			ret = -ENOMEM;
	}
	free(moved);
	return ret;
}

int allocator_accounts_tick(struct allocator_accounts *a, const struct recent_counts *total,
			    const struct account_tick *tick, rows_moved_fn rows_moved, void *ctx)
{
	int ret = 0;

	recent_row_tick(&a->total, total);
	for (unsigned int i = 0; !ret && i < a->nr_tables; i++) {
		ret = stat_table_tick(&a->tables[i]);
		if (!ret)
			ret = fold_table(a, i, tick, rows_moved, ctx);
	}
	return ret;
}

void allocator_accounts_finish(struct allocator_accounts *a, uint64_t bytes_live, uint64_t stop_ns)
{
	live_peak_note_windows(&a->peak, bytes_live, stop_ns);
	if (a->counted_in == &a->finest)
		stat_rollup_finish(&a->finest);
	for (unsigned int i = 0; i < a->nr_tables; i++)
		if (a->tables[i].want_history)
			history_finish(&a->tables[i].history, stop_ns);
}
