// SPDX-License-Identifier: GPL-2.0-or-later
/* The form "text": sections with headings, wrapped notes, labelled figures, tables in their
 * looks. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "util/base/printable.h"
#include "util/cli/wrap.h"
#include "util/render/form.h"
#include "util/render/text_table.h"
#include "util/render/value_text.h"

#define NOTE_COLUMNS   80
#define HEADER_COLUMNS 100
#define HEADER_INDENT  10 /* of what follows "# Recorded:" */

static void print_title(void *state, const struct document_section *section)
{
	struct text_writer *w = state;

	if (section->is_missing)
		fputc('\n', w->out);
	if (section->is_missing || !section->title)
		return;
	fprintf(w->out, "\n%s\n", section->title);
	for (size_t i = 0; section->title[i]; i++)
		fputc('=', w->out);
	fputc('\n', w->out);
}

/* Columns to write in, at most this many; 0: as many as there are. */
static int columns_of(const struct text_writer *w, int most)
{
	int columns = w->options->columns ? w->options->columns : INT_MAX;

	return most && most < columns ? most : columns;
}

static void print_line(struct text_writer *w, const struct document_note *n)
{
	const char *label = n->label ? n->label : "";

	fputs(label, w->out);
	wrap_text(w->out, n->text, (int)strlen(label), n->indent, columns_of(w, 0));
}

static void print_header(struct text_writer *w, const struct document_note *n)
{
	strbuf_reset(&w->cell);
	strbuf_addstr(&w->cell, n->text);
	printable_strbuf(&w->cell, 0);
	wrap_comment(w->out, n->label, HEADER_INDENT, w->cell.buf, columns_of(w, HEADER_COLUMNS));
}

static void print_note(void *state, const struct document_note *n)
{
	struct text_writer *w = state;

	switch (n->kind) {
	case NOTE_PARAGRAPHS:
		wrap_text(w->out, n->text, 0, 0, columns_of(w, NOTE_COLUMNS));
		break;
	case NOTE_LINE:
		print_line(w, n);
		break;
	case NOTE_HEADER:
		print_header(w, n);
		break;
	case NOTE_VERBATIM:
		fputs(n->text, w->out);
		break;
	}
}

static void print_figure(void *state, const struct document_figure *f)
{
	struct text_writer *w = state;

	if (!f->label)
		return;
	strbuf_reset(&w->cell);
	value_add_text(&w->cell, w->options, &f->value);
	fprintf(w->out, "%s%s\n", f->label, w->cell.buf);
}

static bool is_stock(const struct text_writer *w, const struct document_table *t)
{
	return t->stock && (w->options->stock_style || columns_of(w, 0) >= TEXT_STOCK_WIDTH);
}

static void print_table(void *state, const struct document_table *t)
{
	if (is_stock(state, t))
		text_stock_table(state, t);
	else if (t->look == LOOK_COMMENTED)
		text_commented_table(state, t);
	else if (t->look == LOOK_PLAIN)
		text_plain_table(state, t);
	else
		text_grid_table(state, t);
}

static int render(FILE *out, const struct render_options *o, const struct document *d)
{
	static const struct render_ops ops = {
		.audience = FOR_PEOPLE,
		.open = print_title,
		.note = print_note,
		.figure = print_figure,
		.table = print_table,
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

const struct form form_text = {"text", FOR_PEOPLE, 0, NULL, 0, NULL, render};
