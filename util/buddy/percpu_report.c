// SPDX-License-Identifier: GPL-2.0-or-later
/* --percpu: activity of the per-CPU page lists. Findings, then a row for each CPU and each freeing
 * call site. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "util/buddy/percpu.h"
#include "util/base/units.h"
#include "util/report/findings.h"
#include "util/report/timeline_part.h"

static const struct percpu *percpu_of(const struct report_context *c)
{
	return c->accounts->v[ACCOUNT_percpu].state;
}

/* Thresholds of findings, in percent. */
#define TURNOVER_PERCENT  50.0 /* refilled and drained again on one CPU */
#define BUSY_PER_SECOND	  1000 /* minimum number of lock acquisitions for a finding on turnover */
#define IMBALANCE_PERCENT 20.0
#define IMBALANCE_PAGES	  10.0 /* minimum pages drained per 100 refilled, or the reverse */
#define SINGLE_PERCENT	  10.0 /* frees without batches */
#define CALLERS_NAMED	  3

static uint64_t single(const struct percpu_caller *c)
{
	return c->frees - c->batched;
}

static double mean(uint64_t pages, uint64_t takings)
{
	return takings ? (double)pages / (double)takings : 0;
}

static void say_lock(struct findings *f, const struct percpu_cpu *total)
{
	uint64_t takings = total->refill_takings + total->drain_takings;
	char a[UNITS_BUF], b[UNITS_BUF];

	strbuf_addf(&f->text,
		    "In %.1f s zone->lock was taken %s times for the per-CPU lists (%.0f a "
		    "second): ",
		    findings_seconds(f->c), findings_number(f, a, takings),
		    (double)takings / findings_seconds(f->c));
	strbuf_addf(&f->text, "by refills %s, for %s pages (%.1f each), ",
		    findings_number(f, a, total->refill_takings),
		    findings_number(f, b, total->refill_pages),
		    mean(total->refill_pages, total->refill_takings));
	strbuf_addf(&f->text, "by drains %s, for %s pages (%.1f each).",
		    findings_number(f, a, total->drain_takings),
		    findings_number(f, b, total->drain_pages),
		    mean(total->drain_pages, total->drain_takings));
	if (total->direct)
		strbuf_addf(&f->text,
			    " %s allocations went past the lists to the buddy allocator, each "
			    "taking the lock.",
			    findings_number(f, a, total->direct));
}

static void say_turnover(struct findings *f, const struct percpu_cpu *total)
{
	const struct table *cpus = &percpu_of(f->c)->cpus;
	uint64_t both = 0;
	double percent;

	for (uint32_t i = 0; i < cpus->nr; i++) {
		const struct percpu_cpu *c = table_row(cpus, i);

		both += c->refill_pages < c->drain_pages ? c->refill_pages : c->drain_pages;
	}
	percent = findings_percent(both, total->refill_pages);
	if (percent >= TURNOVER_PERCENT && (double)(total->refill_takings + total->drain_takings) >=
						   BUSY_PER_SECOND * findings_seconds(f->c))
		strbuf_addf(
			&f->text,
			"\nOf the pages refilled on a CPU %.0f %% were drained again on the same "
			"one: larger lists could take the lock less often (sysctl "
			"vm.percpu_pagelist_high_fraction).",
			percent);
}

/* Names the CPUs whose share of refills exceeds that of drains the most, and the reverse. */
static void say_imbalance(struct findings *f, const struct percpu_cpu *total)
{
	const struct percpu *p = percpu_of(f->c);
	const struct percpu_cpu *refiller = NULL, *drainer = NULL;
	double imbalance = percpu_imbalance_percent(p), most = 0, least = 0;

	if (imbalance < 0 || p->cpus.nr < 2 ||
	    findings_percent(total->drain_pages, total->refill_pages) < IMBALANCE_PAGES ||
	    findings_percent(total->refill_pages, total->drain_pages) < IMBALANCE_PAGES)
		return;
	if (imbalance < IMBALANCE_PERCENT) {
		strbuf_addf(&f->text,
			    "\nRefills and drains are spread alike over the CPUs (imbalance %.0f "
			    "%%): few "
			    "pages wander between them.",
			    imbalance);
		return;
	}
	for (uint32_t i = 0; i < p->cpus.nr; i++) {
		const struct percpu_cpu *c = table_row(&p->cpus, i);
		double more = findings_percent(c->refill_pages, total->refill_pages) -
			      findings_percent(c->drain_pages, total->drain_pages);

		if (more > most) {
			most = more;
			refiller = c;
		}
		if (more < least) {
			least = more;
			drainer = c;
		}
	}
	if (!refiller || !drainer)
		return;
	strbuf_addf(
		&f->text,
		"\nCPU %" PRId64 " refilled %.0f %% of the pages and drained %.0f %%, CPU %" PRId64
		" refilled %.0f %% and drained %.0f %% (imbalance %.0f %%): pages are allocated on "
		"one CPU and freed on another, and their cache lines wander with them.",
		refiller->cpu, findings_percent(refiller->refill_pages, total->refill_pages),
		findings_percent(refiller->drain_pages, total->drain_pages), drainer->cpu,
		findings_percent(drainer->refill_pages, total->refill_pages),
		findings_percent(drainer->drain_pages, total->drain_pages), imbalance);
}

static void say_frees(struct findings *f, const struct percpu_caller *callers, uint32_t nr)
{
	const struct percpu *p = percpu_of(f->c);
	uint64_t singles = p->frees - p->batched;
	char a[UNITS_BUF], b[UNITS_BUF];
	const char *before = "; most by ";

	if (!p->has_frees || !p->has_batched || !p->frees)
		return;
	strbuf_addf(&f->text, "\n%s of %s frees of pages",
		    singles ? findings_number(f, a, singles) : "None",
		    findings_number(f, b, p->frees));
	findings_add_share(f, singles, p->frees, "");
	strbuf_addstr(&f->text, " were single, not in a batch");
	if (findings_percent(singles, p->frees) < SINGLE_PERCENT) {
		strbuf_addch(&f->text, '.');
		return;
	}
	for (uint32_t i = 0; i < nr && i < CALLERS_NAMED && single(&callers[i]); i++) {
		if (callers[i].callsite == CALLSITE_UNKNOWN)
			continue;
		strbuf_addstr(&f->text, before);
		findings_add_callsite(f, callers[i].callsite);
		strbuf_addf(&f->text, " (%s)", findings_number(f, a, single(&callers[i])));
		before = ", ";
	}
	strbuf_addstr(&f->text, ": could these free in batches?");
}

static void say_what_is_missing(struct findings *f)
{
	const struct percpu *p = percpu_of(f->c);

	if (!p->has_refill_field)
		strbuf_addstr(
			&f->text,
			"\nThis kernel (before 5.19) does not distinguish refills from direct "
			"allocations: order 0 counts as a refill, as in its own trace output.");
	if (!p->has_frees)
		strbuf_addstr(&f->text, "\nFrees were not recorded (record --percpu).");
	else if (!p->has_batched)
		strbuf_addstr(&f->text,
			      "\nBatches of frees were not recorded (record --percpu): all "
			      "look single.");
	else if (!percpu_of(f->c)->has_chain)
		strbuf_addstr(&f->text,
			      "\nFrees were recorded without callchains: their callers are "
			      "unknown (record --percpu).");
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

static int by_cpu(const void *x, const void *y)
{
	const struct percpu_cpu *a = x, *b = y;

	return compare_i64(a->cpu, b->cpu);
}

static int by_single(const void *x, const void *y)
{
	const struct percpu_caller *a = x, *b = y;
	int ret = compare_u64(b->frees - b->batched, a->frees - a->batched);

	if (!ret)
		ret = compare_u64(b->frees, a->frees);
	return ret ? ret : compare_u64(a->callsite, b->callsite);
}

struct cpu_row {
	struct percpu_cpu lists; /* first, because columns keep a pointer to its lists */
	double refill_share, drain_share;
};

#define CPU_FN(name, expression) COLUMN_FN(name, struct percpu_cpu, expression)

static struct value mean_of(uint64_t pages, uint64_t takings)
{
	return value_real(mean(pages, takings), 3, 1);
}

static struct value cpu_number(const struct document_cell *cell)
{
	const struct percpu_cpu *r = cell->row;
	struct value v = value_i64(r->cpu);

	if (r->cpu < 0)
		v.shown = "?";
	return v;
}

CPU_FN(refills, value_u64(r->refills))
CPU_FN(refill_pages, value_u64(r->refill_pages))
CPU_FN(refill_takings, value_u64(r->refill_takings))
CPU_FN(refill_batch, mean_of(r->refill_pages, r->refill_takings))
CPU_FN(drains, value_u64(r->drains))
CPU_FN(drain_pages, value_u64(r->drain_pages))
CPU_FN(drain_takings, value_u64(r->drain_takings))
CPU_FN(drain_batch, mean_of(r->drain_pages, r->drain_takings))
CPU_FN(takings, value_u64(r->refill_takings + r->drain_takings))
CPU_FN(direct, value_u64(r->direct))
CPU_FN(direct_pages, value_u64(r->direct_pages))
CPU_FN(balance, value_change((int64_t)(r->refill_pages - r->drain_pages)))
COLUMN_FN(refill_share, struct cpu_row, value_percent(r->refill_share, 3, 1))
COLUMN_FN(drain_share, struct cpu_row, value_percent(r->drain_share, 3, 1))

static const struct document_column cpu_columns[] = {
	{"cpu", "CPU", 4, false, cpu_number},
	/* from here to the shares, columns are also figures of all CPUs */
	{"refills", NULL, 0, false, refills},
	{"refill_pages", "pages", 9, false, refill_pages},
	{"refill_lock_takings", "taken", 7, false, refill_takings},
	{"refill_batch_pages", "Refills: zone->lock\neach", 5, false, refill_batch},
	{"drains", NULL, 0, false, drains},
	{"drain_pages", "pages", 9, false, drain_pages},
	{"drain_lock_takings", "taken", 7, false, drain_takings},
	{"drain_batch_pages", "Drains: zone->lock\neach", 5, false, drain_batch},
	{"lock_takings", NULL, 0, false, takings},
	{"direct_allocations", "Direct\nallocs", 7, false, direct},
	{"direct_pages", NULL, 0, false, direct_pages},
	{"refilled_minus_drained_pages", "Refilled\n- drained", 9, false, balance},
	{"refill_share_percent", NULL, 0, false, refill_share},
	{"drain_share_percent", NULL, 0, false, drain_share},
};

#define NR_CPU_COLUMNS (sizeof(cpu_columns) / sizeof(cpu_columns[0]))
#define NR_SHARES      2

#define CALLER_FN(name, expression) COLUMN_FN(name, struct percpu_caller, expression)

CALLER_FN(caller, findings_callsite(c, r->callsite))
CALLER_FN(frees, value_u64(r->frees))
CALLER_FN(pages, value_u64(r->pages))
CALLER_FN(batched, value_u64_if(percpu_of(c)->has_batched, r->batched))
CALLER_FN(singles, value_u64_if(percpu_of(c)->has_batched, single(r)))
CALLER_FN(singles_shown, value_u64(single(r)))
CALLER_FN(batched_shown, value_u64(r->batched))
CALLER_FN(single_percent, value_percent(findings_percent(single(r), r->frees), 3, 1))

static const struct document_column caller_columns[] = {
	{"callsite", "Pages freed by", 36, true, caller},
	{"frees", "Frees", 9, false, frees},
	{NULL, "Single", 9, false, singles_shown},
	{NULL, "Batched", 9, false, batched_shown},
	{NULL, "Single %", 8, false, single_percent},
	{"pages", NULL, 0, false, pages},
	{"batched", NULL, 0, false, batched},
	{"single", NULL, 0, false, singles},
};

/* Makes a row for each CPU, followed by one for all. Returns NULL if out of memory. */
static struct cpu_row *cpu_rows(struct document *d, const struct percpu *p,
				const struct percpu_cpu *total)
{
	struct percpu_cpu *cpus = findings_sorted(d, &p->cpus, by_cpu);
	struct cpu_row *rows = document_own(d, calloc(p->cpus.nr + 1u, sizeof(*rows)));

	if (document_failed(d))
		return NULL;
	for (uint32_t i = 0; i < p->cpus.nr; i++)
		rows[i] = (struct cpu_row){
			cpus[i],
			findings_percent(cpus[i].refill_pages, total->refill_pages),
			findings_percent(cpus[i].drain_pages, total->drain_pages),
		};
	rows[p->cpus.nr].lists = *total;
	return rows;
}

static void add_summary(struct document_section *in, const struct report_context *c,
			const struct percpu_cpu *total)
{
	const struct percpu *p = percpu_of(c);
	struct document_section *s = document_add_section(in, "summary", NULL, FOR_PROGRAMS);
	double imbalance = percpu_imbalance_percent(p);
	bool known = p->has_frees && p->has_batched;
	const struct document_value figures[] = {
		{"lock_takings_per_second",
		 value_real((double)(total->refill_takings + total->drain_takings) /
				    findings_seconds(c),
			    3, 1)},
		{"imbalance_percent",
		 imbalance >= 0 ? value_percent(imbalance, 3, 1) : value_none()},
		{"frees", value_u64_if(p->has_frees, p->frees)},
		{"freed_pages", value_u64_if(p->has_frees, p->free_pages)},
		{"frees_batched", value_u64_if(known, p->batched)},
		{"frees_single", value_u64_if(known, p->frees - p->batched)},
		{"batched_without_free", value_u64_if(p->has_batched, p->batched_alone)},
	};

	findings_add_time(s, c);
	document_add_figure(s, "has_percpu_refill", value_bool(p->has_refill_field), FOR_PROGRAMS);
	document_add_figures(s, cpu_columns + 1, NR_CPU_COLUMNS - 1 - NR_SHARES, total, c);
	document_add_values(s, figures, sizeof(figures) / sizeof(figures[0]));
}

static void add_findings(struct document_section *in, const struct report_context *c,
			 const struct percpu_cpu *total, const struct percpu_caller *callers)
{
	struct findings f = {.c = c, .text = STRBUF_INIT};

	say_lock(&f, total);
	say_turnover(&f, total);
	say_imbalance(&f, total);
	say_frees(&f, callers, percpu_of(c)->callers.nr);
	say_what_is_missing(&f);
	findings_finish(&f, in);
}

static void add_timeline(struct document_section *in, const struct report_context *c)
{
	const struct percpu *p = percpu_of(c);
	const struct timeline_series series[PERCPU_SERIES] = {
		[PERCPU_TAKINGS] = {"lock_takings", "zone->lock taken", true},
		[PERCPU_REFILLED] = {"refill_pages", "Pages refilled", true},
		[PERCPU_DRAINED] = {"drain_pages", "Pages drained", true},
		[PERCPU_DIRECT] = {"direct_allocations", "Direct allocations", true},
		[PERCPU_FREES] = {"frees", "Frees", p->has_frees},
	};

	timeline_part_add_counts(in, c, p->timeline, series, PERCPU_SERIES);
}

void percpu_build(const void *state, const struct report_context *c, struct document_section *in)
{
	const struct percpu *p = state;
	struct document_section *s =
		document_add_section(in, "percpu", "PER-CPU PAGE LISTS", FOR_ALL);
	struct percpu_cpu total = percpu_total(p);
	struct cpu_row *cpus;
	struct percpu_caller *callers;

	if (!s)
		return;
	if (!p->has_lists) {
		s->is_missing = true;
		document_add_note(s, "The recording holds no per-CPU list events (record "
				     "--percpu makes them).");
		return;
	}
	cpus = cpu_rows(in->document, p, &total);
	callers = findings_sorted(in->document, &p->callers, by_single);
	if (document_failed(in->document))
		return;
	add_findings(s, c, &total, callers);
	add_summary(s, c, &total);
	add_timeline(s, c);
	document_add_table(s,
			   &(struct document_table){
				   .id = "cpus",
				   .columns = cpu_columns,
				   .nr_columns = NR_CPU_COLUMNS,
				   .rows = cpus,
				   .row_size = sizeof(*cpus),
				   .nr_rows = p->cpus.nr,
				   .rows_total = p->cpus.nr,
				   .sum = &cpus[p->cpus.nr],
				   .sum_name = "all",
				   .context = c,
			   },
			   FOR_ALL);
	document_add_table(s,
			   &(struct document_table){
				   .id = "free_callers",
				   .total_id = "free_callers_total",
				   .columns = caller_columns,
				   .nr_columns = sizeof(caller_columns) / sizeof(caller_columns[0]),
				   .rows = callers,
				   .row_size = sizeof(*callers),
				   .nr_rows = p->callers.nr < c->options->lines ? p->callers.nr
										: c->options->lines,
				   .rows_total = p->callers.nr,
				   .context = c,
			   },
			   FOR_ALL);
}
