/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct cells: a grid of characters, each with a style.
 *
 * top draws into it; screen.h copies it to a terminal, and tests compare it. Text is UTF-8, one
 * character a cell. A character that is not printable, or may be wider than a cell, becomes '?'.
 * Writes outside of the grid are ignored.
 */
#ifndef TOP_CELLS_H
#define TOP_CELLS_H

#include "util/base/strbuf.h"

enum cell_style {
	CELL_NORMAL,
	CELL_TITLE,    /* the first line */
	CELL_HEADING,  /* of columns */
	CELL_SORTED,   /* the heading of the column that rows are sorted by */
	CELL_SELECTED, /* the row under the cursor */
	CELL_DIM,      /* less important: help, hints */
	CELL_WARNING,  /* lost events, an error */
	CELL_ALARM,    /* "leaking" */
	CELL_CAUTION,  /* "growing" */
	CELL_STYLES,
};

struct cell {
	char text[5]; /* one character */
	unsigned char style;
};

struct cells {
	int lines, columns;
	struct cell *v;
};

/* A blank grid. Errors: -ENOMEM; it has no lines and columns then. */
int cells_init(struct cells *c, int lines, int columns);
void cells_deinit(struct cells *c);

static inline struct cell *cells_at(const struct cells *c, int line, int column)
{
	return &c->v[line * c->columns + column];
}

/* Put at most `width` characters of the text. Returns the column after it. */
int cells_put(struct cells *c, int line, int column, int width, enum cell_style style,
	      const char *text);

/* Put text into a field of `width`: padded with blanks, or truncated with "~". */
void cells_put_left(struct cells *c, int line, int column, int width, enum cell_style style,
		    const char *text);
void cells_put_right(struct cells *c, int line, int column, int width, enum cell_style style,
		     const char *text);

/* Set the style of a whole line. */
void cells_style_line(struct cells *c, int line, enum cell_style style);

/* The number of cells that the text takes. */
int cells_width(const char *text);

#endif
