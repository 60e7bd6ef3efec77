// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/symbol_match.h"

/* Number of lookups below the file's first address. */
struct search {
	const struct symbols *symbols;
	bool any, found;
};

static void look_up(struct search *s, uint64_t address)
{
	if (!address)
		return;
	s->any = true;
	s->found = symbol_table_find(&s->symbols->tables[0],
				     symbols_address(s->symbols, address)) != NULL;
}

static void search_callsites(struct search *s, const struct stat_table *t, unsigned int key)
{
	uint32_t row;

	stat_table_for_each (row, t)
		if (!s->found)
			look_up(s, stat_table_keys(t, row)[key]);
}

static void search_tables(struct search *s, const struct allocator_accounts *a)
{
	for (unsigned int t = 0; t < a->nr_tables; t++)
		for (unsigned int k = 0; k < a->tables[t].nr_by; k++)
			if (a->tables[t].by[k] == KEY_CALLSITE)
				search_callsites(s, &a->tables[t], k);
}

static void search_stacks(struct search *s, const struct intern *stacks)
{
	for (size_t i = 0; i < stacks->nr && !s->found; i++) {
		size_t len;
		const uint64_t *frames = intern_get(stacks, (uint32_t)i, &len);

		for (size_t k = 0; k < len / sizeof(*frames) && !s->found; k++)
			look_up(s, frames[k]);
	}
}

/* Counts the frames seen while the call sites of pages were searched. */
static void search_frames(struct search *s, const struct callsite_finder *f)
{
	for (uint32_t i = 0; i < f->classes.nr && !s->found; i++)
		look_up(s, *(const uint64_t *)table_row(&f->classes, i));
}

bool kmem_symbol_file_is_useless(const struct kmem_pipeline *a)
{
	struct search s = {.symbols = &a->naming.symbols};

	if (!a->naming.symbols.has_file)
		return false;
	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (accounts_allocator(&a->accounts, i))
			search_tables(&s, accounts_allocator(&a->accounts, i));
	search_stacks(&s, &a->naming.names.stacks);
	search_frames(&s, &a->decoding.callsites);
	search_frames(&s, &a->decoding.inside_callsites);
	return s.any && !s.found;
}
