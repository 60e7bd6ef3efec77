// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/symbol_match.h"

/* What was looked up before the first address that the file knows. */
struct search {
	const struct symbol_table *file;
	bool any, found;
};

static void look_up(struct search *s, uint64_t address)
{
	if (!address)
		return;
	s->any = true;
	s->found = symbol_table_find(s->file, address) != NULL;
}

static void search_tables(struct search *s, const struct stat_table *tables, unsigned int nr)
{
	for (unsigned int t = 0; t < nr; t++)
		for (unsigned int k = 0; k < tables[t].nr_by; k++)
			for (uint32_t i = 0;
			     tables[t].by[k] == KEY_CALLSITE && !s->found && i < tables[t].rows.nr;
			     i++)
				look_up(s, stat_table_keys(&tables[t], i)[k]);
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

/* The frames that were seen on the way to the call sites of pages. */
static void search_frames(struct search *s, const struct callsite_finder *f)
{
	for (uint32_t i = 0; i < f->classes.nr && !s->found; i++)
		look_up(s, *(const uint64_t *)table_row(&f->classes, i));
}

bool kmem_symbol_file_is_useless(const struct kmem_pipeline *a)
{
	struct search s = {.file = &a->naming.symbols.tables[0]};

	if (!a->naming.symbols.has_file)
		return false;
	if (a->accounts.slab)
		search_tables(&s, a->accounts.slab->tables, a->accounts.slab->nr_tables);
	if (a->accounts.page)
		search_tables(&s, a->accounts.page->tables, a->accounts.page->nr_tables);
	search_stacks(&s, &a->naming.names.stacks);
	search_frames(&s, &a->decoding.callsites);
	search_frames(&s, &a->decoding.inside_callsites);
	return s.any && !s.found;
}
