// SPDX-License-Identifier: GPL-2.0-or-later
/* The text report of the per-CPU page lists: findings, then a row for each CPU and each freer. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "util/base/units.h"
#include "util/cli/wrap.h"
#include "util/report/internals.h"

/* From how much on a finding is one, percent. */
#define TURNOVER_PERCENT  50.0 /* refilled and drained again on one CPU */
#define BUSY_PER_SECOND	  1000 /* takings of the lock, for the turnover to matter */
#define IMBALANCE_PERCENT 20.0
#define IMBALANCE_PAGES	  10.0 /* pages drained for 100 refilled, or the reverse, at least */
#define SINGLE_PERCENT	  10.0 /* of the frees are not in batches */
#define CALLERS_NAMED	  3

static uint64_t single(const struct percpu_caller *c)
{
	return c->frees - c->batched;
}

static double mean(uint64_t pages, uint64_t takings)
{
	return takings ? (double)pages / (double)takings : 0;
}

static void say_lock(struct text_context *t, const struct percpu_cpu *total)
{
	uint64_t takings = total->refill_takings + total->drain_takings;
	char a[UNITS_BUF], b[UNITS_BUF];

	strbuf_addf(&t->line,
		    "In %.1f s zone->lock was taken %s times for the per-CPU lists (%.0f a "
		    "second): ",
		    internals_seconds(t->a), internals_number(t, a, takings),
		    (double)takings / internals_seconds(t->a));
	strbuf_addf(&t->line, "by refills %s, for %s pages (%.1f each), ",
		    internals_number(t, a, total->refill_takings),
		    internals_number(t, b, total->refill_pages),
		    mean(total->refill_pages, total->refill_takings));
	strbuf_addf(&t->line, "by drains %s, for %s pages (%.1f each).",
		    internals_number(t, a, total->drain_takings),
		    internals_number(t, b, total->drain_pages),
		    mean(total->drain_pages, total->drain_takings));
	if (total->direct)
		strbuf_addf(&t->line,
			    " %s allocations went past the lists to the buddy allocator, each "
			    "taking the lock.",
			    internals_number(t, a, total->direct));
}

static void say_turnover(struct text_context *t, const struct percpu_cpu *total)
{
	const struct table *cpus = &t->a->internals.percpu.cpus;
	uint64_t both = 0;
	double percent;

	for (uint32_t i = 0; i < cpus->nr; i++) {
		const struct percpu_cpu *c = table_row(cpus, i);

		both += c->refill_pages < c->drain_pages ? c->refill_pages : c->drain_pages;
	}
	percent = internals_percent(both, total->refill_pages);
	if (percent >= TURNOVER_PERCENT && (double)(total->refill_takings + total->drain_takings) >=
						   BUSY_PER_SECOND * internals_seconds(t->a))
		strbuf_addf(
			&t->line,
			"\nOf the pages refilled on a CPU %.0f %% were drained again on the same "
			"one: larger lists could take the lock less often (sysctl "
			"vm.percpu_pagelist_high_fraction).",
			percent);
}

/* The CPUs that refill, and that drain, the most beyond their part of the other. */
static void say_imbalance(struct text_context *t, const struct percpu_cpu *total)
{
	const struct percpu *p = &t->a->internals.percpu;
	const struct percpu_cpu *refiller = NULL, *drainer = NULL;
	double imbalance = percpu_imbalance_percent(p), most = 0, least = 0;

	if (imbalance < 0 || p->cpus.nr < 2 ||
	    internals_percent(total->drain_pages, total->refill_pages) < IMBALANCE_PAGES ||
	    internals_percent(total->refill_pages, total->drain_pages) < IMBALANCE_PAGES)
		return;
	if (imbalance < IMBALANCE_PERCENT) {
		strbuf_addf(&t->line,
			    "\nRefills and drains are spread alike over the CPUs (imbalance %.0f "
			    "%%): few "
			    "pages wander between them.",
			    imbalance);
		return;
	}
	for (uint32_t i = 0; i < p->cpus.nr; i++) {
		const struct percpu_cpu *c = table_row(&p->cpus, i);
		double more = internals_percent(c->refill_pages, total->refill_pages) -
			      internals_percent(c->drain_pages, total->drain_pages);

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
		&t->line,
		"\nCPU %" PRId64 " refilled %.0f %% of the pages and drained %.0f %%, CPU %" PRId64
		" refilled %.0f %% and drained %.0f %% (imbalance %.0f %%): pages are allocated on "
		"one CPU and freed on another, and their cache lines wander with them.",
		refiller->cpu, internals_percent(refiller->refill_pages, total->refill_pages),
		internals_percent(refiller->drain_pages, total->drain_pages), drainer->cpu,
		internals_percent(drainer->refill_pages, total->refill_pages),
		internals_percent(drainer->drain_pages, total->drain_pages), imbalance);
}

static void say_frees(struct text_context *t, const struct percpu_caller *callers, uint32_t nr)
{
	const struct percpu *p = &t->a->internals.percpu;
	uint64_t singles = p->frees - p->batched;
	char a[UNITS_BUF], b[UNITS_BUF];
	const char *before = "; most by ";

	if (!p->has_frees || !p->has_batched || !p->frees)
		return;
	strbuf_addf(&t->line, "\n%s of %s frees of pages (%.1f %%) were single, not in a batch",
		    internals_number(t, a, singles), internals_number(t, b, p->frees),
		    internals_percent(singles, p->frees));
	if (internals_percent(singles, p->frees) < SINGLE_PERCENT) {
		strbuf_addch(&t->line, '.');
		return;
	}
	for (uint32_t i = 0; i < nr && i < CALLERS_NAMED && single(&callers[i]); i++) {
		if (callers[i].callsite == CALLSITE_UNKNOWN)
			continue;
		strbuf_addstr(&t->line, before);
		internals_add_callsite(&t->line, t, callers[i].callsite, 0);
		strbuf_addf(&t->line, " (%s)", internals_number(t, a, single(&callers[i])));
		before = ", ";
	}
	strbuf_addstr(&t->line, ": could these free in batches?");
}

static void say_what_is_missing(struct text_context *t)
{
	const struct percpu *p = &t->a->internals.percpu;

	if (!p->has_refill_field)
		strbuf_addstr(
			&t->line,
			"\nThis kernel (before 5.19) does not tell refills from direct "
			"allocations: order 0 counts as a refill, as its own trace output has "
			"it.");
	if (!p->has_frees)
		strbuf_addstr(&t->line, "\nFrees were not recorded (perf kmem record --percpu).");
	else if (!p->has_batched)
		strbuf_addstr(
			&t->line,
			"\nBatches of frees were not recorded (perf kmem record --percpu): all "
			"look single.");
	else if (!t->a->internals.frees_have_chain)
		strbuf_addstr(&t->line,
			      "\nFrees were recorded without callchains: their callers are "
			      "unknown (perf kmem record --percpu).");
}

#define CPU_ROW_RULE                                                                               \
	"----  ---------  -------  -----  ---------  -------  -----  -------  ---------\n"

static void print_cpu(struct text_context *t, const char *name, const struct percpu_cpu *c)
{
	char n[7][UNITS_BUF], balance[UNITS_BUF + 1];
	bool negative = c->refill_pages < c->drain_pages;

	balance[0] = negative ? '-' : '+';
	internals_number(t, balance + 1,
			 negative ? c->drain_pages - c->refill_pages
				  : c->refill_pages - c->drain_pages);
	fprintf(t->out, "%4s  %9s  %7s  %5.1f  %9s  %7s  %5.1f  %7s  %9s\n", name,
		internals_number(t, n[0], c->refill_pages),
		internals_number(t, n[1], c->refill_takings),
		mean(c->refill_pages, c->refill_takings), internals_number(t, n[2], c->drain_pages),
		internals_number(t, n[3], c->drain_takings), mean(c->drain_pages, c->drain_takings),
		internals_number(t, n[4], c->direct),
		c->refill_pages == c->drain_pages ? "0" : balance);
}

static void print_cpus(struct text_context *t, const struct percpu_cpu *cpus, uint32_t nr,
		       const struct percpu_cpu *total)
{
	fputs("\n            Refills: zone->lock            Drains: zone->lock    Direct  "
	      "Refilled\n"
	      " CPU      pages    taken   each      pages    taken   each   allocs  - drained\n",
	      t->out);
	fputs(CPU_ROW_RULE, t->out);
	for (uint32_t i = 0; i < nr; i++) {
		char name[24];

		snprintf(name, sizeof(name), "%" PRId64, cpus[i].cpu);
		print_cpu(t, cpus[i].cpu < 0 ? "?" : name, &cpus[i]);
	}
	fputs(CPU_ROW_RULE, t->out);
	print_cpu(t, "all", total);
}

static void print_callers(struct text_context *t, const struct percpu_caller *callers, uint32_t nr)
{
	char n[3][UNITS_BUF];

	fprintf(t->out,
		"\n%-36s  %9s  %9s  %9s  %7s\n"
		"------------------------------------  ---------  ---------  ---------  -------\n",
		"Pages freed by", "Frees", "Single", "Batched", "Single");
	for (uint32_t i = 0; i < nr && i < t->o->lines; i++) {
		const struct percpu_caller *c = &callers[i];

		strbuf_reset(&t->line);
		internals_add_callsite(&t->line, t, c->callsite, 36);
		fprintf(t->out, "%-36s  %9s  %9s  %9s  %5.1f %%\n", t->line.buf,
			internals_number(t, n[0], c->frees), internals_number(t, n[1], single(c)),
			internals_number(t, n[2], c->batched),
			internals_percent(single(c), c->frees));
	}
	if (nr > t->o->lines)
		fputs("...\n", t->out);
}

int text_percpu_print(struct text_context *t)
{
	const struct percpu *p = &t->a->internals.percpu;
	const struct percpu_cpu total = percpu_total(p);
	struct percpu_cpu *cpus;
	struct percpu_caller *callers;
	int ret = 0;

	if (!p->has_lists) {
		fputs("\nThe recording holds no per-CPU list events (perf kmem record --percpu "
		      "makes them).\n",
		      t->out);
		return 0;
	}
	cpus = internals_cpus(p);
	callers = internals_freers(p);
	if ((p->cpus.nr && !cpus) || (p->callers.nr && !callers)) {
		ret = -ENOMEM;
	} else {
		fputs("\nPER-CPU PAGE LISTS\n==================\n", t->out);
		strbuf_reset(&t->line);
		say_lock(t, &total);
		say_turnover(t, &total);
		say_imbalance(t, &total);
		say_frees(t, callers, p->callers.nr);
		say_what_is_missing(t);
		wrap_text(t->out, t->line.buf, 0, 0, INTERNALS_COLUMNS);
		print_cpus(t, cpus, p->cpus.nr, &total);
		if (callers)
			print_callers(t, callers, p->callers.nr);
	}
	free(cpus);
	free(callers);
	return ret;
}
