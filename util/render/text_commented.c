// SPDX-License-Identifier: GPL-2.0-or-later
/* LOOK_COMMENTED: rows as in stock's perf report. */
#include <stdlib.h>
#include <string.h>

#include "util/base/printable.h"
#include "util/render/render_text.h"

#define GAP "  "

static bool is_shown(const struct document_column *c)
{
	return document_column_audience(c) & FOR_PEOPLE && !c->below;
}

/* Set the widths of the columns: as given, or as wide as their cells. */
static void measure(struct text_writer *w, const struct document_table *t, size_t *widths)
{
	struct document_row_buf buf;

	for (size_t i = 0; i < t->nr_columns; i++) {
		const struct document_column *c = &t->columns[i];
		size_t given = (size_t)c->width;

		if (!is_shown(c))
			continue;
		widths[i] = strlen(c->heading);
		if (given > widths[i] || (given && c->is_name))
			widths[i] = given;
		for (uint64_t n = 0; n < t->nr_rows && (!c->is_name || !given); n++) {
			size_t width;

			text_cell(w, t, c, document_table_row(t, n, &buf));
			width = utf8_count(w->cell.buf, w->cell.len);
			if (width > widths[i])
				widths[i] = width;
		}
	}
}

static void add_blanks(struct strbuf *sb, size_t nr)
{
	while (nr-- > 0)
		strbuf_addch(sb, ' ');
}

/* Add a cell without padding. Occurrences of the separator in it become dots. */
static void add_separated(struct text_writer *w, const char *text)
{
	size_t len = strlen(w->options->separator);

	while (*text) {
		bool same = len && !strncmp(text, w->options->separator, len);

		strbuf_addch(&w->line, same ? '.' : *text);
		text += same ? len : 1;
	}
}

static void add_cell(struct text_writer *w, const struct document_column *c, size_t width,
		     const char *text)
{
	size_t len = strlen(text), shown = utf8_count(text, len);
	size_t blanks = shown < width ? width - shown : 0;

	for (; c->is_name && shown > width; shown -= ((unsigned char)text[len] & 0xc0) != 0x80)
		len--;
	if (!c->is_name)
		add_blanks(&w->line, blanks);
	strbuf_add(&w->line, text, len);
	if (c->is_name)
		add_blanks(&w->line, blanks);
}

static void end_line(struct text_writer *w)
{
	size_t len = w->line.len;

	while (len && w->line.buf[len - 1] == ' ')
		len--;
	strbuf_setlen(&w->line, len);
	strbuf_addch(&w->line, '\n');
	fwrite_unlocked(w->line.buf, 1, w->line.len, w->out);
	strbuf_reset(&w->line);
}

/* row: NULL for the headings. */
static void print_cells(struct text_writer *w, const struct document_table *t, const size_t *widths,
			const void *row)
{
	const char *separator = w->options->separator, *gap = row && !separator ? GAP : "";

	strbuf_reset(&w->line);
	if (!row)
		strbuf_addstr(&w->line, "# ");
	for (size_t i = 0; i < t->nr_columns; i++) {
		const struct document_column *c = &t->columns[i];
		const char *text = c->heading;

		if (!is_shown(c))
			continue;
		if (row)
			text = text_cell(w, t, c, row);
		strbuf_addstr(&w->line, gap);
		if (separator)
			add_separated(w, text);
		else
			add_cell(w, c, widths[i], text);
		gap = separator ? separator : GAP;
	}
	end_line(w);
}

static void print_headings(struct text_writer *w, const struct document_table *t,
			   const size_t *widths)
{
	const char *gap = "# ";

	print_cells(w, t, widths, NULL);
	if (w->options->separator)
		return;
	for (size_t i = 0; i < t->nr_columns; i++) {
		if (!is_shown(&t->columns[i]))
			continue;
		strbuf_addstr(&w->line, gap);
		for (size_t n = 0; n < widths[i]; n++)
			strbuf_addch(&w->line, '.');
		gap = GAP;
	}
	end_line(w);
	fputs("#\n", w->out);
}

static void print_below(struct text_writer *w, const struct document_table *t, const void *row)
{
	for (size_t i = 0; i < t->nr_columns; i++) {
		const struct document_column *c = &t->columns[i];
		struct value v;

		if (!c->below || !(document_column_audience(c) & FOR_PEOPLE))
			continue;
		v = document_table_value(t, c, row, &w->scratch);
		if (v.kind == VALUE_TREE)
			text_tree(w, &v.tree);
	}
}

void text_commented_table(struct text_writer *w, const struct document_table *t)
{
	size_t *widths = calloc(t->nr_columns + 1, sizeof(*widths));
	struct document_row_buf buf;

	if (!widths) {
		w->failed = true;
		return;
	}
	if (!w->options->separator)
		measure(w, t, widths);
	print_headings(w, t, widths);
	for (uint64_t i = 0; i < t->nr_rows; i++) {
		const void *row = document_table_row(t, i, &buf);

		print_cells(w, t, widths, row);
		print_below(w, t, row);
	}
	free(widths);
}
