// SPDX-License-Identifier: GPL-2.0-or-later
/* --extfrag: external fragmentation. */
#include "util/kmem/accounts.h"
#include "util/kmem/extfrag.h"
#include "util/report/internals.h"

static const struct account_record recorded[] = {
	{"kmem:mm_page_alloc", false}, /* the fallbacks' part of all */
	{"kmem:mm_page_alloc_extfrag", true},
};

static int init(void *state, const struct account_setup *setup)
{
	extfrag_init(state, setup->pageblock_order);
	return 0;
}

static void bind(void *state, const struct account_event *event)
{
	extfrag_bind(state, event);
}

static int take_event(void *state, const struct kmem_event *ev)
{
	return ev->in_window ? extfrag_account(state, ev) : 0;
}

static int take(void *state, const struct kmem_event *events, size_t nr, uint32_t kinds)
{
	return account_take_each(state, events, nr, kinds, take_event, NULL);
}

static void deinit(void *state)
{
	extfrag_deinit(state);
}

static void build(const void *state, const struct report_context *context,
		  struct document_section *in)
{
	(void)state;
	report_extfrag(in, context);
}

const struct account_ops account_extfrag = {
	.id = "extfrag",
	.what = "external fragmentation",
	.stat_help = "external fragmentation: fallbacks to other migrate types",
	.record_help =
		"what stat --extfrag needs: fallbacks to other migrate types, with callchains",
	.kinds = KIND_BIT(KMEM_PAGE_EXTFRAG) | KIND_BIT(KMEM_PAGE_ALLOC),
	.tells = KIND_BIT(KMEM_PAGE_EXTFRAG),
	.callers = KIND_BIT(KMEM_PAGE_EXTFRAG),
	.recorded = recorded,
	.nr_recorded = sizeof(recorded) / sizeof(recorded[0]),
	.size = sizeof(struct extfrag),
	.init = init,
	.bind = bind,
	.take = take,
	.deinit = deinit,
	.build = build,
};
