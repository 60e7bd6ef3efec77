// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/accounts/range.h"

#include <errno.h>

#include "util/event/known_events.h"

struct live_range {
	uint64_t address;
	uint64_t time_ns;
	uint64_t bytes;
	int32_t cpu;
	bool filtered_out;
	bool in_window;
	uint32_t row[]; /* one for each table */
};

int range_init(struct range_accounts *r, const struct range_kind *kind,
	       const struct account_setup *setup)
{
	const struct tables_spec *tables = &setup->options->tables[kind->account];
	size_t size;

	*r = (struct range_accounts){
		.kind = kind, .page_size = setup->page_size, .summary_table = -1};
	allocator_accounts_init(&r->common);
	for (unsigned int i = 0; i < tables->nr; i++)
		allocator_accounts_add_table(&r->common, tables->v[i].by, tables->v[i].nr_by);
	if (setup->options->summary_tables && kind->summary_by != KEY_NR)
		r->summary_table = allocator_accounts_add_table(&r->common, &kind->summary_by, 1);
	size = offsetof(struct live_range, row) + r->common.nr_counted_in * sizeof(uint32_t);
	table_init(&r->live, (size + 7) & ~(size_t)7, sizeof(uint64_t));
	return accounts_prepare_allocator(setup, &r->common, tables);
}

void range_deinit(void *state)
{
	struct range_accounts *r = state;

	allocator_accounts_deinit(&r->common);
	table_deinit(&r->live);
}

void range_bind(void *state, const struct event_type *type)
{
	struct range_accounts *r = state;

	/* a failure has none, and has no pointer either */
	if (type->kind != account_table[r->kind->account]->allocator->alloc ||
	    !(event_type_has_field(type, "addr") || event_type_has_field(type, "ptr")))
		return;
	r->lacks_callsites |= !type->has_callchain && !event_type_has_field(type, "call_site");
}

key_mask_t range_keys(const void *state)
{
	const struct allocator_accounts *a = &((const struct range_accounts *)state)->common;
	key_mask_t bits = allocator_accounts_keys(a);

	/* a table by address can show the latest owner */
	return bits >> KEY_PTR & 1 ? bits | KEY_BIT(KEY_CALLSITE) : bits;
}

/* n: how many live ones there are more; negative: fewer. allocs: how many of them are new. */
static void count_live(struct range_accounts *r, const struct live_range *l, uint64_t n,
		       uint32_t allocs, uint64_t time_ns)
{
	const uint64_t bytes = n * l->bytes;

	if (l->filtered_out)
		return;
	r->summary.live += n;
	r->summary.bytes_live += bytes;
	for (unsigned int i = 0; i < r->common.nr_counted_in; i++) {
		struct stat_table *t = &r->common.counted_in[i];

		stat_counts_add_live(stat_table_counts(t, l->row[i]), n, bytes, bytes);
		if (l->in_window)
			stat_table_note_live(t, l->row[i], time_ns, bytes, allocs);
	}
}

/* Finds the rows in all tables, and counts the allocation there. */
static int count_rows(struct range_accounts *r, struct live_range *l, const struct kmem_event *ev)
{
	for (unsigned int i = 0; i < r->common.nr_counted_in; i++) {
		struct stat_table *t = &r->common.counted_in[i];

		l->row[i] = stat_table_row(t, ev);
		if (l->row[i] == STAT_ROW_NONE)
			return -ENOMEM;
		stat_table_counts(t, l->row[i])->last_callsite = ev->call_site;
		if (l->in_window)
			stat_table_count(t, l->row[i], ev->time_ns, l->bytes, l->bytes, 1);
	}
	return 0;
}

/* The address is allocated again: its free was not seen. */
static void end_unseen(struct range_accounts *r, const struct live_range *l,
		       const struct kmem_event *ev)
{
	const uint64_t n = allocator_accounts_weight(&r->common);

	count_live(r, l, -n, 0, ev->time_ns);
	if (!ev->in_window || l->filtered_out)
		return;
	r->summary.unseen_frees += n;
	for (unsigned int i = 0; i < r->common.nr_counted_in; i++)
		stat_table_counts(&r->common.counted_in[i], l->row[i])->unseen_frees += n;
}

struct thinning {
	struct range_accounts *ranges;
	uint64_t time_ns;
};

static bool thin_range(void *ctx, const void *row, uint64_t next_mask)
{
	const struct thinning *t = ctx;
	const struct live_range *l = row;
	const uint64_t n = allocator_accounts_weight(&t->ranges->common);
	bool drop = !sample_has(next_mask, l->address);

	count_live(t->ranges, l, drop ? -n : n, 0, t->time_ns);
	return drop;
}

static int thin(struct range_accounts *r, uint64_t time_ns)
{
	return allocator_accounts_thin(&r->common, &r->live, thin_range,
				       &(struct thinning){r, time_ns});
}

static int take_alloc(struct range_accounts *r, const struct kmem_event *ev)
{
	const bool counted = ev->in_window && !ev->filtered_out;
	const uint32_t nr_live = r->live.nr;
	struct live_range *l;

	if (kmem_event_has_failed(ev)) {
		r->summary.failures += counted;
		r->summary.bytes_failed += counted ? ev->bytes_req : 0;
		return 0;
	}
	l = table_insert(&r->live, &ev->ptr);
	if (!l)
		return -ENOMEM;
	if (r->live.nr == nr_live)
		end_unseen(r, l, ev);
	l->time_ns = ev->time_ns;
	l->bytes = ev->bytes_req;
	l->cpu = ev->cpu;
	l->filtered_out = ev->filtered_out;
	l->in_window = ev->in_window;
	r->summary.allocations += counted;
	r->summary.bytes_allocated += counted ? l->bytes : 0;
	if (!l->filtered_out && count_rows(r, l, ev))
		return -ENOMEM;
	if (!allocator_accounts_follows(&r->common, ev->ptr)) {
		table_remove(&r->live, l);
		return 0;
	}
	count_live(r, l, allocator_accounts_weight(&r->common), 1, ev->time_ns);
	return allocator_accounts_is_full(&r->common, r->live.nr) ? thin(r, ev->time_ns) : 0;
}

static int count_freed(struct range_accounts *r, const struct live_range *l,
		       const struct kmem_event *ev)
{
	const uint64_t n = allocator_accounts_weight(&r->common);
	const uint64_t moved = l->cpu != ev->cpu ? n : 0;
	int ret = 0;

	count_live(r, l, -n, 0, ev->time_ns);
	if (!ev->in_window || l->filtered_out)
		return 0;
	r->summary.frees += n;
	r->summary.frees_matched += n;
	r->summary.bytes_freed += n * l->bytes;
	if (r->common.cpu_pairs) {
		r->common.cpu_pairs->pingpong += moved;
		ret = cpu_pairs_add(r->common.cpu_pairs, l->cpu, ev->cpu, n, n * l->bytes);
	}
	for (unsigned int i = 0; i < r->common.nr_counted_in; i++) {
		struct stat_table *t = &r->common.counted_in[i];

		stat_table_counts(t, l->row[i])->pingpong += moved;
		ret |= stat_table_add_lifetimes(t, l->row[i], ev->time_ns - l->time_ns, n);
	}
	return ret;
}

static int take_free(struct range_accounts *r, const struct kmem_event *ev)
{
	struct live_range *l = table_find(&r->live, &ev->ptr);
	const uint64_t n = allocator_accounts_weight(&r->common);
	int ret;

	if (!l) {
		if (ev->in_window && r->common.count_unmatched_frees &&
		    allocator_accounts_follows(&r->common, ev->ptr)) {
			r->summary.frees += n;
			r->summary.frees_unmatched += n;
		}
		return 0;
	}
	ret = count_freed(r, l, ev);
	table_remove(&r->live, l);
	return ret;
}

static int take_event(void *state, const struct kmem_event *ev, uint32_t hash)
{
	struct range_accounts *r = state;
	const struct allocator_ops *allocator = account_table[r->kind->account]->allocator;
	struct live_peak *peak = &r->common.peak;
	int ret;

	(void)hash;
	if (ev->in_window)
		r->kind->count(r->figures, ev);
	if (ev->kind != allocator->alloc && ev->kind != allocator->free)
		return 0;
	if (!live_peak_next(peak, r->summary.bytes_live, ev->time_ns))
		return 0;
	if (ev->kind == allocator->free)
		return take_free(r, ev);
	ret = take_alloc(r, ev);
	if (ev->in_window)
		live_peak_note(peak, r->summary.bytes_live, ev->time_ns);
	return ret;
}

int range_take(void *state, const struct account_events *events, uint32_t kinds)
{
	return account_take_each(state, events, kinds,
				 (struct account_take){.take = take_event, .also = TAKES_ALL});
}

int range_add_row(void *state, const struct kmem_event *keys, const struct source_figures *figures)
{
	struct range_accounts *r = state;
	struct range_summary *t = &r->summary;

	t->allocations += figures->hits;
	t->bytes_allocated += figures->bytes_alloc;
	t->frees += figures->hits - figures->live_hits;
	t->frees_matched += figures->hits - figures->live_hits;
	t->bytes_freed += figures->bytes_alloc - figures->live_bytes;
	t->live += figures->live_hits;
	t->bytes_live += figures->live_bytes;
	return allocator_accounts_add_row(&r->common, keys, figures);
}

static void move_rows(void *ctx, unsigned int table, const uint32_t *moved)
{
	struct range_accounts *r = ctx;
	struct live_range *l;

	for (uint64_t at = 0; (l = table_next(&r->live, &at));)
		if (!l->filtered_out)
			l->row[table] = moved[l->row[table]];
}

int range_tick(void *state, const struct account_tick *tick)
{
	struct range_accounts *r = state;
	const struct range_summary *t = &r->summary;
	const struct recent_counts total = {t->allocations, t->bytes_allocated, t->live,
					    t->bytes_live};

	return allocator_accounts_tick(&r->common, &total, tick, move_rows, r);
}

void range_finish(void *state, uint64_t stop_ns)
{
	struct range_accounts *r = state;

	allocator_accounts_finish(&r->common, r->summary.bytes_live, stop_ns);
}

struct account_totals range_totals(const void *state)
{
	const struct range_summary *t = &((const struct range_accounts *)state)->summary;

	return (struct account_totals){t->allocations, t->bytes_allocated};
}

void range_for_each_live(const void *state, account_live_fn fn, void *ctx)
{
	const struct range_accounts *r = state;
	const uint64_t n = allocator_accounts_weight(&r->common);
	const struct live_range *l;

	for (uint64_t at = 0; (l = table_next(&r->live, &at));) {
		struct account_live live = {.time_ns = l->time_ns,
					    .last_ns = l->time_ns,
					    .hits = n,
					    .bytes = n * l->bytes,
					    .in_window = l->in_window,
					    .row = l->row};

		if (!l->filtered_out)
			fn(ctx, &live);
	}
	allocator_accounts_for_each_counted(&r->common, fn, ctx);
}
