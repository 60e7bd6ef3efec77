/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct text_writer: the state of text output, and a function for each look of a table in a file
 * of its own.
 */
#ifndef RENDER_RENDER_TEXT_H
#define RENDER_RENDER_TEXT_H

#include <stdio.h>

#include "util/base/strbuf.h"
#include "util/render/render.h"

struct text_writer {
	FILE *out;
	const struct render_options *options;
	const struct document_section *section; /* the innermost open one; NULL for the root */
	const struct document_section *grid_in; /* of the grid just written; NULL if none */
	enum { TEXT_NOTHING, TEXT_HEADER, TEXT_COMMENT, TEXT_BODY } last; /* item */
	struct strbuf cell, scratch, line;
	enum value_role role; /* of the cell that text_cell() formatted last */
	bool failed;	      /* out of memory */
};

/* The width of stock's rules, and of its tables. */
#define TEXT_STOCK_WIDTH 105

/* Format a cell in w->cell, as shown in text output. */
const char *text_cell(struct text_writer *w, const struct document_table *t,
		      const struct document_column *column, const void *row);

/* Draw a tree in the style of stock's perf report, followed by an empty line. */
void text_tree(struct text_writer *w, const struct value_tree *t);

void text_plain_table(struct text_writer *w, const struct document_table *t);
void text_grid_table(struct text_writer *w, const struct document_table *t);
void text_commented_table(struct text_writer *w, const struct document_table *t);
void text_stock_table(struct text_writer *w, const struct document_table *t);

#endif
