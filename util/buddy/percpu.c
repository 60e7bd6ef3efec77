// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/buddy/percpu.h"

#include <errno.h>

#include "util/event/known_events.h"
#include "util/kmem/accounts.h"

#define FREED_NONE     0 /* no event is expected for this page */
#define FREED_BATCHED  UINT32_MAX
#define FREED_FILTERED (UINT32_MAX - 1)

struct freed_page {
	uint64_t page;
	uint32_t caller; /* index of the caller's row + 1, or one of the above */
};

void percpu_init(struct percpu *p)
{
	*p = (struct percpu){0};
	table_init(&p->cpus, sizeof(struct percpu_cpu), sizeof(int64_t));
	table_init(&p->callers, sizeof(struct percpu_caller), sizeof(uint64_t));
	table_init(&p->freed, sizeof(struct freed_page), sizeof(uint64_t));
}

void percpu_deinit(struct percpu *p)
{
	table_deinit(&p->cpus);
	table_deinit(&p->callers);
	table_deinit(&p->freed);
	timeline_free(p->timeline);
}

static void bind(void *state, const struct event_type *type)
{
	struct percpu *p = state;

	switch (type->kind) {
	case KMEM_PAGE_ZONE_LOCKED:
		p->has_lists = true;
		/* 5.19, "mm, page_alloc: fix tracepoint mm_page_alloc_zone_locked()" */
		p->has_refill_field = event_type_has_field(type, "percpu_refill");
		break;
	case KMEM_PAGE_PCPU_DRAIN:
		p->has_lists = true;
		break;
	case KMEM_PAGE_FREE:
		p->has_frees = true;
		p->has_chain |= type->has_callchain;
		break;
	case KMEM_PAGE_FREE_BATCHED:
		p->has_batched = true;
		/*
		 * 4.15 dropped `cold` ("mm: remove cold parameter from free_hot_cold_page*") and
		 * freed in two passes from then on ("mm, page_alloc: enable/disable IRQs once
		 * when freeing a list of pages").
		 */
		p->batched_first = event_type_has_field(type, "cold");
		break;
	default:
		break;
	}
}

static int account_free(struct percpu *p, const struct kmem_event *ev)
{
	uint64_t page = ev->page;
	struct freed_page *freed;
	struct percpu_caller *caller = table_insert(&p->callers, &ev->call_site);
	bool batched;

	if (!caller)
		return -ENOMEM;
	caller->frees++;
	caller->pages += 1ULL << ev->order;
	p->frees++;
	timeline_count(p->timeline, PERCPU_FREES, ev->time_ns, 1);
	p->free_pages += 1ULL << ev->order;
	if (!p->has_batched)
		return 0;
	freed = table_insert(&p->freed, &page);
	if (!freed)
		return -ENOMEM;
	batched = p->batched_first && freed->caller == FREED_BATCHED;
	freed->caller = batched ? FREED_NONE : table_index(&p->callers, caller) + 1;
	if (batched) {
		caller->batched++;
		p->batched++;
		p->batched_alone--;
	}
	return 0;
}

static int account_batched(struct percpu *p, const struct kmem_event *ev)
{
	uint64_t page = ev->page;
	struct freed_page *freed;

	if (p->batched_first && ev->filtered_out)
		return 0;
	if (p->batched_first) {
		freed = table_insert(&p->freed, &page);
		if (!freed)
			return -ENOMEM;
		freed->caller = FREED_BATCHED;
		p->batched_alone++;
		return 0;
	}
	freed = table_find(&p->freed, &page);
	if (!freed || freed->caller == FREED_NONE) {
		p->batched_alone += !ev->filtered_out;
		return 0;
	}
	if (freed->caller == FREED_FILTERED) {
		freed->caller = FREED_NONE;
		return 0;
	}
	((struct percpu_caller *)table_row(&p->callers, freed->caller - 1))->batched++;
	p->batched++;
	freed->caller = FREED_NONE;
	return 0;
}

static void account_refill(struct percpu *p, struct percpu_cpu *c, uint64_t time_ns, uint64_t pages)
{
	timeline_count(p->timeline, PERCPU_TAKINGS, time_ns, c->run != RUN_REFILL);
	timeline_count(p->timeline, PERCPU_REFILLED, time_ns, pages);
	c->refills++;
	c->refill_pages += pages;
	c->refill_takings += c->run != RUN_REFILL;
	c->run = RUN_REFILL;
}

static void account_drain(struct percpu *p, struct percpu_cpu *c, uint64_t time_ns, uint64_t pages)
{
	timeline_count(p->timeline, PERCPU_TAKINGS, time_ns, c->run != RUN_DRAIN);
	timeline_count(p->timeline, PERCPU_DRAINED, time_ns, pages);
	c->drains++;
	c->drain_pages += pages;
	c->drain_takings += c->run != RUN_DRAIN;
	c->run = RUN_DRAIN;
}

static void account_direct(struct percpu *p, struct percpu_cpu *c, uint64_t time_ns, uint64_t pages)
{
	timeline_count(p->timeline, PERCPU_DIRECT, time_ns, 1);
	c->direct++;
	c->direct_pages += pages;
	c->run = RUN_NONE;
}

static bool is_refill(const struct percpu *p, const struct kmem_event *ev)
{
	return ev->kind == KMEM_PAGE_ZONE_LOCKED &&
	       (p->has_refill_field ? ev->percpu_refill != 0 : !ev->order);
}

/*
 * A batched free has no order. It is counted if its page's free is counted, which has the order.
 * Until 4.15 both have order 0.
 */
static int remember_filtered(struct percpu *p, const struct kmem_event *ev)
{
	uint64_t page = ev->page;
	struct freed_page *freed;

	if (!p->has_batched || p->batched_first)
		return 0;
	freed = table_insert(&p->freed, &page);
	if (!freed)
		return -ENOMEM;
	freed->caller = FREED_FILTERED;
	return 0;
}

/* The event is not counted, but it still belongs to a run or ends one. */
static int track_filtered(struct percpu *p, const struct kmem_event *ev)
{
	enum percpu_run run = is_refill(p, ev)			 ? RUN_REFILL
			      : ev->kind == KMEM_PAGE_PCPU_DRAIN ? RUN_DRAIN
								 : RUN_NONE;
	int64_t number = ev->cpu;
	struct percpu_cpu *c = table_find(&p->cpus, &number);

	if (c && c->run != run)
		c->run = RUN_NONE;
	if (ev->kind == KMEM_PAGE_FREE_BATCHED)
		return account_batched(p, ev);
	return ev->kind == KMEM_PAGE_FREE ? remember_filtered(p, ev) : 0;
}

int percpu_account(struct percpu *p, const struct kmem_event *ev)
{
	int64_t number = ev->cpu;
	struct percpu_cpu *c;
	uint64_t pages;

	/* a fallback happens with the lock held, in the middle of a refill */
	if (ev->kind == KMEM_PAGE_EXTFRAG)
		return 0;
	if (ev->filtered_out)
		return track_filtered(p, ev);
	c = table_insert(&p->cpus, &number);
	if (!c)
		return -ENOMEM;
	pages = 1ULL << ev->order;
	switch (ev->kind) {
	case KMEM_PAGE_ZONE_LOCKED:
		if (is_refill(p, ev))
			account_refill(p, c, ev->time_ns, pages);
		else
			account_direct(p, c, ev->time_ns, pages);
		return 0;
	case KMEM_PAGE_PCPU_DRAIN:
		account_drain(p, c, ev->time_ns, pages);
		return 0;
	case KMEM_PAGE_ALLOC:
		c->run = RUN_NONE;
		return 0;
	case KMEM_PAGE_FREE:
		c->run = RUN_NONE;
		return account_free(p, ev);
	case KMEM_PAGE_FREE_BATCHED:
		c->run = RUN_NONE;
		return account_batched(p, ev);
	default:
		return 0;
	}
}

struct percpu_cpu percpu_total(const struct percpu *p)
{
	struct percpu_cpu t = {.cpu = -1};

	for (uint32_t i = 0; i < p->cpus.nr; i++) {
		const struct percpu_cpu *c = table_row(&p->cpus, i);

		t.refills += c->refills;
		t.refill_pages += c->refill_pages;
		t.refill_takings += c->refill_takings;
		t.drains += c->drains;
		t.drain_pages += c->drain_pages;
		t.drain_takings += c->drain_takings;
		t.direct += c->direct;
		t.direct_pages += c->direct_pages;
	}
	return t;
}

double percpu_imbalance_percent(const struct percpu *p)
{
	const struct percpu_cpu t = percpu_total(p);
	double sum = 0;

	if (!t.refill_pages || !t.drain_pages)
		return -1;
	for (uint32_t i = 0; i < p->cpus.nr; i++) {
		const struct percpu_cpu *c = table_row(&p->cpus, i);
		double difference = (double)c->refill_pages / (double)t.refill_pages -
				    (double)c->drain_pages / (double)t.drain_pages;

		sum += difference < 0 ? -difference : difference;
	}
	return 50 * sum;
}

/* ---- as an account -------------------------------------------------------------------------- */

static const struct account_record recorded[] = {
	{"kmem:mm_page_alloc", false, false}, /* it ends a run of refills */
	{"kmem:mm_page_free", true, false},
	{"kmem:mm_page_free_batched", false, false},
	{"kmem:mm_page_alloc_zone_locked", false, false},
	{"kmem:mm_page_pcpu_drain", false, false},
	{"kmem:mm_page_alloc_extfrag", false, false},
};

static int init(void *state, const struct account_setup *setup)
{
	struct percpu *p = state;

	percpu_init(p);
	if (!setup->options->timeline)
		return 0;
	p->timeline = timeline_new_counts(setup->span.start_ns, setup->span.stop_ns, PERCPU_SERIES);
	return p->timeline ? 0 : -ENOMEM;
}

static int take_event(void *state, const struct kmem_event *ev, uint32_t hash)
{
	(void)hash;
	return percpu_account(state, ev);
}

static int take(void *state, const struct account_events *events, uint32_t kinds)
{
	return account_take_each(
		state, events, kinds,
		(struct account_take){.take = take_event, .also = TAKES_FILTERED | TAKES_FAILED});
}

/* A batched free and its page's free come together, so old single frees need not be remembered. */
static int tick(void *state, const struct account_tick *tick)
{
	struct percpu *p = state;

	if (!kmem_bounds_any(tick->bounds) || p->freed.nr < PERCPU_FREED_MAX)
		return 0;
	table_deinit(&p->freed);
	table_init(&p->freed, sizeof(struct freed_page), sizeof(uint64_t));
	return 0;
}

static void deinit(void *state)
{
	percpu_deinit(state);
}

#define LISTS (KIND_BIT(KMEM_PAGE_ZONE_LOCKED) | KIND_BIT(KMEM_PAGE_PCPU_DRAIN))

const struct account_ops account_percpu = {
	.id = "percpu",
	.what = "per-CPU list",
	.stat_help = "the per-CPU page lists: zone->lock, refills and drains, batched frees",
	.record_help = "what stat --percpu needs: per-CPU page lists, and frees with callchains",
	.kinds = LISTS | KIND_BIT(KMEM_PAGE_ALLOC) | KIND_BIT(KMEM_PAGE_FREE) |
		 KIND_BIT(KMEM_PAGE_FREE_BATCHED),
	.sufficient = LISTS,
	.callers = KIND_BIT(KMEM_PAGE_FREE),
	.filter_keys = CONTEXT_KEYS | BLOCK_KEYS,
	.recorded = recorded,
	.nr_recorded = sizeof(recorded) / sizeof(recorded[0]),
	.has_timeline = true,
	.size = sizeof(struct percpu),
	.init = init,
	.bind = bind,
	.take = take,
	.tick = tick,
	.deinit = deinit,
	.build = percpu_build,
};
