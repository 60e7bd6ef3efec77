// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/steps_part.h"

#include <stdlib.h>

#include "util/report/column.h"

/* The limit of entries in a table of the page, each of about 16 bytes. */
#define ENTRIES_MAX 30000

/* The numbers of the rows that have them. */
struct placed {
	struct value_numbers *of_row; /* v is NULL if the row has none */
	uint32_t nr_rows;
};

static struct value steps(const struct document_cell *cell)
{
	const struct placed *p = cell->column->arg;
	const struct row_view *row = cell->row;
	uint32_t number = table_index(&row->table->rows, row->key);

	if (number >= p->nr_rows || !p->of_row[number].v)
		return value_none();
	return value_numbers(p->of_row[number].v, p->of_row[number].nr);
}

static bool has_steps(const struct stat_table *table)
{
	return table->steps && !table->steps->is_lost;
}

/* Place the numbers of rows until the limit is reached. */
static void place_rows(struct document *d, const struct sorted_rows *rows, struct placed *p)
{
	const struct stat_steps *s = rows->table->steps;
	struct row_view row;
	size_t left = ENTRIES_MAX;

	for (uint64_t i = 0; sorted_rows_get(rows, i, &row); i++) {
		uint32_t number = table_index(&row.table->rows, row.key);
		size_t nr = stat_steps_nr(s, number);
		uint64_t *numbers;

		if (nr > left)
			return;
		numbers = document_own(d, calloc(nr + 1, STAT_STEP_NUMBERS * sizeof(*numbers)));
		if (!numbers)
			return;
		stat_steps_get(s, number, numbers);
		p->of_row[number] = (struct value_numbers){numbers, nr * STAT_STEP_NUMBERS};
		left -= nr;
	}
}

void steps_part_add_column(struct document_columns *columns, struct document_section *in,
			   const struct sorted_rows *rows)
{
	struct document_column column = {"steps", .value = steps, .audience = FOR_PAGES};
	struct document *d = in->document;
	struct placed *p;

	if (!document_is_for(in, FOR_PAGES) || !has_steps(rows->table))
		return;
	p = document_own(d, calloc(1, sizeof(*p)));
	if (!p)
		return;
	p->of_row = document_own(d, calloc(stat_table_top(rows->table) + 1u, sizeof(*p->of_row)));
	if (!p->of_row)
		return;
	p->nr_rows = stat_table_top(rows->table);
	place_rows(d, rows, p);
	column.arg = p;
	document_columns_add(columns, &column);
}

void steps_part_add_sums(struct document_section *in, const struct stat_table *table)
{
	uint64_t *sums;
	size_t nr = 0;

	if (!document_is_for(in, FOR_PAGES) || !has_steps(table))
		return;
	sums = document_own(in->document, stat_steps_sums(table->steps, &nr));
	if (!sums)
		return;
	document_add_figure(in, "row_step_ns", value_u64(table->steps->width_ns), FOR_PAGES);
	document_add_figure(in, "steps", value_numbers(sums, nr), FOR_PAGES);
}
