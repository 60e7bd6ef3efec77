// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/cells_text.h"

#include <string.h>

void cells_add_text(struct strbuf *sb, const struct cells *c)
{
	for (int line = 0; line < c->lines; line++) {
		int used = c->columns;

		while (used && !strcmp(cells_at(c, line, used - 1)->text, " "))
			used--;
		for (int i = 0; i < used; i++)
			strbuf_addstr(sb, cells_at(c, line, i)->text);
		strbuf_addch(sb, '\n');
	}
}
