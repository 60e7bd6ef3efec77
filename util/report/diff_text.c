// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <string.h>

#include "util/base/printable.h"
#include "util/base/units.h"
#include "util/report/cell.h"
#include "util/report/diff.h"
#include "util/report/text_columns.h"
#include "util/report/text_header.h"

struct diff_text {
	FILE *out;
	const struct diff *d;
	const struct report_options *o;
	struct strbuf sb;
};

/* A figure with its sign when it is a change; rates are rounded to whole numbers. */
static const char *figure(struct diff_text *t, double v, bool bytes, bool is_change)
{
	uint64_t n = units_round(fabs(v));

	strbuf_reset(&t->sb);
	if (is_change && n)
		strbuf_addch(&t->sb, v < 0 ? '-' : '+');
	if (bytes)
		cell_add_bytes(&t->sb, t->o, n);
	else
		cell_add_grouped(&t->sb, t->o, n);
	return t->sb.buf;
}

static void print_total(struct diff_text *t, const char *what, double old, double new)
{
	const char *unit = t->d->per_second ? " a second" : "";
	struct report_options human = *t->o;
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;

	human.human = true;
	cell_add_bytes(&a, &human, units_round(old));
	cell_add_bytes(&b, &human, units_round(new));
	fprintf(t->out, "%s: %s%s before, %s%s now", what, a.buf, unit, b.buf, unit);
	if (old > 0)
		fprintf(t->out, " (%+.1f%%)", 100 * (new - old) / old);
	fputs(".\n", t->out);
	t->sb.failed |= a.failed || b.failed;
	strbuf_deinit(&a);
	strbuf_deinit(&b);
}

static void print_summary(struct diff_text *t)
{
	const struct diff *d = t->d;
	const struct kmem_analysis *const *side = d->side;
	char far[SOURCE_STOP_BUF];
	double by[DIFF_SIDES];

	for (int i = 0; i < DIFF_SIDES; i++)
		by[i] = d->per_second && d->seconds[i] > 0 ? d->seconds[i] : 1;
	if (side[DIFF_OLD]->accounts.slab)
		print_total(t, "Slab bytes allocated",
			    (double)side[DIFF_OLD]->accounts.slab->summary.bytes_allocated /
				    by[DIFF_OLD],
			    (double)side[DIFF_NEW]->accounts.slab->summary.bytes_allocated /
				    by[DIFF_NEW]);
	if (side[DIFF_OLD]->accounts.page)
		print_total(
			t, "Page bytes allocated",
			(double)side[DIFF_OLD]->accounts.page->summary.alloc_bytes / by[DIFF_OLD],
			(double)side[DIFF_NEW]->accounts.page->summary.alloc_bytes / by[DIFF_NEW]);
	fprintf(t->out, "The recordings cover %.1f and %.1f seconds.\n", d->seconds[DIFF_OLD],
		d->seconds[DIFF_NEW]);
	for (int i = 0; i < DIFF_SIDES; i++)
		if (side[i]->recording->stop.stopped)
			fprintf(t->out, "Partial: reading '%s' was stopped at %s.\n",
				side[i]->recording->path,
				source_facts_stop_text(side[i]->recording, far, sizeof(far)));
	for (int i = 0; i < DIFF_SIDES; i++)
		if (side[i]->recording->nr_lost)
			fprintf(t->out,
				"'%s' lost %.1f%% of its events: its figures are too low by about "
				"as much.\n",
				side[i]->recording->path,
				source_facts_lost_percent(side[i]->recording));
	if (!d->same_kernel)
		fputs("The recordings are of different kernels: call sites and callchains are "
		      "compared by function.\n",
		      t->out);
	if (d->nr_nameless)
		fprintf(t->out,
			"%s rows are of addresses without a name, which mean nothing at another "
			"boot: name the\nkernels' symbols with --kallsyms OLD --kallsyms NEW.\n",
			figure(t, (double)d->nr_nameless, false, false));
}

/* The columns behind the keys. */
enum { FIG_OLD, FIG_NEW, FIG_CHANGE, FIG_HITS, FIG_LIVE, FIG_NR };

static const char *const headings[2][FIG_NR] = {
	{"Old bytes", "New bytes", "Change", "Hits", "Live bytes"},
	{"Old bytes/s", "New bytes/s", "Change/s", "Hits/s", "Live bytes"},
};

static const char *figure_cell(struct diff_text *t, const struct diff_row *r, unsigned int cell)
{
	const struct diff_figures *old = &r->side[DIFF_OLD], *new = &r->side[DIFF_NEW];

	switch (cell) {
	case FIG_OLD:
		return figure(t, old->bytes, true, false);
	case FIG_NEW:
		return figure(t, new->bytes, true, false);
	case FIG_CHANGE:
		return figure(t, new->bytes - old->bytes, true, true);
	case FIG_HITS:
		return figure(t, new->hits - old->hits, false, true);
	default:
		return figure(t, new->live_bytes - old->live_bytes, true, true);
	}
}

static void for_each_cell(struct diff_text *t, struct text_grid *g, const struct diff_table *table,
			  const struct diff_row *r,
			  void (*fn)(struct text_grid *g, unsigned int i, const char *text))
{
	for (unsigned int i = 0; i < table->nr_by; i++) {
		strbuf_reset(&t->sb);
		strbuf_addstr(&t->sb, diff_row_key(t->d, r, i));
		printable_strbuf(&t->sb, 0);
		fn(g, i, t->sb.buf);
	}
	for (unsigned int i = 0; i < FIG_NR; i++)
		fn(g, table->nr_by + i, figure_cell(t, r, i));
}

static void print_cell(struct text_grid *g, unsigned int i, const char *text)
{
	text_grid_cell(g, i, text);
}

static void print_table(struct diff_text *t, const struct diff_table *table, uint64_t lines)
{
	struct text_grid g;

	text_grid_init(&g, t->out, t->o->columns);
	for (unsigned int i = 0; i < table->nr_by; i++)
		text_grid_add(&g, column_of_key(table->by[i])->heading,
			      text_name_cut(table->by[i]));
	for (unsigned int i = 0; i < FIG_NR; i++)
		text_grid_add(&g, headings[t->d->per_second][i], 0);
	for (size_t i = 0; i < table->nr && i < lines; i++)
		for_each_cell(t, &g, table, &table->v[i], text_grid_measure);
	text_grid_fit(&g);
	fputc('\n', t->out);
	text_grid_headings(&g);
	text_grid_rule(&g);
	for (size_t i = 0; i < table->nr && i < lines; i++)
		for_each_cell(t, &g, table, &table->v[i], print_cell);
	if (table->nr > lines)
		fprintf(t->out, " ... %s more\n",
			figure(t, (double)(table->nr - lines), false, false));
	t->sb.failed |= text_grid_end(&g) != 0;
}

int diff_report_text(FILE *out, const struct diff *d, const struct report_options *o,
		     uint64_t lines)
{
	struct diff_text t = {.out = out, .d = d, .o = o, .sb = STRBUF_INIT};
	int ret = 0;

	if (o->header) {
		ret |= text_header_print_short(out, "Before:", d->side[DIFF_OLD], o);
		ret |= text_header_print_short(out, "Now:", d->side[DIFF_NEW], o);
		fputc('\n', out);
	}
	print_summary(&t);
	for (size_t i = 0; i < d->nr_tables; i++)
		print_table(&t, &d->tables[i], lines);
	ret |= t.sb.failed ? -ENOMEM : 0;
	strbuf_deinit(&t.sb);
	return ret;
}
