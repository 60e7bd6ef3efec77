// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/text_columns.h"

#include <errno.h>
#include <string.h>

#include "util/report/cell.h"
#include "util/report/key_format.h"

/* No column of names is cut to less. */
#define NAME_WIDTH_MIN 8

struct layout {
	struct column_list columns;
	int width[COLUMNS_MAX];
	bool stacks; /* printed below the rows, not as a column */
};

/* The keys whose values are names: left-aligned, and cut when there is no room, in this order. */
static const enum kmem_key names[] = {KEY_CALLSITE, KEY_STACK,	KEY_CACHE,	KEY_GFP,
				      KEY_COMM,	    KEY_MODULE, KEY_MIGRATETYPE};

static bool is_name(const struct column *c)
{
	for (size_t i = 0; c->kind == COLUMN_KEY && i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i] == c->key)
			return true;
	return false;
}

/* A comm may hold anything: what would move the cursor becomes '?'. */
static void make_printable(struct strbuf *sb)
{
	for (size_t i = 0; i < sb->len; i++)
		if ((unsigned char)sb->buf[i] < 0x20 || sb->buf[i] == 0x7f)
			sb->buf[i] = '?';
}

static const char *cell(struct text_context *t, const struct column *c, const struct row_view *row)
{
	strbuf_reset(&t->line);
	cell_text(&t->line, t->a, t->o, c, row);
	make_printable(&t->line);
	return t->line.buf;
}

static void measure(struct text_context *t, struct layout *l, const struct sorted_rows *rows)
{
	const struct rbtree_node *node = NULL;
	struct row_view row;

	for (unsigned int i = 0; i < l->columns.nr; i++)
		l->width[i] = (int)strlen(l->columns.v[i]->heading);
	while ((node = sorted_rows_next(rows, node, &row)))
		for (unsigned int i = 0; i < l->columns.nr; i++) {
			int width = (int)strlen(cell(t, l->columns.v[i], &row));

			if (width > l->width[i])
				l->width[i] = width;
		}
}

static int total_width(const struct layout *l)
{
	int width = 1;

	for (unsigned int i = 0; i < l->columns.nr; i++)
		width += l->width[i] + (i ? 3 : 0);
	return width;
}

static void shrink(struct layout *l, int columns)
{
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		for (unsigned int i = 0; i < l->columns.nr; i++) {
			int over = total_width(l) - columns, room = l->width[i] - NAME_WIDTH_MIN;
			const struct column *c = l->columns.v[i];

			if (over <= 0)
				return;
			if (c->kind != COLUMN_KEY || c->key != names[k] || room <= 0)
				continue;
			l->width[i] -= over < room ? over : room;
		}
}

static void print_cell(struct text_context *t, const struct layout *l, unsigned int i,
		       const char *text, bool left)
{
	int width = l->width[i], len = (int)strlen(text);
	bool last = i + 1 == l->columns.nr;

	fputs(i ? " | " : " ", t->out);
	if (len > width)
		fprintf(t->out, "%.*s~", width - 1, text);
	else if (left)
		fprintf(t->out, "%-*s", last ? 0 : width, text);
	else
		fprintf(t->out, "%*s", width, text);
}

static void print_rule(const struct text_context *t, const struct layout *l)
{
	int width = total_width(l) + 1;

	if (t->o->columns && width > t->o->columns)
		width = t->o->columns;
	for (int i = 0; i < width; i++)
		fputc('-', t->out);
	fputc('\n', t->out);
}

void text_stack_print(struct text_context *t, const struct row_view *row)
{
	size_t nr;
	const uint64_t *frames = key_stack_frames(t->a, row_key(row, KEY_STACK), &nr);

	for (size_t i = 0; i < nr; i++) {
		strbuf_reset(&t->line);
		key_format_address(&t->line, t->a, frames[i], t->o->raw_ip);
		fprintf(t->out, "     %s\n", t->line.buf);
	}
	if (!nr)
		fputs("     (no callchain)\n", t->out);
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
	const struct rbtree_node *node = NULL;
	struct sorted_rows rows;
	struct row_view row;
	struct layout l = {.stacks = false};

	if (sorted_rows_init(&rows, table->table, &table->options->sort, t->o->live,
			     table->options->lines))
		return -ENOMEM;
	report_table_columns(table, t->o, &l.columns);
	take_stacks_out(&l, t->o);
	measure(t, &l, &rows);
	if (t->o->columns)
		shrink(&l, t->o->columns);
	print_rule(t, &l);
	for (unsigned int i = 0; i < l.columns.nr; i++)
		print_cell(t, &l, i, l.columns.v[i]->heading, is_name(l.columns.v[i]));
	fputc('\n', t->out);
	print_rule(t, &l);
	while ((node = sorted_rows_next(&rows, node, &row))) {
		for (unsigned int i = 0; i < l.columns.nr; i++)
			print_cell(t, &l, i, cell(t, l.columns.v[i], &row),
				   is_name(l.columns.v[i]));
		fputc('\n', t->out);
		if (l.stacks)
			text_stack_print(t, &row);
	}
	if (rows.total > table->options->lines) {
		strbuf_reset(&t->line);
		cell_add_grouped(&t->line, t->o, rows.total - table->options->lines);
		fprintf(t->out, " ... %s more\n", t->line.buf);
	}
	print_rule(t, &l);
	sorted_rows_deinit(&rows);
	return 0;
}
