/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct text_grid: columns of text, as wide as their cells and never wider than the terminal.
 *
 * Numbers are right-aligned, names left-aligned. Columns are keys, which identify a row, or
 * figures.
 *
 * A row that is too wide for the terminal never wraps. It is shortened in these steps:
 *   1. names are cut to a readable length, marked with "~", in the order of their columns' `cut`;
 *      the offset of a call site and the number of a process stay
 *   2. figures without a `keep` are left out, from the right, except the last one
 *   3. names are cut to their columns' `shortest`
 *   4. the other figures are left out, the least important first, except the last one
 *   5. names are cut shorter
 *   6. keys are left out from the right, except the first
 *
 * Columns that were left out are named below the table. The caller passes each cell twice: first to
 * measure it, then to print it. Widths are in characters of UTF-8.
 */
#ifndef RENDER_TEXT_GRID_H
#define RENDER_TEXT_GRID_H

#include <stdbool.h>
#include <stdio.h>

#define TEXT_GRID_MAX 64

/* How a cell looks on a terminal with colours. */
enum text_style { TEXT_NORMAL, TEXT_ALARM, TEXT_CAUTION, TEXT_SORTED };

/* Names are not cut to less than this while figures can be left out. */
#define TEXT_NAME_READABLE 12
#define TEXT_NAME_MIN	   8

struct text_grid {
	FILE *out;
	int terminal; /* its width in columns; 0: no limit */
	bool colours; /* write styles as escape sequences (ECMA-48) */
	struct text_grid_column {
		const char *heading;
		const char *mark;  /* follows the heading; NULL: none */
		bool is_key;	   /* otherwise it is a figure */
		bool is_name;	   /* left-aligned, can be cut */
		unsigned int cut;  /* names with the lowest number are cut first */
		int readable;	   /* of a name; 0: TEXT_NAME_READABLE */
		int shortest;	   /* of a name beside figures with a `keep`; 0: as readable */
		unsigned int keep; /* figures with the lowest number are left out first, from the
				    * right if equal */
		/* set by the grid */
		int heading_width; /* with the mark */
		int width;
		bool hidden; /* left out by text_grid_fit() */
	} v[TEXT_GRID_MAX];
	unsigned int nr;
	unsigned int first, last; /* of the columns shown */
};

void text_grid_init(struct text_grid *g, FILE *out, int terminal);

/* Add the next column. Columns beyond TEXT_GRID_MAX are ignored. The heading and the
 * mark must outlive the grid. */
void text_grid_add(struct text_grid *g, const struct text_grid_column *column);

/* Measure a cell that will be printed in column i. */
void text_grid_measure(struct text_grid *g, unsigned int i, const char *text);

/* Determine the widths. Called once all cells have been measured. */
void text_grid_fit(struct text_grid *g);

/* Print one cell. Called for each column of a row in order; the last one ends the line. */
void text_grid_cell(const struct text_grid *g, unsigned int i, const char *text,
		    enum text_style style);

/* Returns 0 or -ENOMEM. */
int text_grid_headings(const struct text_grid *g);
void text_grid_rule(const struct text_grid *g);

/* Below the table: list the columns that were left out, if any. Returns 0 or -ENOMEM. */
int text_grid_end(const struct text_grid *g);

/* Print a separate line, cut at the terminal's width. indent: number of blanks before it. */
void text_grid_line(const struct text_grid *g, int indent, const char *text);

#endif
