// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/text_columns.h"

#include <errno.h>

#include "util/report/cell.h"
#include "util/report/key_format.h"
#include "util/render/text_grid.h"

/* A table while it is printed. */
struct layout {
	struct text_grid grid;
	struct column_list columns; /* as the grid's */
	bool stacks;		    /* printed below the rows, not as a column */
};

unsigned int text_name_cut(enum kmem_key key)
{
	static const enum kmem_key names[] = {KEY_CALLSITE, KEY_STACK,	KEY_CACHE,	KEY_GFP,
					      KEY_COMM,	    KEY_MODULE, KEY_MIGRATETYPE};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i] == key)
			return i + 1;
	return TEXT_CUT_NEVER;
}

static const char *cell(struct text_context *t, const struct column *c, const struct row_view *row)
{
	strbuf_reset(&t->line);
	cell_text(&t->line, t->a, t->o, c, row);
	return t->line.buf;
}

static void measure(struct text_context *t, struct layout *l, const struct sorted_rows *rows)
{
	struct row_view row;

	text_grid_init(&l->grid, t->out, t->o->columns);
	for (unsigned int i = 0; i < l->columns.nr; i++) {
		const struct column *c = l->columns.v[i];

		text_grid_add(&l->grid, c->heading,
			      c->kind == COLUMN_KEY ? text_name_cut(c->key) : TEXT_CUT_FIGURE);
	}
	for (uint64_t n = 0; sorted_rows_get(rows, n, &row); n++)
		for (unsigned int i = 0; i < l->columns.nr; i++)
			text_grid_measure(&l->grid, i, cell(t, l->columns.v[i], &row));
	text_grid_fit(&l->grid);
}

void text_stack_print(struct text_context *t, const struct text_grid *g, const uint64_t *frames,
		      size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		strbuf_reset(&t->line);
		key_format_address(&t->line, t->a, frames[i], t->o->raw_ip);
		text_grid_line(g, TEXT_STACK_INDENT, t->line.buf);
	}
}

static void print_stack(struct text_context *t, const struct layout *l, const struct row_view *row)
{
	size_t nr;
	const uint64_t *frames = key_stack_frames(t->a, row_key(row, KEY_STACK), &nr);

	text_stack_print(t, &l->grid, frames, nr);
	if (!nr)
		text_grid_line(&l->grid, TEXT_STACK_INDENT, "(no callchain)");
}

/* Stacks stand below their row unless they are asked for as a field. */
static void take_stacks_out(struct layout *l, const struct report_options *o)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; !o->fields.nr && i < l->columns.nr; i++) {
		if (l->columns.v[i]->kind == COLUMN_KEY && l->columns.v[i]->key == KEY_STACK)
			l->stacks = true;
		else
			l->columns.v[nr++] = l->columns.v[i];
	}
	if (l->stacks)
		l->columns.nr = nr;
}

int text_columns_print(struct text_context *t, const struct report_table *table)
{
	struct sorted_rows rows;
	struct row_view row;
	struct layout l = {.stacks = false};
	int ret;

	if (sorted_rows_init(&rows, table->table, &table->options->sort, t->o->live,
			     table->options->lines))
		return -ENOMEM;
	report_table_columns(table, t->o, &l.columns);
	take_stacks_out(&l, t->o);
	measure(t, &l, &rows);
	text_grid_rule(&l.grid);
	text_grid_headings(&l.grid);
	text_grid_rule(&l.grid);
	for (uint64_t n = 0; sorted_rows_get(&rows, n, &row); n++) {
		for (unsigned int i = 0; i < l.columns.nr; i++)
			text_grid_cell(&l.grid, i, cell(t, l.columns.v[i], &row));
		if (l.stacks)
			print_stack(t, &l, &row);
	}
	if (rows.total > table->options->lines) {
		strbuf_reset(&t->line);
		strbuf_addstr(&t->line, "... ");
		cell_add_grouped(&t->line, t->o, rows.total - table->options->lines);
		strbuf_addstr(&t->line, " more");
		text_grid_line(&l.grid, 1, t->line.buf);
	}
	text_grid_rule(&l.grid);
	ret = text_grid_end(&l.grid);
	if (!ret)
		ret = text_aliases_print(t, &rows);
	sorted_rows_deinit(&rows);
	return ret;
}
