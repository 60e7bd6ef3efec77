/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text tables of any columns, as wide as their cells and never wider than the terminal.
 *
 * Numbers stand at the right, names at the left.  When the rows are too wide for the
 * terminal, names are cut (call sites first), marked with "~"; nothing wraps.
 */
#ifndef REPORT_TEXT_COLUMNS_H
#define REPORT_TEXT_COLUMNS_H

#include "util/report/text_table.h"

/* Returns 0 or -ENOMEM. */
int text_columns_print(struct text_context *t, const struct report_table *table);

/* The frames of the row's stack below it, when the table is grouped by stacks. */
void text_stack_print(struct text_context *t, const struct row_view *row);

#endif
