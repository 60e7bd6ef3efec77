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
		for (size_t i = 0; i < table.nr_lines; i++) {
			const struct symbol *sym = symbol_table_at(&table, i);

			if (i && table.lines[i].address <= table.lines[i - 1].address)
				abort();
			if (!sym)
				continue;
			check(&table, sym->start);
			check(&table, sym->end);
			check(&table, sym->start - 1);
		}
		check(&table, 0);
		check(&table, UINT64_MAX);
		symbol_table_deinit(&table);
	}
	return 0;
}
