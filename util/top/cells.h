/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct cells: a screen's worth of characters, each with a style.
 *
 * What top shows is drawn into one and then put on a terminal (screen.h), or compared in a test.
 * Text is UTF-8, one character a cell; what is not printable, or might be wider than a cell,
 * becomes '?'.  Nothing outside of the grid is ever written.
 */
#ifndef TOP_CELLS_H
#define TOP_CELLS_H

#include "util/base/strbuf.h"

enum cell_style {
	CELL_NORMAL,
	CELL_TITLE,    /* the first line */
	CELL_HEADING,  /* of columns */
	CELL_SORTED,   /* the heading of the column that rows are sorted by */
	CELL_SELECTED, /* the row that the cursor is on */
	CELL_DIM,      /* what is less important: help, hints */
	CELL_WARNING,  /* lost events, an error */
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

/* Blank. Errors: -ENOMEM, with no lines and columns. */
int cells_init(struct cells *c, int lines, int columns);
void cells_deinit(struct cells *c);

static inline struct cell *cells_at(const struct cells *c, int line, int column)
{
	return &c->v[line * c->columns + column];
}

/* Put text, at most `width` characters of it. Returns the column after it. */
int cells_put(struct cells *c, int line, int column, int width, enum cell_style style,
	      const char *text);

/* The same in a field of `width`: padded with blanks, and cut ("~") if it does not fit. */
void cells_put_left(struct cells *c, int line, int column, int width, enum cell_style style,
		    const char *text);
void cells_put_right(struct cells *c, int line, int column, int width, enum cell_style style,
		     const char *text);

/* A whole line gets a style. */
void cells_style_line(struct cells *c, int line, enum cell_style style);

/* How many cells the text takes. */
int cells_width(const char *text);

#endif
