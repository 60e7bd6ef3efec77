// SPDX-License-Identifier: GPL-2.0-or-later
/* The text report of external fragmentation: findings and advice, then who fell back where. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "util/base/units.h"
#include "util/cli/wrap.h"
#include "util/report/internals.h"
#include "util/trace/pageblock.h"

static bool order_known(const struct text_context *t)
{
	return t->a->internals.extfrag.pageblock_order != PAGEBLOCK_ORDER_UNKNOWN;
}

static void say_how_many(struct text_context *t, const struct extfrag_rate *rate)
{
	const struct extfrag *x = &t->a->internals.extfrag;
	char a[UNITS_BUF], size[UNITS_BUF];

	strbuf_addf(&t->line,
		    "In %.1f s %s allocations fell back to pages of another migrate type (%.2f a "
		    "second).",
		    internals_seconds(t->a), internals_number(t, a, x->counts.fallbacks),
		    rate->fallbacks_per_second);
	if (!x->counts.fallbacks)
		return;
	if (!order_known(t)) {
		strbuf_addstr(&t->line,
			      " The recording does not tell the pageblock order, so which of "
			      "them fragment is unknown.");
		return;
	}
	units_bytes(size, sizeof(size), (uint64_t)t->a->trace.page_size << x->pageblock_order);
	strbuf_addf(&t->line,
		    " %s of them (%.1f %%) were fragmenting: from a block smaller than a "
		    "pageblock (%s, order %d).",
		    x->counts.fragmenting ? internals_number(t, a, x->counts.fragmenting) : "None",
		    internals_percent(x->counts.fragmenting, x->counts.fallbacks), size,
		    x->pageblock_order);
	if (x->has_ownership)
		strbuf_addf(&t->line, " %s changed the pageblock's owner.",
			    internals_number(t, a, x->counts.ownership_changes));
}

static void say_advice(struct text_context *t, const struct extfrag_rate *rate)
{
	const struct extfrag *x = &t->a->internals.extfrag;
	const struct recording *r = t->a->recording;
	uint32_t nodes = r->nr_nodes ? r->nr_nodes : 1;
	char a[UNITS_BUF], b[UNITS_BUF];

	if (!order_known(t) || !x->counts.fallbacks)
		return;
	if (!rate->frequent) {
		strbuf_addstr(&t->line, "\nThat is not frequent: no change is advised.");
		return;
	}
	strbuf_addf(&t->line,
		    "\nFragmenting fallbacks are frequent: %.1f a second, %s in the worst",
		    rate->fragmenting_per_second,
		    internals_number(t, a, rate->busiest_second_fragmenting));
	if (rate->fragmenting_percent >= 0)
		strbuf_addf(&t->line, ", %.2f %% of the page allocations",
			    rate->fragmenting_percent);
	strbuf_addf(&t->line,
		    ". Large blocks will become rare and allocations of them fail; raise "
		    "vm.min_free_kbytes in steps of %" PRIu64 " kB (3 * %s kB pageblock * %" PRIu32
		    " NUMA node%s%s).",
		    extfrag_min_free_step_kib(x, t->a->trace.page_size, nodes),
		    internals_number(
			    t, b, ((uint64_t)t->a->trace.page_size << x->pageblock_order) / 1024),
		    nodes, nodes == 1 ? "" : "s", r->nr_nodes ? "" : ", assumed");
}

static void say_what_is_missing(struct text_context *t)
{
	if (!t->a->internals.extfrag_has_chain)
		strbuf_addstr(&t->line,
			      "\nThe fallbacks were recorded without callchains: their callers "
			      "are unknown (perf kmem record --extfrag).");
	if (!t->a->internals.page_allocations)
		strbuf_addstr(
			&t->line,
			"\nPage allocations were not recorded: rates are those between the first "
			"and the last event (perf kmem record --extfrag).");
}

/* "-" for what the recording cannot tell */
static const char *number_if(const struct text_context *t, char *buf, bool known, uint64_t v)
{
	return known ? internals_number(t, buf, v) : "-";
}

static void print_kinds(struct text_context *t, const struct extfrag_kind *kinds, uint32_t nr)
{
	const struct extfrag *x = &t->a->internals.extfrag;
	char n[3][UNITS_BUF], from[24], to[24];

	fputs("\n                            Order   Order                            Owner\n"
	      "Wanted       Taken from    wanted   taken   Fallbacks  Fragmenting   changed\n"
	      "-----------  -----------  -------  ------  ----------  -----------  --------\n",
	      t->out);
	for (uint32_t i = 0; i < nr && i < t->o->lines; i++) {
		const struct extfrag_kind *k = &kinds[i];

		fprintf(t->out, "%-11s  %-11s  %7" PRId64 "  %6" PRId64 "  %10s  %11s  %8s\n",
			internals_migratetype(t->a, k->alloc_migratetype, from, sizeof(from)),
			internals_migratetype(t->a, k->fallback_migratetype, to, sizeof(to)),
			(int64_t)k->alloc_order, (int64_t)k->fallback_order,
			internals_number(t, n[0], k->counts.fallbacks),
			number_if(t, n[1], order_known(t), k->counts.fragmenting),
			number_if(t, n[2], x->has_ownership, k->counts.ownership_changes));
	}
	if (nr > t->o->lines)
		fputs("...\n", t->out);
}

static void print_callers(struct text_context *t, const struct extfrag_caller *callers, uint32_t nr)
{
	const struct extfrag *x = &t->a->internals.extfrag;
	char n[3][UNITS_BUF];

	fprintf(t->out,
		"\n%-41s  %10s  %11s  %8s\n"
		"-----------------------------------------  ----------  -----------  --------\n",
		"Allocated by", "Fallbacks", "Fragmenting", "Owner");
	for (uint32_t i = 0; i < nr && i < t->o->lines; i++) {
		const struct extfrag_counts *c = &callers[i].counts;

		strbuf_reset(&t->line);
		internals_add_callsite(&t->line, t, callers[i].callsite, 41);
		fprintf(t->out, "%-41s  %10s  %11s  %8s\n", t->line.buf,
			internals_number(t, n[0], c->fallbacks),
			number_if(t, n[1], order_known(t), c->fragmenting),
			number_if(t, n[2], x->has_ownership, c->ownership_changes));
	}
	if (nr > t->o->lines)
		fputs("...\n", t->out);
}

static void print_spans(struct text_context *t, const struct extfrag_rate *rate)
{
	double seconds = (double)rate->duration_ns / EXTFRAG_SPANS / 1e9;
	char n[2][UNITS_BUF];

	fputs("\nFrom second   Fallbacks  Fragmenting  Fallbacks/s\n"
	      "-----------  ----------  -----------  -----------\n",
	      t->out);
	for (int i = 0; i < EXTFRAG_SPANS; i++)
		fprintf(t->out, "%11.3f  %10s  %11s  %11.2f\n", seconds * i,
			internals_number(t, n[0], rate->spans[i].fallbacks),
			number_if(t, n[1], order_known(t), rate->spans[i].fragmenting),
			(double)rate->spans[i].fallbacks / seconds);
}

int text_extfrag_print(struct text_context *t)
{
	const struct page_internals *in = &t->a->internals;
	const struct extfrag *x = &in->extfrag;
	const struct extfrag_rate rate = internals_extfrag_rate(t->a);
	struct extfrag_kind *kinds;
	struct extfrag_caller *callers;
	int ret = 0;

	if (!x->has_events) {
		fputs("\nThe recording holds no external fragmentation events (perf kmem record "
		      "--extfrag makes\nthem).\n",
		      t->out);
		return 0;
	}
	kinds = internals_kinds(x);
	callers = internals_fallers(x);
	if ((x->kinds.nr && !kinds) || (x->callers.nr && !callers)) {
		ret = -ENOMEM;
	} else {
		fputs("\nEXTERNAL FRAGMENTATION\n======================\n", t->out);
		strbuf_reset(&t->line);
		say_how_many(t, &rate);
		say_advice(t, &rate);
		say_what_is_missing(t);
		wrap_text(t->out, t->line.buf, 0, 0, INTERNALS_COLUMNS);
		if (kinds && callers) {
			print_kinds(t, kinds, x->kinds.nr);
			print_callers(t, callers, x->callers.nr);
			print_spans(t, &rate);
		}
	}
	free(kinds);
	free(callers);
	return ret;
}
