// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/source/source_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/printable.h"

void source_table_init(struct source_table *t, const struct source_table_kind *kind)
{
	*t = (struct source_table){.kind = kind};
	intern_init(&t->names);
}

void source_table_deinit(struct source_table *t)
{
	intern_deinit(&t->names);
	free(t->values);
	t->values = NULL;
}

static int grow(struct source_table *t)
{
	size_t cap = t->cap ? 2 * t->cap : 64;
	uint64_t *v = reallocarray(t->values, cap * t->kind->nr_columns, sizeof(*v));

	if (!v)
		return -ENOMEM;
	t->values = v;
	t->cap = cap;
	return 0;
}

int source_table_add(struct source_table *t, const char *name, size_t len, const uint64_t *values,
		     size_t nr)
{
	const unsigned int nr_columns = t->kind->nr_columns;
	char text[SOURCE_TABLE_NAME_MAX + 1];
	uint32_t row;
	uint64_t *to;

	if (len > SOURCE_TABLE_NAME_MAX)
		len = SOURCE_TABLE_NAME_MAX;
	memcpy(text, name, len);
	text[len] = '\0';
	len = printable_make(text);
	row = intern_find(&t->names, text, len);
	if (row == INTERN_NONE && t->names.nr >= SOURCE_TABLE_ROWS_MAX) {
		t->nr_left_out++;
		return 0;
	}
	if (row == INTERN_NONE) {
		if (t->names.nr == t->cap && grow(t))
			return -ENOMEM;
		row = intern_add(&t->names, text, len);
		if (row == INTERN_NONE)
			return -ENOMEM;
		memset(&t->values[(size_t)row * nr_columns], 0, nr_columns * sizeof(*values));
	}
	to = &t->values[(size_t)row * nr_columns];
	for (size_t i = 0; i < nr && i < nr_columns; i++)
		to[i] += values[i];
	return 0;
}

uint32_t source_table_find(const struct source_table *t, const char *name)
{
	return intern_find(&t->names, name, strlen(name));
}
