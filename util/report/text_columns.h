/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text tables of any columns, laid out by a struct text_grid: the columns that a
 * report chooses, over the sorted rows of a stat_table.
 */
#ifndef REPORT_TEXT_COLUMNS_H
#define REPORT_TEXT_COLUMNS_H

#include "util/render/text_grid.h"
#include "util/report/text_table.h"

/* Returns 0 or -ENOMEM. */
int text_columns_print(struct text_context *t, const struct report_table *table);

/* Keys whose values are names: when they are cut (call sites first); TEXT_CUT_NEVER: a number. */
unsigned int text_name_cut(enum kmem_key key);

#define TEXT_STACK_INDENT 5

/* The frames of a callchain, a line each, below their row. */
void text_stack_print(struct text_context *t, const struct text_grid *g, const uint64_t *frames,
		      size_t nr);

/*
 * Below a table: the other names of merged caches among its rows, each cache once. Returns 0 or
 * -ENOMEM.
 */
int text_aliases_print(struct text_context *t, const struct sorted_rows *rows);

/* Of one cache, a value of KEY_CACHE, unless it is in `seen` (a table of u64), where it goes. */
int text_aliases_print_once(struct text_context *t, struct table *seen, uint64_t cache);

#endif
