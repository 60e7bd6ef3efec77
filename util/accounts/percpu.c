// SPDX-License-Identifier: GPL-2.0-or-later
/* --percpu: the per-CPU page lists. */
#include "util/kmem/accounts.h"
#include "util/kmem/percpu.h"
#include "util/report/internals.h"

static const struct account_record recorded[] = {
	{"kmem:mm_page_alloc", false}, /* it ends a run of refills */
	{"kmem:mm_page_free", true},
	{"kmem:mm_page_free_batched", false},
	{"kmem:mm_page_alloc_zone_locked", false},
	{"kmem:mm_page_pcpu_drain", false},
	{"kmem:mm_page_alloc_extfrag", false},
};

static int init(void *state, const struct account_setup *setup)
{
	(void)setup;
	percpu_init(state);
	return 0;
}

static void bind(void *state, const struct account_event *event)
{
	percpu_bind(state, event);
}

static int take_event(void *state, const struct kmem_event *ev)
{
	return ev->in_window ? percpu_account(state, ev) : 0;
}

static int take(void *state, const struct kmem_event *events, size_t nr, uint32_t kinds)
{
	return account_take_each(state, events, nr, kinds, take_event, NULL);
}

static void deinit(void *state)
{
	percpu_deinit(state);
}

static void build(const void *state, const struct report_context *context,
		  struct document_section *in)
{
	(void)state;
	report_percpu(in, context);
}

#define LISTS (KIND_BIT(KMEM_PAGE_ZONE_LOCKED) | KIND_BIT(KMEM_PAGE_PCPU_DRAIN))

const struct account_ops account_percpu = {
	.id = "percpu",
	.what = "per-CPU list",
	.stat_help = "the per-CPU page lists: zone->lock, refills and drains, batched frees",
	.record_help = "what stat --percpu needs: per-CPU page lists, and frees with callchains",
	.kinds = LISTS | KIND_BIT(KMEM_PAGE_ALLOC) | KIND_BIT(KMEM_PAGE_FREE) |
		 KIND_BIT(KMEM_PAGE_FREE_BATCHED),
	.tells = LISTS,
	.callers = KIND_BIT(KMEM_PAGE_FREE),
	.recorded = recorded,
	.nr_recorded = sizeof(recorded) / sizeof(recorded[0]),
	.size = sizeof(struct percpu),
	.init = init,
	.bind = bind,
	.take = take,
	.deinit = deinit,
	.build = build,
};
