// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "util/report/cell.h"
#include "util/report/diff.h"

/* What the columns of figures take of a row. */
#define FIGURES_WIDTH 78
#define NAMES_WIDTH   60
#define NAMES_MIN     12

struct diff_text {
	FILE *out;
	const struct diff *d;
	const struct report_options *o;
	struct strbuf sb;
};

/* A figure with its sign when it is a change; rates are rounded to whole numbers. */
static const char *figure(struct diff_text *t, double v, bool bytes, bool is_change)
{
	uint64_t n = (uint64_t)(fabs(v) + 0.5);

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
	cell_add_bytes(&a, &human, (uint64_t)(old + 0.5));
	cell_add_bytes(&b, &human, (uint64_t)(new + 0.5));
	fprintf(t->out, "%s: %s%s before, %s%s now", what, a.buf, unit, b.buf, unit);
	if (old > 0)
		fprintf(t->out, " (%+.1f%%)", 100 * (new - old) / old);
	fputs(".\n", t->out);
	strbuf_deinit(&a);
	strbuf_deinit(&b);
}

static void print_summary(struct diff_text *t)
{
	const struct diff *d = t->d;
	const struct kmem_analysis *const *side = d->side;
	double by[DIFF_SIDES];

	for (int i = 0; i < DIFF_SIDES; i++)
		by[i] = d->per_second && d->seconds[i] > 0 ? d->seconds[i] : 1;
	if (side[DIFF_OLD]->do_slab)
		print_total(t, "Slab bytes allocated",
			    (double)side[DIFF_OLD]->slab.summary.bytes_allocated / by[DIFF_OLD],
			    (double)side[DIFF_NEW]->slab.summary.bytes_allocated / by[DIFF_NEW]);
	if (side[DIFF_OLD]->do_page)
		print_total(t, "Page bytes allocated",
			    (double)side[DIFF_OLD]->page.summary.alloc_bytes / by[DIFF_OLD],
			    (double)side[DIFF_NEW]->page.summary.alloc_bytes / by[DIFF_NEW]);
	fprintf(t->out, "The recordings cover %.1f and %.1f seconds.\n", d->seconds[DIFF_OLD],
		d->seconds[DIFF_NEW]);
	for (int i = 0; i < DIFF_SIDES; i++)
		if (recording_lost(side[i]->recording))
			fprintf(t->out,
				"'%s' lost %.1f%% of its events: its figures are too low by about "
				"as much.\n",
				side[i]->recording->path,
				recording_lost_percent(side[i]->recording));
	if (!d->same_kernel)
		fputs("The recordings are of different kernels: call sites are compared by "
		      "function.\n",
		      t->out);
}

static void add_name(const struct diff_text *t, struct strbuf *sb, const struct diff_table *table,
		     const struct diff_row *r)
{
	strbuf_reset(sb);
	for (unsigned int i = 0; i < table->nr_by; i++) {
		if (i)
			strbuf_addstr(sb, ", ");
		strbuf_addstr(sb, diff_row_key(t->d, r, i));
	}
}

static int name_width(struct diff_text *t, const struct diff_table *table, uint64_t lines)
{
	int room = t->o->columns ? t->o->columns - FIGURES_WIDTH : NAMES_WIDTH, width = NAMES_MIN;

	for (size_t i = 0; i < table->nr && i < lines; i++) {
		add_name(t, &t->sb, table, &table->v[i]);
		if ((int)t->sb.len > width)
			width = (int)t->sb.len;
	}
	return room < NAMES_MIN ? NAMES_MIN : width > room ? room : width;
}

static void print_row(struct diff_text *t, const struct diff_table *table, const struct diff_row *r,
		      int width)
{
	const struct diff_figures *old = &r->side[DIFF_OLD], *new = &r->side[DIFF_NEW];

	add_name(t, &t->sb, table, r);
	if ((int)t->sb.len > width)
		fprintf(t->out, " %.*s~", width - 1, t->sb.buf);
	else
		fprintf(t->out, " %-*s", width, t->sb.buf);
	fprintf(t->out, " | %12s", figure(t, old->bytes, true, false));
	fprintf(t->out, " | %12s", figure(t, new->bytes, true, false));
	fprintf(t->out, " | %13s", figure(t, new->bytes - old->bytes, true, true));
	fprintf(t->out, " | %10s", figure(t, new->hits - old->hits, false, true));
	fprintf(t->out, " | %12s\n", figure(t, new->live_bytes - old->live_bytes, true, true));
}

static void print_table(struct diff_text *t, const struct diff_table *table, uint64_t lines)
{
	int width = name_width(t, table, lines);

	strbuf_reset(&t->sb);
	for (unsigned int i = 0; i < table->nr_by; i++)
		strbuf_addf(&t->sb, "%s%s", i ? ", " : "", column_of_key(table->by[i])->heading);
	fprintf(t->out, "\n %-*.*s | %12s | %12s | %13s | %10s | %12s\n", width, width, t->sb.buf,
		"Old bytes", "New bytes", "Change", "Hits", "Live bytes");
	for (size_t i = 0; i < table->nr && i < lines; i++)
		print_row(t, table, &table->v[i], width);
	if (table->nr > lines)
		fprintf(t->out, " ... %s more\n",
			figure(t, (double)(table->nr - lines), false, false));
}

int diff_report_text(FILE *out, const struct diff *d, const struct report_options *o,
		     uint64_t lines)
{
	struct diff_text t = {.out = out, .d = d, .o = o, .sb = STRBUF_INIT};

	print_summary(&t);
	for (size_t i = 0; i < d->nr_tables; i++)
		print_table(&t, &d->tables[i], lines);
	strbuf_deinit(&t.sb);
	return 0;
}
