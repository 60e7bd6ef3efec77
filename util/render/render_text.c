// SPDX-License-Identifier: GPL-2.0-or-later
/* The form "text": sections with headings, wrapped notes, labelled figures, tables in their
 * looks. */
#include "util/render/render_text.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "util/base/printable.h"
#include "util/cli/terminal.h"
#include "util/render/form.h"
#include "util/render/value_text.h"

#define NOTE_COLUMNS   80
#define NOTICE_COLUMNS 92
#define HEADER_COLUMNS 100
#define HEADER_INDENT  10 /* of the text after "# Recorded:" */
#define ITEM_INDENT    2
#define ITEM_LABEL     12 /* including the blanks after it */

/* The header is separated by empty lines from the text before and after it. has_gap: the next item
 * starts with an empty line itself. */
static void begin(struct text_writer *w, int kind, bool has_gap)
{
	bool ends_header = w->last == TEXT_HEADER && kind != TEXT_HEADER && !has_gap;

	if (ends_header || (w->last == TEXT_BODY && kind == TEXT_HEADER))
		fputc('\n', w->out);
	w->last = kind;
	w->grid_in = NULL;
}

static enum document_style style_of(const struct text_writer *w)
{
	return w->section ? w->section->style : STYLE_LINES;
}

static void underline(struct text_writer *w, const char *prefix, const char *title, char with)
{
	fprintf(w->out, "%s%s\n%s", prefix, title, prefix);
	for (size_t i = 0; title[i]; i++)
		fputc(with, w->out);
	fputc('\n', w->out);
}

static void open_comments(struct text_writer *w, const struct document_section *s)
{
	if (s->title || w->last == TEXT_NOTHING) {
		begin(w, TEXT_BODY, false);
		fputs("#\n", w->out);
	}
	if (s->title)
		underline(w, "# ", s->title, '-');
}

static bool is_first(const struct document_section *s)
{
	const struct document_item *first = s->parent->items;

	return first->kind == DOCUMENT_SECTION && first->section == s;
}

static void open_section(void *state, const struct document_section *s)
{
	struct text_writer *w = state;

	if (s->parent && s->parent->style == STYLE_SPACED && !is_first(s))
		fputc('\n', w->out);
	w->section = s;
	if (s->style == STYLE_COMMENTS) {
		open_comments(w, s);
	} else if (s->is_missing || s->title || s->style == STYLE_CURVES) {
		begin(w, TEXT_BODY, true);
		fputc('\n', w->out);
		if (s->title && !s->is_missing)
			underline(w, "", s->title, '=');
	}
}

static void close_section(void *state, const struct document_section *s)
{
	struct text_writer *w = state;

	if (s->style == STYLE_COMMENTS)
		fputs(s->title ? "\n" : "#\n", w->out);
	else if (s->style == STYLE_EVENT)
		fputs("\n\n", w->out);
	if (!s->parent && s->is_compact)
		fputc('\n', w->out);
	w->section = s->parent;
}

/* The terminal's columns, at most `most`; 0: no maximum. */
static int columns_of(const struct text_writer *w, int most)
{
	int columns = w->options->columns ? w->options->columns : INT_MAX;

	return most && most < columns ? most : columns;
}

/* The text of a note, in w->cell. */
static const char *printable_note(struct text_writer *w, const struct document_note *n)
{
	strbuf_reset(&w->cell);
	strbuf_addstr(&w->cell, n->text);
	printable_strbuf(&w->cell, 0);
	return w->cell.buf;
}

static void print_item(struct text_writer *w, const struct document_note *n)
{
	const int label = n->label ? ITEM_LABEL : 0;

	fprintf(w->out, "%*s%-*s", ITEM_INDENT, "", label, n->label ? n->label : "");
	wrap_text(w->out, printable_note(w, n), ITEM_INDENT + label,
		  ITEM_INDENT + (label ? label : ITEM_INDENT), columns_of(w, 0));
}

static void print_header(struct text_writer *w, const struct document_note *n)
{
	char label[32];

	snprintf(label, sizeof(label), "%s:", n->label);
	wrap_comment(w->out, label, HEADER_INDENT, printable_note(w, n),
		     columns_of(w, HEADER_COLUMNS));
}

static void print_comment(struct text_writer *w, const struct document_note *n, int columns)
{
	wrap_comment(w->out, "", 0, printable_note(w, n), columns_of(w, columns));
}

static void print_note(void *state, const struct document_note *n)
{
	struct text_writer *w = state;
	int kind = n->kind == NOTE_HEADER    ? TEXT_HEADER
		   : n->kind == NOTE_COMMENT ? TEXT_COMMENT
					     : TEXT_BODY;

	/* a grid ends without a rule, so separate it from a note of another section */
	if (kind == TEXT_BODY && w->grid_in && w->grid_in != w->section)
		fputc('\n', w->out);
	begin(w, kind, false);
	switch (n->kind) {
	case NOTE_PARAGRAPHS:
		wrap_text(w->out, n->text, 0, 0, columns_of(w, NOTE_COLUMNS));
		break;
	case NOTE_LINE:
		if (style_of(w) == STYLE_COMMENTS)
			print_comment(w, n, NOTICE_COLUMNS);
		else
			wrap_text(w->out, printable_note(w, n), 0, 0, columns_of(w, 0));
		break;
	case NOTE_COMMAND:
		fprintf(w->out, "%s: %s\n", n->label, printable_note(w, n));
		break;
	case NOTE_ITEM:
		print_item(w, n);
		break;
	case NOTE_HEADER:
		print_header(w, n);
		break;
	case NOTE_COMMENT:
		print_comment(w, n, NOTE_COLUMNS);
		break;
	}
}

/* The width of the longest label in the section. */
static int label_width(const struct document_section *s)
{
	size_t width = 0;

	for (size_t i = 0; i < s->nr_items; i++) {
		const struct document_item *item = &s->items[i];
		const char *label = item->kind == DOCUMENT_FIGURE ? item->figure.label : NULL;

		if (label && strlen(label) > width)
			width = strlen(label);
	}
	return (int)width;
}

static void print_label(struct text_writer *w, const char *label)
{
	int padding;

	switch (style_of(w)) {
	case STYLE_COUNTS:
		fprintf(w->out, "%-30s: ", label);
		break;
	case STYLE_CURVES:
		fprintf(w->out, "%-18s  ", label);
		break;
	case STYLE_COMMENTS:
		fprintf(w->out, w->section->title ? "#   %-28s " : "# %s: ", label);
		break;
	case STYLE_ALIGNED:
		padding = label_width(w->section) - (int)strlen(label);
		fprintf(w->out, "%s: %*s", label, padding, "");
		break;
	default:
		fprintf(w->out, "%s: ", label);
		break;
	}
}

static void print_figure(void *state, const struct document_figure *f)
{
	struct text_writer *w = state;

	if (!f->label)
		return;
	begin(w, TEXT_BODY, false);
	print_label(w, f->label);
	strbuf_reset(&w->cell);
	value_add_text(&w->cell, w->options, &f->value);
	strbuf_reset(&w->line);
	if (f->more.kind != VALUE_NONE)
		value_add_text(&w->line, w->options, &f->more);
	if (style_of(w) == STYLE_COUNTS)
		fprintf(w->out, "%16s   [ %19s ]\n", w->cell.buf, w->line.buf);
	else
		fprintf(w->out, "%s%s%s\n", w->cell.buf, w->line.len ? ", " : "", w->line.buf);
	strbuf_reset(&w->line);
}

const char *text_cell(struct text_writer *w, const struct document_table *t,
		      const struct document_column *column, const void *row)
{
	struct value v = document_table_value(t, column, row, &w->scratch);

	w->role = v.role;
	strbuf_reset(&w->cell);
	value_add_text(&w->cell, w->options, &v);
	return w->cell.buf;
}

/* LOOK_LEGEND: a comment of one line for each row. */
static void print_legend(struct text_writer *w, const struct document_table *t)
{
	struct document_row_buf buf;

	for (uint64_t i = 0; i < t->nr_rows; i++) {
		const char *between = "# ";

		for (size_t c = 0; c < t->nr_columns; c++) {
			const struct document_column *column = &t->columns[c];

			if (!(document_column_audience(column) & FOR_PEOPLE))
				continue;
			text_cell(w, t, column, document_table_row(t, i, &buf));
			fprintf(w->out, "%s%*s", between, column->is_name ? 0 : column->width,
				w->cell.buf);
			between = ": ";
		}
		fputc('\n', w->out);
	}
}

static bool is_stock(const struct text_writer *w, const struct document_table *t)
{
	return t->stock && (w->options->stock_style || columns_of(w, 0) >= TEXT_STOCK_WIDTH);
}

static void print_table(void *state, const struct document_table *t)
{
	struct text_writer *w = state;
	const bool stock = is_stock(w, t);

	begin(w, TEXT_BODY, !stock && (t->look == LOOK_PLAIN || t->look == LOOK_GRID));
	if (stock)
		text_stock_table(w, t);
	else if (t->look == LOOK_COMMENTED)
		text_commented_table(w, t);
	else if (t->look == LOOK_LEGEND)
		print_legend(w, t);
	else if (t->look == LOOK_PLAIN)
		text_plain_table(w, t);
	else
		text_grid_table(w, t);
	w->grid_in = t->look == LOOK_GRID && !stock ? w->section : NULL;
}

static int render(FILE *out, const struct render_options *o, const struct document *d)
{
	static const struct render_ops ops = {
		.audience = FOR_PEOPLE,
		.open = open_section,
		.note = print_note,
		.figure = print_figure,
		.table = print_table,
		.close = close_section,
	};
	struct text_writer w = {
		.out = out,
		.options = o,
		.cell = STRBUF_INIT,
		.scratch = STRBUF_INIT,
		.line = STRBUF_INIT,
	};

	render_section(&ops, &w, &d->root);
	w.failed |= w.cell.failed || w.scratch.failed || w.line.failed;
	strbuf_deinit(&w.cell);
	strbuf_deinit(&w.scratch);
	strbuf_deinit(&w.line);
	return w.failed ? -ENOMEM : 0;
}

const struct form form_text = {"text", FOR_PEOPLE, 0, NULL, WANTS_OVERVIEW, NULL, render};
