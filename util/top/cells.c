// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/top/cells.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/printable.h"

int cells_init(struct cells *c, int lines, int columns)
{
	*c = (struct cells){.lines = lines, .columns = columns};
	c->v = calloc((size_t)lines * (size_t)columns + 1, sizeof(*c->v));
	if (!c->v) {
		*c = (struct cells){.lines = 0};
		return -ENOMEM;
	}
	for (int i = 0; i < lines * columns; i++)
		c->v[i].text[0] = ' ';
	return 0;
}

void cells_deinit(struct cells *c)
{
	free(c->v);
	*c = (struct cells){.lines = 0};
}

/* Combining characters have no width; characters of East Asia and emoji take two cells. */
static bool takes_one_cell(uint32_t c)
{
	bool combining = (c >= 0x300 && c <= 0x36f) || (c >= 0x200b && c <= 0x200f) ||
			 (c >= 0x20d0 && c <= 0x20ff);

	return c >= ' ' && !combining && (c < 0x1100 || (c >= 0x2000 && c < 0x2e80));
}

/* Convert the next character to the one shown. Returns its number of bytes in the text. */
static size_t next_char(const char *text, char ret_char[5])
{
	uint32_t c;
	size_t n = utf8_decode(text, &c);

	memset(ret_char, 0, 5);
	if (n && n < 5 && printable_char(c) && takes_one_cell(c))
		memcpy(ret_char, text, n);
	else
		ret_char[0] = '?';
	return n ? n : 1;
}

int cells_width(const char *text)
{
	char shown[5];
	int width = 0;

	for (; *text; width++)
		text += next_char(text, shown);
	return width;
}

static void put_char(struct cells *c, int line, int column, enum cell_style style,
		     const char text[5])
{
	struct cell *cell;

	if (line < 0 || line >= c->lines || column < 0 || column >= c->columns)
		return;
	cell = cells_at(c, line, column);
	memcpy(cell->text, text, sizeof(cell->text));
	cell->style = (unsigned char)style;
}

int cells_put(struct cells *c, int line, int column, int width, enum cell_style style,
	      const char *text)
{
	char shown[5];

	for (; *text && width > 0; width--) {
		text += next_char(text, shown);
		put_char(c, line, column++, style, shown);
	}
	return column;
}

static int put_blanks(struct cells *c, int line, int column, int nr, enum cell_style style)
{
	static const char blank[5] = " ";

	for (; nr > 0; nr--)
		put_char(c, line, column++, style, blank);
	return column;
}

static void put_field(struct cells *c, int line, int column, int width, enum cell_style style,
		      const char *text, bool right)
{
	static const char cut[5] = "~";
	int used = cells_width(text), end = column + width;

	if (right)
		column = put_blanks(c, line, column, width - used, style);
	column = cells_put(c, line, column, end - column, style, text);
	put_blanks(c, line, column, end - column, style);
	if (used > width && width > 0)
		put_char(c, line, end - 1, style, cut);
}

void cells_put_left(struct cells *c, int line, int column, int width, enum cell_style style,
		    const char *text)
{
	put_field(c, line, column, width, style, text, false);
}

void cells_put_right(struct cells *c, int line, int column, int width, enum cell_style style,
		     const char *text)
{
	put_field(c, line, column, width, style, text, true);
}

void cells_style_line(struct cells *c, int line, enum cell_style style)
{
	if (line < 0 || line >= c->lines)
		return;
	for (int i = 0; i < c->columns; i++)
		cells_at(c, line, i)->style = (unsigned char)style;
}
