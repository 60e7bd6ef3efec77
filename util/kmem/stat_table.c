// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/stat_table.h"

#include <string.h>

void stat_table_init(struct stat_table *t, const enum kmem_key *by, unsigned int nr_by)
{
	memcpy(t->by, by, nr_by * sizeof(*by));
	t->nr_by = nr_by;
	table_init(&t->rows, nr_by * sizeof(uint64_t) + sizeof(struct stat_counts),
		   nr_by * sizeof(uint64_t));
}

void stat_table_deinit(struct stat_table *t)
{
	table_deinit(&t->rows);
}

uint32_t stat_table_row(struct stat_table *t, const struct alloc_facts *facts)
{
	uint64_t key[STAT_KEYS_MAX];
	const void *row;

	for (unsigned int i = 0; i < t->nr_by; i++)
		key[i] = facts->key[t->by[i]];
	row = table_insert(&t->rows, key);
	return row ? table_index(&t->rows, row) : STAT_ROW_NONE;
}
