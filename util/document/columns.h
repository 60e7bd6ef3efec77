/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct document_columns: the columns of a table that are not known before the report is made.
 *
 * They grow in memory of the document; what is for others than its audience is left out.
 */
#ifndef DOCUMENT_COLUMNS_H
#define DOCUMENT_COLUMNS_H

#include "util/document/document.h"

struct document_columns {
	struct document *document;
	struct document_column *v;
	size_t nr, cap;
};

/* Room for at most `cap` columns. Memory that runs out is remembered by the document. */
void document_columns_init(struct document_columns *c, struct document *d, size_t cap);

/* More than there is room for are left out. */
void document_columns_add(struct document_columns *c, const struct document_column *column);

#endif
