/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct document_columns: the columns of a table that are not known until the report is made.
 *
 * They are in memory of the document; columns for other audiences than the document's are dropped.
 */
#ifndef DOCUMENT_COLUMNS_H
#define DOCUMENT_COLUMNS_H

#include "util/document/document.h"

struct document_columns {
	struct document *document;
	struct document_column *v;
	size_t nr, cap;
};

/* Room for at most `cap` columns. The document remembers if memory runs out. */
void document_columns_init(struct document_columns *c, struct document *d, size_t cap);

/* Those beyond `cap` are dropped. */
void document_columns_add(struct document_columns *c, const struct document_column *column);

#endif
