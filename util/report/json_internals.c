// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON objects "percpu" and "extfrag". */
#include <errno.h>
#include <stdlib.h>

#include "util/report/internals.h"
#include "util/trace/pageblock.h"

static void write_time(struct json *j, const struct kmem_analysis *a)
{
	json_u64(j, "first_ns", a->internals.first_ns);
	json_u64(j, "last_ns", a->internals.last_ns);
}

/* null where the recording does not tell */
static void write_if(struct json *j, const char *key, bool known, uint64_t v)
{
	if (known)
		json_u64(j, key, v);
	else
		json_string(j, key, NULL);
}

static void write_mean(struct json *j, const char *key, uint64_t pages, uint64_t takings)
{
	json_double(j, key, takings ? (double)pages / (double)takings : 0, 3);
}

/* The figures of one CPU, or of all. */
static void write_lists(struct json *j, const struct percpu_cpu *c)
{
	json_u64(j, "refills", c->refills);
	json_u64(j, "refill_pages", c->refill_pages);
	json_u64(j, "refill_lock_takings", c->refill_takings);
	write_mean(j, "refill_batch_pages", c->refill_pages, c->refill_takings);
	json_u64(j, "drains", c->drains);
	json_u64(j, "drain_pages", c->drain_pages);
	json_u64(j, "drain_lock_takings", c->drain_takings);
	write_mean(j, "drain_batch_pages", c->drain_pages, c->drain_takings);
	json_u64(j, "lock_takings", c->refill_takings + c->drain_takings);
	json_u64(j, "direct_allocations", c->direct);
	json_u64(j, "direct_pages", c->direct_pages);
	json_i64(j, "refilled_minus_drained_pages", (int64_t)(c->refill_pages - c->drain_pages));
}

static void write_percpu_summary(struct json *j, const struct kmem_analysis *a,
				 const struct percpu_cpu *total)
{
	const struct percpu *p = &a->internals.percpu;
	double imbalance = percpu_imbalance_percent(p);
	bool known = p->has_frees && p->has_batched;

	json_open(j, "summary", '{', false);
	write_time(j, a);
	json_bool(j, "has_percpu_refill", p->has_refill_field);
	write_lists(j, total);
	json_double(j, "lock_takings_per_second",
		    (double)(total->refill_takings + total->drain_takings) / internals_seconds(a),
		    3);
	if (imbalance >= 0)
		json_double(j, "imbalance_percent", imbalance, 3);
	else
		json_string(j, "imbalance_percent", NULL);
	write_if(j, "frees", p->has_frees, p->frees);
	write_if(j, "freed_pages", p->has_frees, p->free_pages);
	write_if(j, "frees_batched", known, p->batched);
	write_if(j, "frees_single", known, p->frees - p->batched);
	write_if(j, "batched_without_free", p->has_batched, p->batched_alone);
	json_close(j, '}');
}

static void write_cpus(struct json *j, const struct percpu_cpu *cpus, uint32_t nr,
		       const struct percpu_cpu *total)
{
	json_open(j, "cpus", '[', false);
	for (uint32_t i = 0; i < nr; i++) {
		json_open(j, NULL, '{', true);
		json_i64(j, "cpu", cpus[i].cpu);
		write_lists(j, &cpus[i]);
		json_double(j, "refill_share_percent",
			    internals_percent(cpus[i].refill_pages, total->refill_pages), 3);
		json_double(j, "drain_share_percent",
			    internals_percent(cpus[i].drain_pages, total->drain_pages), 3);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void write_freers(struct json *j, const struct kmem_analysis *a,
			 const struct report_options *o, const struct percpu_caller *callers)
{
	const struct percpu *p = &a->internals.percpu;

	json_u64(j, "free_callers_total", p->callers.nr);
	json_open(j, "free_callers", '[', false);
	for (uint32_t i = 0; i < p->callers.nr && i < o->lines; i++) {
		json_open(j, NULL, '{', true);
		internals_json_callsite(j, a, callers[i].callsite);
		json_u64(j, "frees", callers[i].frees);
		json_u64(j, "pages", callers[i].pages);
		write_if(j, "batched", p->has_batched, callers[i].batched);
		write_if(j, "single", p->has_batched, callers[i].frees - callers[i].batched);
		json_close(j, '}');
	}
	json_close(j, ']');
}

int json_percpu_write(struct json *j, const struct kmem_analysis *a, const struct report_options *o)
{
	const struct percpu *p = &a->internals.percpu;
	const struct percpu_cpu total = percpu_total(p);
	struct percpu_cpu *cpus;
	struct percpu_caller *callers;
	int ret = 0;

	if (!p->has_lists) {
		json_string(j, "percpu", NULL);
		return 0;
	}
	cpus = internals_cpus(p);
	callers = internals_freers(p);
	if ((p->cpus.nr && !cpus) || (p->callers.nr && !callers)) {
		ret = -ENOMEM;
	} else {
		json_open(j, "percpu", '{', false);
		write_percpu_summary(j, a, &total);
		write_cpus(j, cpus, p->cpus.nr, &total);
		write_freers(j, a, o, callers);
		json_close(j, '}');
	}
	free(cpus);
	free(callers);
	return ret;
}

static bool order_known(const struct extfrag *x)
{
	return x->pageblock_order != PAGEBLOCK_ORDER_UNKNOWN;
}

static void write_counts(struct json *j, const struct extfrag *x, const struct extfrag_counts *c)
{
	json_u64(j, "fallbacks", c->fallbacks);
	write_if(j, "fragmenting", order_known(x), c->fragmenting);
	write_if(j, "ownership_changes", x->has_ownership, c->ownership_changes);
}

static void write_extfrag_summary(struct json *j, const struct kmem_analysis *a,
				  const struct extfrag_rate *rate)
{
	const struct extfrag *x = &a->internals.extfrag;
	uint32_t nodes = a->recording->nr_nodes ? a->recording->nr_nodes : 1;

	json_open(j, "summary", '{', false);
	write_time(j, a);
	write_if(j, "pageblock_order", order_known(x), (uint64_t)x->pageblock_order);
	write_if(j, "pageblock_bytes", order_known(x),
		 order_known(x) ? (uint64_t)a->trace.page_size << x->pageblock_order : 0);
	json_u64(j, "nodes", nodes);
	json_bool(j, "nodes_recorded", a->recording->nr_nodes != 0);
	write_counts(j, x, &x->counts);
	json_double(j, "fallbacks_per_second", rate->fallbacks_per_second, 3);
	json_double(j, "fragmenting_per_second", rate->fragmenting_per_second, 3);
	json_u64(j, "busiest_second_fragmenting", rate->busiest_second_fragmenting);
	json_u64(j, "page_allocations", a->internals.page_allocations);
	if (rate->fragmenting_percent >= 0)
		json_double(j, "fragmenting_percent_of_allocations", rate->fragmenting_percent, 3);
	else
		json_string(j, "fragmenting_percent_of_allocations", NULL);
	json_bool(j, "fragmenting_frequent", rate->frequent);
	write_if(j, "min_free_step_kib", order_known(x),
		 extfrag_min_free_step_kib(x, a->trace.page_size, nodes));
	json_close(j, '}');
}

static void write_migratetype(struct json *j, const struct kmem_analysis *a, const char *key,
			      int64_t number)
{
	char digits[24];

	json_string(j, key, internals_migratetype(a, number, digits, sizeof(digits)));
}

static void write_kinds(struct json *j, const struct kmem_analysis *a,
			const struct report_options *o, const struct extfrag_kind *kinds)
{
	const struct extfrag *x = &a->internals.extfrag;

	json_u64(j, "fallbacks_total", x->kinds.nr);
	json_open(j, "fallbacks", '[', false);
	for (uint32_t i = 0; i < x->kinds.nr && i < o->lines; i++) {
		json_open(j, NULL, '{', true);
		write_migratetype(j, a, "alloc_migratetype", kinds[i].alloc_migratetype);
		write_migratetype(j, a, "fallback_migratetype", kinds[i].fallback_migratetype);
		json_i64(j, "alloc_order", (int64_t)kinds[i].alloc_order);
		json_i64(j, "fallback_order", (int64_t)kinds[i].fallback_order);
		write_counts(j, x, &kinds[i].counts);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void write_fallers(struct json *j, const struct kmem_analysis *a,
			  const struct report_options *o, const struct extfrag_caller *callers)
{
	const struct extfrag *x = &a->internals.extfrag;

	json_u64(j, "callers_total", x->callers.nr);
	json_open(j, "callers", '[', false);
	for (uint32_t i = 0; i < x->callers.nr && i < o->lines; i++) {
		json_open(j, NULL, '{', true);
		internals_json_callsite(j, a, callers[i].callsite);
		write_counts(j, x, &callers[i].counts);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void write_spans(struct json *j, const struct extfrag *x, const struct extfrag_rate *rate)
{
	json_double(j, "span_seconds", (double)rate->duration_ns / EXTFRAG_SPANS / 1e9, 9);
	json_open(j, "spans", '[', false);
	for (int i = 0; i < EXTFRAG_SPANS; i++) {
		json_open(j, NULL, '{', true);
		json_u64(j, "fallbacks", rate->spans[i].fallbacks);
		write_if(j, "fragmenting", order_known(x), rate->spans[i].fragmenting);
		json_close(j, '}');
	}
	json_close(j, ']');
}

int json_extfrag_write(struct json *j, const struct kmem_analysis *a,
		       const struct report_options *o)
{
	const struct page_internals *in = &a->internals;
	const struct extfrag *x = &in->extfrag;
	const struct extfrag_rate rate = internals_extfrag_rate(a);
	struct extfrag_kind *kinds;
	struct extfrag_caller *callers;
	int ret = 0;

	if (!x->has_events) {
		json_string(j, "extfrag", NULL);
		return 0;
	}
	kinds = internals_kinds(x);
	callers = internals_fallers(x);
	if ((x->kinds.nr && !kinds) || (x->callers.nr && !callers)) {
		ret = -ENOMEM;
	} else {
		json_open(j, "extfrag", '{', false);
		write_extfrag_summary(j, a, &rate);
		write_kinds(j, a, o, kinds);
		write_fallers(j, a, o, callers);
		write_spans(j, x, &rate);
		json_close(j, '}');
	}
	free(kinds);
	free(callers);
	return ret;
}
