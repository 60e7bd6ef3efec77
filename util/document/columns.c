// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/document/columns.h"

#include <stdlib.h>

void document_columns_init(struct document_columns *c, struct document *d, size_t cap)
{
	*c = (struct document_columns){.document = d};
	c->v = document_own(d, calloc(cap + 1, sizeof(*c->v)));
	c->cap = c->v ? cap : 0;
}

void document_columns_add(struct document_columns *c, const struct document_column *column)
{
	if (c->nr < c->cap && document_column_audience(column) & c->document->audience)
		c->v[c->nr++] = *column;
}
