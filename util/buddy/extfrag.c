// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/buddy/extfrag.h"

#include <errno.h>
#include <stdlib.h>

#include "util/base/array.h"
#include "util/event/known_events.h"
#include "util/kmem/accounts.h"
#include "util/event/migratetype.h"

#define NS_PER_SECOND 1000000000ULL

void extfrag_init(struct extfrag *x, int pageblock_order)
{
	*x = (struct extfrag){.pageblock_order = pageblock_order};
	table_init(&x->kinds, sizeof(struct extfrag_kind), offsetof(struct extfrag_kind, counts));
	table_init(&x->callers, sizeof(struct extfrag_caller), sizeof(uint64_t));
}

void extfrag_deinit(struct extfrag *x)
{
	table_deinit(&x->kinds);
	table_deinit(&x->callers);
	free(x->moments);
	timeline_free(x->timeline);
}

static void bind(void *state, const struct event_type *type)
{
	struct extfrag *x = state;

	if (type->kind != KMEM_PAGE_EXTFRAG)
		return;
	x->has_events = true;
	x->has_ownership = event_type_has_field(type, "change_ownership");
	x->has_chain |= type->has_callchain;
}

static void count(struct extfrag_counts *c, bool fragmenting, bool ownership)
{
	c->fallbacks++;
	c->fragmenting += fragmenting;
	c->ownership_changes += ownership;
}

static int add_moment(struct extfrag *x, uint64_t time_ns, bool fragmenting)
{
	struct extfrag_moment *v =
		array_room(x->moments, x->nr_moments, &x->cap_moments, sizeof(*v));

	if (!v)
		return -ENOMEM;
	x->moments = v;
	x->moments[x->nr_moments++] = (struct extfrag_moment){time_ns, 1, fragmenting};
	return 0;
}

static int account_fallback(struct extfrag *x, const struct kmem_event *ev)
{
	const struct extfrag_kind key = {
		.alloc_migratetype = ev->migratetype,
		.fallback_migratetype = ev->fallback_migratetype,
		.alloc_order = ev->order,
		.fallback_order = ev->fallback_order,
	};
	bool ownership = ev->change_ownership != 0;
	bool fragmenting = x->pageblock_order != PAGEBLOCK_ORDER_UNKNOWN &&
			   (int64_t)ev->fallback_order < x->pageblock_order;
	struct extfrag_kind *kind = table_insert(&x->kinds, &key);
	struct extfrag_caller *caller = table_insert(&x->callers, &ev->call_site);

	if (!kind || !caller || add_moment(x, ev->time_ns, fragmenting))
		return -ENOMEM;
	count(&x->counts, fragmenting, ownership);
	count(&kind->counts, fragmenting, ownership);
	count(&caller->counts, fragmenting, ownership);
	timeline_count(x->timeline, EXTFRAG_FALLBACKS, ev->time_ns, 1);
	timeline_count(x->timeline, EXTFRAG_FRAGMENTING, ev->time_ns, fragmenting);
	timeline_count(x->timeline, EXTFRAG_OWNERSHIP, ev->time_ns, ownership);
	return 0;
}

int extfrag_account(struct extfrag *x, const struct kmem_event *ev)
{
	x->saw_allocations |= ev->kind == KMEM_PAGE_ALLOC;
	if (ev->filtered_out)
		return 0;
	x->page_allocations += ev->kind == KMEM_PAGE_ALLOC;
	timeline_count(x->timeline, EXTFRAG_ALLOCATIONS, ev->time_ns, ev->kind == KMEM_PAGE_ALLOC);
	return ev->kind == KMEM_PAGE_EXTFRAG ? account_fallback(x, ev) : 0;
}

static void merge_within(struct extfrag *x, uint64_t moment_ns)
{
	size_t nr = 0;

	for (size_t i = 0; i < x->nr_moments; i++) {
		const struct extfrag_moment m = x->moments[i];
		struct extfrag_moment *last = nr ? &x->moments[nr - 1] : NULL;

		if (last && last->time_ns / moment_ns == m.time_ns / moment_ns) {
			last->fallbacks += m.fallbacks;
			last->fragmenting += m.fragmenting;
		} else {
			x->moments[nr++] = m;
		}
	}
	x->nr_moments = nr;
	x->moment_ns = moment_ns;
}

void extfrag_merge_moments(struct extfrag *x, size_t nr)
{
	while (x->nr_moments > nr)
		merge_within(x, x->moment_ns ? 2 * x->moment_ns : NS_PER_SECOND / 1024);
}

/* Returns the index of the slice that contains the time; slices have equal lengths. */
static unsigned int span_of(const struct extfrag_rate *r, uint64_t time_ns)
{
	uint64_t n = (time_ns - r->start_ns) * EXTFRAG_SPANS / r->duration_ns;

	return n < EXTFRAG_SPANS ? (unsigned int)n : EXTFRAG_SPANS - 1;
}

static bool is_frequent(const struct extfrag *x, const struct extfrag_rate *r)
{
	unsigned int busy = 0;

	if (x->counts.fragmenting < EXTFRAG_FREQUENT_MIN)
		return false;
	for (unsigned int i = 0; i < EXTFRAG_SPANS; i++)
		busy += r->spans[i].fragmenting != 0;
	if (r->duration_ns >= NS_PER_SECOND && busy >= EXTFRAG_SPANS / 2 &&
	    r->fragmenting_per_second >= EXTFRAG_FREQUENT_PER_SECOND)
		return true;
	return r->fragmenting_percent >= EXTFRAG_FREQUENT_PERCENT;
}

struct extfrag_rate extfrag_rate(const struct extfrag *x, struct source_span span,
				 uint64_t length_ns, uint64_t page_allocations)
{
	struct extfrag_rate r = {.start_ns = span.start_ns, .fragmenting_percent = -1};
	uint64_t second = 0, in_second = 0;
	double seconds;

	r.duration_ns = span.stop_ns > span.start_ns ? span.stop_ns - span.start_ns : 1;
	seconds = (double)(length_ns ? length_ns : 1) / (double)NS_PER_SECOND;
	r.fallbacks_per_second = (double)x->counts.fallbacks / seconds;
	r.fragmenting_per_second = (double)x->counts.fragmenting / seconds;
	for (size_t i = 0; i < x->nr_moments; i++) {
		const struct extfrag_moment *m = &x->moments[i];
		struct extfrag_span *part = &r.spans[span_of(&r, m->time_ns)];
		uint64_t this_second = (m->time_ns - span.start_ns) / NS_PER_SECOND;

		part->fallbacks += m->fallbacks;
		part->fragmenting += m->fragmenting;
		in_second = this_second == second ? in_second : 0;
		second = this_second;
		in_second += m->fragmenting;
		if (in_second > r.busiest_second_fragmenting)
			r.busiest_second_fragmenting = in_second;
	}
	if (page_allocations)
		r.fragmenting_percent =
			100.0 * (double)x->counts.fragmenting / (double)page_allocations;
	r.frequent = is_frequent(x, &r);
	return r;
}

uint64_t extfrag_min_free_step_kib(const struct extfrag *x, uint32_t page_size, uint32_t nr_nodes)
{
	if (x->pageblock_order == PAGEBLOCK_ORDER_UNKNOWN)
		return 0;
	return 3 * (((uint64_t)page_size << x->pageblock_order) / 1024) * nr_nodes;
}

/* ---- as an account -------------------------------------------------------------------------- */

static const struct account_record recorded[] = {
	{"kmem:mm_page_alloc", false, false}, /* the fallbacks' share of all allocations */
	{"kmem:mm_page_alloc_extfrag", true, false},
};

static int init(void *state, const struct account_setup *setup)
{
	struct extfrag *x = state;

	extfrag_init(x, setup->pageblock_order);
	if (!setup->options->timeline)
		return 0;
	x->timeline =
		timeline_new_counts(setup->span.start_ns, setup->span.stop_ns, EXTFRAG_SERIES);
	return x->timeline ? 0 : -ENOMEM;
}

static int take_event(void *state, const struct kmem_event *ev, uint32_t hash)
{
	(void)hash;
	return extfrag_account(state, ev);
}

static int take(void *state, const struct account_events *events, uint32_t kinds)
{
	return account_take_each(
		state, events, kinds,
		(struct account_take){.take = take_event, .also = TAKES_FILTERED | TAKES_FAILED});
}

static int tick(void *state, const struct account_tick *tick)
{
	struct extfrag *x = state;

	if (kmem_bounds_any(tick->bounds) && x->nr_moments > EXTFRAG_MOMENTS_MAX)
		extfrag_merge_moments(x, EXTFRAG_MOMENTS_MAX / 2);
	return 0;
}

static void deinit(void *state)
{
	extfrag_deinit(state);
}

const struct account_ops account_extfrag = {
	.id = "extfrag",
	.what = "external fragmentation",
	.stat_help = "external fragmentation: fallbacks to other migrate types",
	.record_help =
		"what stat --extfrag needs: fallbacks to other migrate types, with callchains",
	.kinds = KIND_BIT(KMEM_PAGE_EXTFRAG) | KIND_BIT(KMEM_PAGE_ALLOC),
	.sufficient = KIND_BIT(KMEM_PAGE_EXTFRAG),
	.callers = KIND_BIT(KMEM_PAGE_EXTFRAG),
	.filter_keys = CONTEXT_KEYS | BLOCK_KEYS,
	.recorded = recorded,
	.nr_recorded = sizeof(recorded) / sizeof(recorded[0]),
	.has_timeline = true,
	.size = sizeof(struct extfrag),
	.init = init,
	.bind = bind,
	.take = take,
	.tick = tick,
	.deinit = deinit,
	.build = extfrag_build,
};
