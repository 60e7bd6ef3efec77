// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile kallsyms text (recordings have their own): the table is sorted, its names end, and an
 * address is only ever found in a symbol that contains it.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/symbol/symbol_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct symbol_table *t, uint64_t address)
{
	const struct symbol *s = symbol_table_find(t, address);

	if (s && (address < s->start || address >= s->end || !strlen(s->name)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int moved = 0; moved < 2; moved++) {
		char *text = malloc(size + 1);
		struct symbol_table table;
		uint64_t moved_by = 0;

		if (!text)
			abort();
		if (size)
			memcpy(text, data, size);
		text[size] = '\0';
		if (symbol_table_init(&table, text, size, moved ? "_text" : "", 0xffffffff80000000,
				      &moved_by))
			continue;
		for (size_t i = 0; i < table.nr; i++) {
			if (i && table.v[i].start < table.v[i - 1].start)
				abort();
			check(&table, table.v[i].start);
			check(&table, table.v[i].end);
			check(&table, table.v[i].start - 1);
		}
		check(&table, 0);
		check(&table, UINT64_MAX);
		symbol_table_deinit(&table);
	}
	return 0;
}
