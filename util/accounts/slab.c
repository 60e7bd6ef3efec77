// SPDX-License-Identifier: GPL-2.0-or-later
/* --slab: the slab allocator, by any keys. */
#include "util/kmem/accounts.h"
#include "util/accounts/live_untraced.h"
#include "util/report/report.h"

static const struct account_record recorded[] = {
	/* globs, because kernels before 6.1 have *_node variants of the allocation events; each
	 * event has its call site */
	{"kmem:kmalloc*", false, true},
	{"kmem:kfree", false, false},
	{"kmem:kmem_cache_alloc*", false, true},
	{"kmem:kmem_cache_free", false, false},
};

static int init(void *state, const struct account_setup *setup)
{
	const struct kmem_options *o = setup->options;
	static const enum kmem_key sites[] = {KEY_CALLSITE, KEY_CACHE};
	struct slab_accounts *s = state;

	slab_accounts_init(s, setup->functions, setup->page_size);
	for (unsigned int i = 0; i < o->nr_slab_tables; i++)
		slab_accounts_add_table(s, o->slab_tables[i].by, o->slab_tables[i].nr_by);
	if (o->live_sites)
		s->sites = slab_accounts_add_table(s, sites, 2);
	return accounts_prepare_allocator(setup, &s->common, o->slab_tables, o->nr_slab_tables,
					  o->slab_stop);
}

static uint32_t keys(const void *state)
{
	return allocator_accounts_keys(&((const struct slab_accounts *)state)->common);
}

static int take_alloc(struct slab_accounts *s, const struct kmem_event *ev)
{
	uint64_t dropped = s->summary.duplicates_dropped;
	int ret = slab_accounts_alloc(s, ev);
	bool second;

	if (!ev->in_window)
		return ret;
	second = s->summary.duplicates_dropped != dropped;
	/* the allocation at the peak is traced again: only now is it in its caller's row */
	if (second && s->common.peak.ptr == ev->ptr &&
	    s->summary.bytes_live == s->common.peak.bytes)
		s->common.peak.bytes = 0;
	live_peak_note(&s->common.peak, s->summary.bytes_live, ev->time_ns);
	if (s->common.peak.event == s->common.peak.nr_events)
		s->common.peak.ptr = second ? 0 : ev->ptr;
	return ret;
}

static int take_event(void *state, const struct kmem_event *ev)
{
	struct slab_accounts *s = state;

	if (!live_peak_next(&s->common.peak, s->summary.bytes_live, ev->time_ns))
		return 0;
	return ev->kind == KMEM_SLAB_FREE ? slab_accounts_free(s, ev) : take_alloc(s, ev);
}

static void prefetch_index(const void *state, const struct kmem_event *ev)
{
	slab_accounts_prefetch_index(state, ev);
}

static void prefetch_rows(const void *state, const struct kmem_event *ev)
{
	slab_accounts_prefetch_rows(state, ev);
}

static int take(void *state, const struct account_events *events, uint32_t kinds)
{
	return account_take_each(state, events, kinds,
				 (struct account_take){prefetch_index, prefetch_rows, take_event});
}

static int add_row(void *state, const struct kmem_event *keys, const struct source_figures *figures)
{
	return slab_accounts_add_row(state, keys, figures);
}

static int tick(void *state, const struct account_tick *tick)
{
	return slab_accounts_tick(state, tick);
}

static void finish(void *state, uint64_t stop_ns)
{
	struct slab_accounts *s = state;

	allocator_accounts_finish(&s->common, s->summary.bytes_live, stop_ns);
	if (s->sites >= 0)
		live_untraced_find(s, (unsigned int)s->sites);
}

static void build(const void *state, const struct report_context *context,
		  struct document_section *in)
{
	report_slab(in, context, state);
}

static void deinit(void *state)
{
	slab_accounts_deinit(state);
}

#define KINDS (KIND_BIT(KMEM_SLAB_ALLOC) | KIND_BIT(KMEM_SLAB_FREE))

const struct account_ops account_slab = {
	.id = "slab",
	.what = "slab",
	.stat_help = "the slab allocator (the default)",
	.record_help = "slab allocator events (the default)",
	.allocator = ALLOCATOR_SLAB,
	.kinds = KINDS,
	.tells = KINDS,
	.completed = KIND_BIT(KMEM_SLAB_ALLOC),
	.late = KINDS,
	.recorded = recorded,
	.nr_recorded = sizeof(recorded) / sizeof(recorded[0]),
	.size = sizeof(struct slab_accounts),
	.init = init,
	.keys = keys,
	.take = take,
	.add_row = add_row,
	.tick = tick,
	.finish = finish,
	.deinit = deinit,
	.build = build,
};
