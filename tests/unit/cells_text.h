/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells as text, one line a line, without the blanks at its end. */
#ifndef UNIT_CELLS_TEXT_H
#define UNIT_CELLS_TEXT_H

#include "util/base/strbuf.h"
#include "util/top/cells.h"

void cells_add_text(struct strbuf *sb, const struct cells *c);

#endif
