// SPDX-License-Identifier: GPL-2.0-or-later
/* --page: the page allocator, by any keys. */
#include "util/event/event_kinds.h"
#include "util/kmem/accounts.h"
#include "util/report/report.h"

static const struct account_record recorded[] = {
	{"kmem:mm_page_alloc", true, true},
	{"kmem:mm_page_free", false, false},
};

static int init(void *state, const struct account_setup *setup)
{
	static const enum kmem_key orders[] = {KEY_ORDER, KEY_MIGRATETYPE};
	const struct kmem_options *o = setup->options;
	struct page_accounts *p = state;

	page_accounts_init(p, setup->page_size);
	for (unsigned int i = 0; i < o->nr_page_tables; i++)
		allocator_accounts_add_table(&p->common, o->page_tables[i].by,
					     o->page_tables[i].nr_by);
	if (o->page_orders)
		p->orders = allocator_accounts_add_table(&p->common, orders, 2);
	return accounts_prepare_allocator(setup, &p->common, o->page_tables, o->nr_page_tables,
					  o->page_stop);
}

static void bind(void *state, const struct event_type *type)
{
	struct page_accounts *p = state;

	p->has_chain |= type->kind == KMEM_PAGE_ALLOC && type->has_callchain;
}

static uint32_t keys(const void *state)
{
	const struct page_accounts *p = state;
	uint32_t bits = allocator_accounts_keys(&p->common);

	/* a table of pages can show who had the page last */
	return bits >> KEY_PAGE & 1 ? bits | 1u << KEY_CALLSITE : bits;
}

static int take_event(void *state, const struct kmem_event *ev)
{
	struct page_accounts *p = state;
	int ret;

	if (!live_peak_next(&p->common.peak, p->summary.live_bytes, ev->time_ns))
		return 0;
	if (ev->kind == KMEM_PAGE_FREE)
		return page_accounts_free(p, ev);
	ret = page_accounts_alloc(p, ev);
	if (ev->in_window)
		live_peak_note(&p->common.peak, p->summary.live_bytes, ev->time_ns);
	return ret;
}

static void prefetch_index(const void *state, const struct kmem_event *ev)
{
	page_accounts_prefetch_index(state, ev);
}

static void prefetch_rows(const void *state, const struct kmem_event *ev)
{
	page_accounts_prefetch_rows(state, ev);
}

static int take(void *state, const struct account_events *events, uint32_t kinds)
{
	return account_take_each(state, events, kinds,
				 (struct account_take){prefetch_index, prefetch_rows, take_event});
}

static int add_row(void *state, const struct kmem_event *keys, const struct source_figures *figures)
{
	return page_accounts_add_row(state, keys, figures);
}

static int tick(void *state, const struct account_tick *tick)
{
	return page_accounts_tick(state, tick);
}

static void finish(void *state, uint64_t stop_ns)
{
	struct page_accounts *p = state;

	allocator_accounts_finish(&p->common, p->summary.live_bytes, stop_ns);
}

static void build(const void *state, const struct report_context *context,
		  struct document_section *in)
{
	report_page(in, context, state);
}

static void deinit(void *state)
{
	page_accounts_deinit(state);
}

#define KINDS (KIND_BIT(KMEM_PAGE_ALLOC) | KIND_BIT(KMEM_PAGE_FREE))

const struct account_ops account_page = {
	.id = "page",
	.what = "page",
	.stat_help = "the page allocator",
	.record_help = "page allocator events, with the kernel's callchains",
	.allocator = ALLOCATOR_PAGE,
	.kinds = KINDS,
	.tells = KINDS,
	.completed = KIND_BIT(KMEM_PAGE_ALLOC),
	.recorded = recorded,
	.nr_recorded = sizeof(recorded) / sizeof(recorded[0]),
	.size = sizeof(struct page_accounts),
	.init = init,
	.bind = bind,
	.keys = keys,
	.take = take,
	.add_row = add_row,
	.tick = tick,
	.finish = finish,
	.deinit = deinit,
	.build = build,
};
