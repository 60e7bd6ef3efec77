/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct text_grid: columns of text, as wide as their cells and never wider than the terminal.
 *
 * Numbers are right-aligned, names left-aligned.  Columns are keys, which identify a row, or
 * figures.  If a row is too wide for the terminal, names are cut to a readable length, marked with
 * "~", in the order given by their columns; then figures are left out, the least important first,
 * except the last one; then names are cut shorter; then keys are left out from the right, except
 * the first.  What is left out is named below the table; nothing wraps.  Cells are passed in twice:
 * to be measured, then to be printed.  Widths count characters of UTF-8.
 */
#ifndef RENDER_TEXT_GRID_H
#define RENDER_TEXT_GRID_H

#include <stdbool.h>
#include <stdio.h>

#define TEXT_GRID_MAX 64

/* Names are not cut to less than this as long as there are figures to leave out. */
#define TEXT_NAME_READABLE 12
#define TEXT_NAME_MIN	   8

struct text_grid {
	FILE *out;
	int terminal; /* columns it has; 0: no limit */
	struct text_grid_column {
		const char *heading;
		bool is_key;	   /* else a figure */
		bool is_name;	   /* left-aligned, and may be cut */
		unsigned int cut;  /* names with the lowest number are cut first */
		int readable;	   /* for a name, instead of TEXT_NAME_READABLE; 0: the latter */
		unsigned int keep; /* figures with the lowest number go first; among equals, the
				    * rightmost */
		/* the grid's own */
		int width;
		bool hidden; /* no room for it, according to text_grid_fit() */
	} v[TEXT_GRID_MAX];
	unsigned int nr;
	unsigned int first, last; /* of those shown */
};

void text_grid_init(struct text_grid *g, FILE *out, int terminal);

/* Add the next column; those beyond TEXT_GRID_MAX are left out. The heading must outlive the
 * grid. */
void text_grid_add(struct text_grid *g, const struct text_grid_column *column);

/* Measure a cell that column i will show. */
void text_grid_measure(struct text_grid *g, unsigned int i, const char *text);

/* When all cells have been measured: determine the widths. */
void text_grid_fit(struct text_grid *g);

/* Print the cells of a row from column 0 on; the last one ends the line. */
void text_grid_cell(const struct text_grid *g, unsigned int i, const char *text);

void text_grid_headings(const struct text_grid *g);
void text_grid_rule(const struct text_grid *g);

/* Below the table: print which columns had no room, if any. Returns 0 or -ENOMEM. */
int text_grid_end(const struct text_grid *g);

/* A line of its own, cut at the terminal's width; indent: blanks before it. */
void text_grid_line(const struct text_grid *g, int indent, const char *text);

#endif
