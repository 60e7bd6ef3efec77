/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What leak's and diff's text tables share, laid out by a struct text_grid.
 */
#ifndef REPORT_TEXT_COLUMNS_H
#define REPORT_TEXT_COLUMNS_H

#include "util/render/text_grid.h"
#include "util/report/text_table.h"

/* Keys whose values are names: when they are cut (call sites first); TEXT_CUT_NEVER: a number. */
unsigned int text_name_cut(enum kmem_key key);

#define TEXT_STACK_INDENT 5

/* The frames of a callchain, a line each, below their row. */
void text_stack_print(struct text_context *t, const struct text_grid *g, const uint64_t *frames,
		      size_t nr);

/*
 * Below a table: the other names of a merged cache, a value of KEY_CACHE, unless it is in `seen` (a
 * table of u64), where it goes. Returns 0 or -ENOMEM.
 */
int text_aliases_print_once(struct text_context *t, struct table *seen, uint64_t cache);

#endif
