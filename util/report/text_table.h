/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text tables: a list of columns printed over the sorted rows of a stat_table.
 *
 * A column is one line of an array: heading, width, side, and a function that writes
 * a row's cell.  The look is the stock tool's: a rule, the headings, a rule, the rows, a
 * row of dots when there are more, a rule.  Cells wider than their column push the rest.
 */
#ifndef REPORT_TEXT_TABLE_H
#define REPORT_TEXT_TABLE_H

#include <stdio.h>

#include "util/base/strbuf.h"
#include "util/report/report.h"

struct text_context {
	FILE *out;
	const struct kmem_analysis *a;
	const struct report_options *o;
	struct strbuf line; /* scratch */
};

struct text_column {
	const char *heading;
	int width;
	bool right;	/* cells stand at the right */
	int dots_width; /* the row of dots pads to this; 0: to width, except in the last column */
	void (*cell)(const struct text_context *t, const struct row_view *row, struct strbuf *sb);
};

/* The rule's width, as stock's. */
#define TEXT_RULE_WIDTH 105

/* Returns 0 or -ENOMEM. */
int text_table_print(struct text_context *t, const struct text_column *columns, size_t nr_columns,
		     const struct stat_table *table, const struct table_options *options);

/* With --peak a line: how much was live at most, and when. */
void text_peak_print(struct text_context *t, enum allocator allocator);

/* Is stock's look asked for, and does it fit? */
bool text_table_is_stock(const struct text_context *t, const struct report_table *table);

/* The two allocators' parts. Return 0 or -ENOMEM. */
int text_slab_print(struct text_context *t);
int text_page_print(struct text_context *t);

#endif
