// SPDX-License-Identifier: GPL-2.0-or-later
/* LOOK_GRID and LOOK_FRAMED: columns of a text_grid, and lines below a row. */
#include "util/base/units.h"
#include "util/render/text_grid.h"
#include "util/render/render_text.h"
#include "util/render/value_text.h"

#define BELOW_INDENT 5

/* The columns of a table that text shows. */
struct shown {
	const struct document_column *columns[TEXT_GRID_MAX]; /* in the same order as in the grid */
	const struct document_column *below[TEXT_GRID_MAX];
	unsigned int nr, nr_below;
};

static void choose(struct shown *s, struct text_grid *g, const struct text_writer *w,
		   const struct document_table *t)
{
	for (size_t i = 0; i < t->nr_columns; i++) {
		const struct document_column *c = &t->columns[i];

		if (!(document_column_audience(c) & FOR_PEOPLE))
			continue;
		if (c->below && s->nr_below < TEXT_GRID_MAX) {
			s->below[s->nr_below++] = c;
		} else if (!c->below && s->nr < TEXT_GRID_MAX) {
			s->columns[s->nr++] = c;
			text_grid_add(
				g, &(struct text_grid_column){.heading = c->heading,
							      .mark = sort_mark(w->options, t, c),
							      .is_key = c->is_key,
							      .is_name = c->is_name,
							      .cut = c->cut,
							      .readable = c->width,
							      .shortest = c->shortest,
							      .keep = c->keep});
		}
	}
}

static void print_stack(struct text_writer *w, const struct text_grid *g,
			const struct value_stack *stack)
{
	for (size_t i = 0; i < stack->nr; i++) {
		const struct value_callsite c = stack->name(stack->naming, stack->frames[i]);

		strbuf_reset(&w->cell);
		value_add_callsite(&w->cell, &c, w->options->raw_ip);
		text_grid_line(g, BELOW_INDENT, w->cell.buf);
	}
	if (!stack->nr)
		text_grid_line(g, BELOW_INDENT, "(no callchain)");
}

static void print_below(struct text_writer *w, const struct text_grid *g,
			const struct document_table *t, const struct document_column *c,
			const void *row)
{
	struct value v = document_table_value(t, c, row, &w->scratch);

	if (v.kind == VALUE_STACK) {
		print_stack(w, g, &v.stack);
	} else if (v.kind != VALUE_NONE && v.kind != VALUE_ABSENT) {
		strbuf_reset(&w->cell);
		value_add_text(&w->cell, w->options, &v);
		text_grid_line(g, BELOW_INDENT, w->cell.buf);
	}
}

static void print_more(struct text_writer *w, const struct text_grid *g,
		       const struct document_table *t)
{
	char digits[UNITS_BUF];

	if (t->nr_rows >= t->rows_total)
		return;
	strbuf_reset(&w->cell);
	strbuf_addf(&w->cell, "... %s more",
		    units_group(digits, sizeof(digits), t->rows_total - t->nr_rows,
				w->options->thousands_sep));
	text_grid_line(g, 1, w->cell.buf);
}

static void print_rows(struct text_writer *w, const struct text_grid *g, const struct shown *s,
		       const struct document_table *t)
{
	static const enum text_style styles[] = {
		[ROLE_PLAIN] = TEXT_NORMAL,
		[ROLE_ALARM] = TEXT_ALARM,
		[ROLE_CAUTION] = TEXT_CAUTION,
	};
	struct document_row_buf buf;

	for (uint64_t n = 0; n < t->nr_rows; n++) {
		const void *row = document_table_row(t, n, &buf);

		for (unsigned int i = 0; i < s->nr; i++) {
			const char *text = text_cell(w, t, s->columns[i], row);

			text_grid_cell(g, i, text, styles[w->role]);
		}
		for (unsigned int i = 0; i < s->nr_below; i++)
			print_below(w, g, t, s->below[i], row);
	}
}

void text_grid_table(struct text_writer *w, const struct document_table *t)
{
	bool framed = t->look == LOOK_FRAMED;
	struct document_row_buf buf;
	struct text_grid g;
	struct shown s;

	s.nr = s.nr_below = 0;
	text_grid_init(&g, w->out, w->options->columns);
	g.colours = w->options->colours;
	choose(&s, &g, w, t);
	for (uint64_t n = 0; n < t->nr_rows; n++) {
		const void *row = document_table_row(t, n, &buf);

		for (unsigned int i = 0; i < s.nr; i++)
			text_grid_measure(&g, i, text_cell(w, t, s.columns[i], row));
	}
	text_grid_fit(&g);
	if (!framed)
		fputc('\n', w->out);
	if (t->title)
		fprintf(w->out, "%s\n", t->title);
	if (framed)
		text_grid_rule(&g);
	w->failed |= text_grid_headings(&g) != 0;
	text_grid_rule(&g);
	print_rows(w, &g, &s, t);
	print_more(w, &g, t);
	if (framed)
		text_grid_rule(&g);
	w->failed |= text_grid_end(&g) != 0;
}
