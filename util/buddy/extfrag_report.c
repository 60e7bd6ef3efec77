// SPDX-License-Identifier: GPL-2.0-or-later
/* --extfrag: fallbacks to other migrate types. Findings and advice, then tables of types and
 * callers. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "util/buddy/extfrag.h"
#include "util/base/units.h"
#include "util/event/migratetype.h"
#include "util/report/findings.h"
#include "util/report/timeline_part.h"

static const struct extfrag *extfrag_of(const struct report_context *c)
{
	return c->accounts->v[ACCOUNT_extfrag].state;
}

static bool order_known(const struct report_context *c)
{
	return extfrag_of(c)->pageblock_order != PAGEBLOCK_ORDER_UNKNOWN;
}

static void say_how_many(struct findings *f, const struct extfrag_rate *rate)
{
	const struct extfrag *x = extfrag_of(f->c);
	char a[UNITS_BUF], size[UNITS_BUF];

	strbuf_addf(&f->text,
		    "In %.1f s %s allocations fell back to pages of another migrate type (%.2f a "
		    "second).",
		    findings_seconds(f->c), findings_number(f, a, x->counts.fallbacks),
		    rate->fallbacks_per_second);
	if (!x->counts.fallbacks)
		return;
	if (!order_known(f->c)) {
		strbuf_addstr(&f->text,
			      " The recording does not state the pageblock order, so which of "
			      "them fragment is unknown.");
		return;
	}
	units_bytes(size, sizeof(size), (uint64_t)f->c->naming->page_size << x->pageblock_order);
	strbuf_addf(&f->text, " %s of them",
		    x->counts.fragmenting ? findings_number(f, a, x->counts.fragmenting) : "None");
	findings_add_share(f, x->counts.fragmenting, x->counts.fallbacks, "");
	strbuf_addf(&f->text,
		    " were fragmenting: from a block smaller than a pageblock (%s, order %d).",
		    size, x->pageblock_order);
	if (x->has_ownership)
		strbuf_addf(&f->text, " %s changed the pageblock's owner.",
			    findings_number(f, a, x->counts.ownership_changes));
}

static void say_advice(struct findings *f, const struct extfrag_rate *rate)
{
	const struct extfrag *x = extfrag_of(f->c);
	const struct source_facts *r = f->c->facts;
	uint32_t nodes = r->nr_nodes ? r->nr_nodes : 1;
	char a[UNITS_BUF], b[UNITS_BUF];

	if (!order_known(f->c) || !x->counts.fallbacks)
		return;
	if (!rate->frequent) {
		strbuf_addstr(&f->text, "\nThat is not frequent: no change is advised.");
		return;
	}
	strbuf_addf(&f->text,
		    "\nFragmenting fallbacks are frequent: %.1f a second, %s in the worst",
		    rate->fragmenting_per_second,
		    findings_number(f, a, rate->busiest_second_fragmenting));
	if (rate->fragmenting_percent >= 0)
		strbuf_addf(&f->text, ", %.2f %% of the page allocations",
			    rate->fragmenting_percent);
	strbuf_addf(&f->text,
		    ". Large blocks will become rare and allocations of them fail; raise "
		    "vm.min_free_kbytes in steps of %" PRIu64 " kB (3 * %s kB pageblock * %" PRIu32
		    " NUMA node%s%s).",
		    extfrag_min_free_step_kib(x, f->c->naming->page_size, nodes),
		    findings_number(
			    f, b, ((uint64_t)f->c->naming->page_size << x->pageblock_order) / 1024),
		    nodes, nodes == 1 ? "" : "s", r->nr_nodes ? "" : ", assumed");
}

static void say_what_is_missing(struct findings *f)
{
	if (!extfrag_of(f->c)->has_chain)
		strbuf_addstr(&f->text,
			      "\nThe fallbacks were recorded without callchains: their callers "
			      "are unknown (record --extfrag).");
	if (!extfrag_of(f->c)->saw_allocations)
		strbuf_addstr(
			&f->text,
			"\nPage allocations were not recorded: rates are those between the first "
			"and the last event (record --extfrag).");
}

/* ---- the tables ----------------------------------------------------------------------------- */

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_fragmenting(const struct extfrag_counts *a, const struct extfrag_counts *b)
{
	int ret = compare_u64(b->fragmenting, a->fragmenting);

	return ret ? ret : compare_u64(b->fallbacks, a->fallbacks);
}

static int by_kind(const void *x, const void *y)
{
	const struct extfrag_kind *a = x, *b = y;
	int ret = by_fragmenting(&a->counts, &b->counts);

	if (!ret)
		ret = compare_i64(a->alloc_migratetype, b->alloc_migratetype);
	if (!ret)
		ret = compare_i64(a->fallback_migratetype, b->fallback_migratetype);
	if (!ret)
		ret = compare_u64(a->alloc_order, b->alloc_order);
	return ret ? ret : compare_u64(a->fallback_order, b->fallback_order);
}

static int by_caller(const void *x, const void *y)
{
	const struct extfrag_caller *a = x, *b = y;
	int ret = by_fragmenting(&a->counts, &b->counts);

	return ret ? ret : compare_u64(a->callsite, b->callsite);
}

static struct value migratetype(const struct report_context *c, int64_t number)
{
	const char *name =
		migratetype_name(migratetype_of(&c->naming->migratetypes, (uint64_t)number));

	return name ? value_text(name) : value_i64(number);
}

static struct value fragmenting_of(const struct report_context *c, uint64_t v)
{
	return value_u64_if(order_known(c), v);
}

static struct value owner_changes_of(const struct report_context *c,
				     const struct extfrag_counts *counts)
{
	return value_u64_if(extfrag_of(c)->has_ownership, counts->ownership_changes);
}

COLUMN_FN(wanted, struct extfrag_kind, migratetype(c, r->alloc_migratetype))
COLUMN_FN(taken_from, struct extfrag_kind, migratetype(c, r->fallback_migratetype))
COLUMN_FN(order_wanted, struct extfrag_kind, value_i64((int64_t)r->alloc_order))
COLUMN_FN(order_taken, struct extfrag_kind, value_i64((int64_t)r->fallback_order))
COLUMN_FN(kind_fallbacks, struct extfrag_kind, value_u64(r->counts.fallbacks))
COLUMN_FN(kind_fragmenting, struct extfrag_kind, fragmenting_of(c, r->counts.fragmenting))
COLUMN_FN(kind_owner_changes, struct extfrag_kind, owner_changes_of(c, &r->counts))

static const struct document_column kind_columns[] = {
	{"alloc_migratetype", "Wanted", 11, true, wanted},
	{"fallback_migratetype", "Taken from", 11, true, taken_from},
	{"alloc_order", "Order\nwanted", 7, false, order_wanted},
	{"fallback_order", "Order\ntaken", 6, false, order_taken},
	{"fallbacks", "Fallbacks", 10, false, kind_fallbacks},
	{"fragmenting", "Fragmenting", 11, false, kind_fragmenting},
	{"ownership_changes", "Owner\nchanged", 8, false, kind_owner_changes},
};

COLUMN_FN(caller, struct extfrag_caller, findings_callsite(c, r->callsite))
COLUMN_FN(caller_fallbacks, struct extfrag_caller, value_u64(r->counts.fallbacks))
COLUMN_FN(caller_fragmenting, struct extfrag_caller, fragmenting_of(c, r->counts.fragmenting))
COLUMN_FN(caller_owner_changes, struct extfrag_caller, owner_changes_of(c, &r->counts))

static const struct document_column caller_columns[] = {
	{"callsite", "Allocated by", 41, true, caller},
	{"fallbacks", "Fallbacks", 10, false, caller_fallbacks},
	{"fragmenting", "Fragmenting", 11, false, caller_fragmenting},
	{"ownership_changes", "Owner", 8, false, caller_owner_changes},
};

/* A row for each slice of the time. */
struct span_row {
	double start_s, seconds;
	struct extfrag_span counts;
};

COLUMN_FN(span_start, struct span_row, value_real(r->start_s, 9, 3))
COLUMN_FN(span_fallbacks, struct span_row, value_u64(r->counts.fallbacks))
COLUMN_FN(span_fragmenting, struct span_row, fragmenting_of(c, r->counts.fragmenting))
COLUMN_FN(span_rate, struct span_row, value_real((double)r->counts.fallbacks / r->seconds, 3, 2))

static const struct document_column span_columns[] = {
	{NULL, "From second", 11, false, span_start},
	{"fallbacks", "Fallbacks", 10, false, span_fallbacks},
	{"fragmenting", "Fragmenting", 11, false, span_fragmenting},
	{NULL, "Fallbacks/s", 11, false, span_rate},
};

static void add_findings(struct document_section *in, const struct report_context *c,
			 const struct extfrag_rate *rate)
{
	struct findings f = {.c = c, .text = STRBUF_INIT};

	say_how_many(&f, rate);
	say_advice(&f, rate);
	say_what_is_missing(&f);
	findings_finish(&f, in);
}

static void add_summary(struct document_section *in, const struct report_context *c,
			const struct extfrag_rate *rate)
{
	const struct extfrag *x = extfrag_of(c);
	struct document_section *s = document_add_section(in, "summary", NULL, FOR_PROGRAMS);
	uint32_t nodes = c->facts->nr_nodes ? c->facts->nr_nodes : 1;
	bool known = order_known(c);
	const struct document_value figures[] = {
		{"pageblock_order", value_u64_if(known, (uint64_t)x->pageblock_order)},
		{"pageblock_bytes",
		 known ? value_u64((uint64_t)c->naming->page_size << x->pageblock_order)
		       : value_none()},
		{"nodes", value_u64(nodes)},
		{"nodes_recorded", value_bool(c->facts->nr_nodes != 0)},
		{"fallbacks", value_u64(x->counts.fallbacks)},
		{"fragmenting", fragmenting_of(c, x->counts.fragmenting)},
		{"ownership_changes", owner_changes_of(c, &x->counts)},
		{"fallbacks_per_second", value_real(rate->fallbacks_per_second, 3, 1)},
		{"fragmenting_per_second", value_real(rate->fragmenting_per_second, 3, 1)},
		{"busiest_second_fragmenting", value_u64(rate->busiest_second_fragmenting)},
		{"page_allocations", value_u64(extfrag_of(c)->page_allocations)},
		{"fragmenting_percent_of_allocations",
		 rate->fragmenting_percent >= 0 ? value_percent(rate->fragmenting_percent, 3, 1)
						: value_none()},
		{"fragmenting_frequent", value_bool(rate->frequent)},
		{"min_free_step_kib",
		 value_u64_if(known, extfrag_min_free_step_kib(x, c->naming->page_size, nodes))},
	};

	findings_add_time(s, c);
	document_add_values(s, figures, sizeof(figures) / sizeof(figures[0]));
}

static void add_spans(struct document_section *in, const struct report_context *c,
		      const struct extfrag_rate *rate)
{
	double seconds = (double)rate->duration_ns / EXTFRAG_SPANS / 1e9;
	struct span_row *rows = document_own(in->document, calloc(EXTFRAG_SPANS, sizeof(*rows)));

	if (!rows)
		return;
	for (int i = 0; i < EXTFRAG_SPANS; i++) {
		rows[i].start_s = seconds * i;
		rows[i].seconds = seconds;
		rows[i].counts = rate->spans[i];
	}
	document_add_figure(in, "span_seconds", value_real(seconds, 9, 3), FOR_PROGRAMS);
	document_add_table(in,
			   &(struct document_table){
				   .id = "spans",
				   .columns = span_columns,
				   .nr_columns = sizeof(span_columns) / sizeof(span_columns[0]),
				   .rows = rows,
				   .row_size = sizeof(*rows),
				   .nr_rows = EXTFRAG_SPANS,
				   .rows_total = EXTFRAG_SPANS,
				   .context = c,
			   },
			   FOR_ALL);
}

static void add_timeline(struct document_section *in, const struct report_context *c)
{
	const struct extfrag *x = extfrag_of(c);
	const struct timeline_series series[EXTFRAG_SERIES] = {
		[EXTFRAG_FALLBACKS] = {"fallbacks", "Fallbacks", true},
		[EXTFRAG_FRAGMENTING] = {"fragmenting", "Fragmenting", order_known(c)},
		[EXTFRAG_OWNERSHIP] = {"ownership_changes", "Owner changed", x->has_ownership},
		[EXTFRAG_ALLOCATIONS] = {"page_allocations", "Page allocations",
					 x->page_allocations != 0},
	};

	timeline_part_add_counts(in, c, x->timeline, series, EXTFRAG_SERIES);
}

void extfrag_build(const void *state, const struct report_context *c, struct document_section *in)
{
	const struct extfrag *x = state;
	const struct extfrag_rate rate =
		extfrag_rate(x, c->span, c->length_ns, x->page_allocations);
	struct document_section *s =
		document_add_section(in, "extfrag", "EXTERNAL FRAGMENTATION", FOR_ALL);
	struct extfrag_kind *kinds;
	struct extfrag_caller *callers;

	if (!s)
		return;
	if (!x->has_events) {
		s->is_missing = true;
		document_add_note(s, "The recording holds no external fragmentation events ("
				     "record --extfrag makes them).");
		return;
	}
	kinds = findings_sorted(in->document, &x->kinds, by_kind);
	callers = findings_sorted(in->document, &x->callers, by_caller);
	if (document_failed(in->document))
		return;
	add_findings(s, c, &rate);
	add_summary(s, c, &rate);
	add_timeline(s, c);
	document_add_table(s,
			   &(struct document_table){
				   .id = "fallbacks",
				   .total_id = "fallbacks_total",
				   .columns = kind_columns,
				   .nr_columns = sizeof(kind_columns) / sizeof(kind_columns[0]),
				   .rows = kinds,
				   .row_size = sizeof(*kinds),
				   .nr_rows = x->kinds.nr < c->options->lines ? x->kinds.nr
									      : c->options->lines,
				   .rows_total = x->kinds.nr,
				   .context = c,
			   },
			   FOR_ALL);
	document_add_table(s,
			   &(struct document_table){
				   .id = "callers",
				   .total_id = "callers_total",
				   .columns = caller_columns,
				   .nr_columns = sizeof(caller_columns) / sizeof(caller_columns[0]),
				   .rows = callers,
				   .row_size = sizeof(*callers),
				   .nr_rows = x->callers.nr < c->options->lines ? x->callers.nr
										: c->options->lines,
				   .rows_total = x->callers.nr,
				   .context = c,
			   },
			   FOR_ALL);
	add_spans(s, c, &rate);
}
