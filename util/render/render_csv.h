/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of a document as CSV: a line of column ids, then the rows; an empty line stands
 * between two tables.  The first column is the id of the section that the table is in, below the
 * name of what such sections are.
 */
#ifndef RENDER_RENDER_CSV_H
#define RENDER_RENDER_CSV_H

#include <stdio.h>

#include "util/document/document.h"

/* Whether a table stands before it: an empty line comes first then. Returns 0 or -ENOMEM. */
int render_csv_section(FILE *out, const struct document_section *s, bool *has_table);

#endif
