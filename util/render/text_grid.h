/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct text_grid: columns of text, as wide as their cells and never wider than the terminal.
 *
 * Numbers stand at the right, names at the left.  Columns are keys, which say what a row is, or
 * figures.  When a row is too wide for the terminal names are cut to what can still be read,
 * marked with "~", in the order that their columns say; then figures are left out, those that
 * matter least first, but for the last; then names are cut shorter; then keys are left out from the
 * right, but for the first.  What is left out is named below the table: nothing wraps.  Cells go
 * through twice: measured, then printed.  Widths count characters of UTF-8.
 */
#ifndef RENDER_TEXT_GRID_H
#define RENDER_TEXT_GRID_H

#include <stdbool.h>
#include <stdio.h>

#define TEXT_GRID_MAX 64

/* No column of names is cut to less: as long as figures can be left out, and after that. */
#define TEXT_NAME_READABLE 12
#define TEXT_NAME_MIN	   8

struct text_grid {
	FILE *out;
	int terminal; /* columns it has; 0: no limit */
	struct text_grid_column {
		const char *heading;
		bool is_key;	   /* else a figure */
		bool is_name;	   /* stands at the left, and may be cut */
		unsigned int cut;  /* names of the lowest are cut first */
		int readable;	   /* of a name, instead of TEXT_NAME_READABLE; 0: that */
		unsigned int keep; /* figures of the lowest go first, of equals the rightmost */
		/* the grid's own */
		int width;
		bool hidden; /* no room for it, says text_grid_fit() */
	} v[TEXT_GRID_MAX];
	unsigned int nr;
	unsigned int first, last; /* of those that are shown */
};

void text_grid_init(struct text_grid *g, FILE *out, int terminal);

/* The next column; more than TEXT_GRID_MAX are left out. The heading must outlive the grid. */
void text_grid_add(struct text_grid *g, const struct text_grid_column *column);

/* A cell that column i will show. */
void text_grid_measure(struct text_grid *g, unsigned int i, const char *text);

/* When all cells are measured: settle the widths. */
void text_grid_fit(struct text_grid *g);

/* Print the cells of a row from column 0 on; the last one ends the line. */
void text_grid_cell(const struct text_grid *g, unsigned int i, const char *text);

void text_grid_headings(const struct text_grid *g);
void text_grid_rule(const struct text_grid *g);

/* Below the table: which columns had no room, if any. Returns 0 or -ENOMEM. */
int text_grid_end(const struct text_grid *g);

/* A line of its own, cut at the terminal's edge; indent: blanks before it. */
void text_grid_line(const struct text_grid *g, int indent, const char *text);

#endif
