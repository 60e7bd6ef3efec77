/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocations in each step of time (stat_steps.h), for pages: rows, pictures and sums can then
 * follow a span of steps.
 *
 * Numbers are the sequences of stat_steps_get(). A page has them for the first rows of a table, up
 * to a limit; for the other rows it has the difference to the sums over all rows.
 */
#ifndef REPORT_STEPS_PART_H
#define REPORT_STEPS_PART_H

#include "util/document/document.h"
#include "util/report/sort.h"
#include "util/table/stat_table.h"

/* Add the hidden column "steps" with the numbers of each row, if the table has steps. */
void steps_part_add_column(struct document_columns *columns, struct document_section *in,
			   const struct sorted_rows *rows);

/* Add the width of a step, and the sums over all rows. */
void steps_part_add_sums(struct document_section *in, const struct stat_table *table);

#endif
