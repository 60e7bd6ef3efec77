/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The name of a row: its keys as text, on one line.
 */
#ifndef TOP_ROW_NAME_H
#define TOP_ROW_NAME_H

#include "util/event/naming.h"
#include "util/report/column.h"

/* The caller frees it. NULL if out of memory. */
char *top_row_name(const struct naming *naming, const struct row_view *row, bool raw_ip);

#endif
