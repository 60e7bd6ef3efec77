// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/accounts/live_untraced.h"

#include <stdlib.h>

#include "util/leak/leak_evidence.h"

struct walk {
	struct slab_accounts *accounts;
	unsigned int sites;
};

/* The object's row of a table; objects know their rows of the tables that are counted in. */
static uint32_t row_in(const struct allocator_accounts *a, const struct slab_live *o,
		       unsigned int table)
{
	if (a->counted_in == a->tables)
		return o->row[table];
	return a->finest.coarser_rows[o->row[0] * (size_t)a->finest.nr_coarser + table];
}

static bool is_untraced(const struct stat_counts *site)
{
	const struct leak_observed seen = {.survivors = site->live_hits,
					   .freed = site->freed_hits,
					   .unseen = site->unseen_frees};

	return leak_is_untraced(&seen);
}

static void add(void *ctx, const struct slab_live *o)
{
	const struct walk *w = ctx;
	struct slab_accounts *s = w->accounts;
	struct allocator_accounts *a = &s->common;

	if (o->filtered_out ||
	    !is_untraced(stat_table_counts(&a->tables[w->sites], row_in(a, o, w->sites))))
		return;
	s->summary.live_untraced += o->hits;
	s->summary.bytes_live_untraced += o->bytes_alloc;
	for (unsigned int i = 0; i < a->nr_tables; i++)
		a->tables[i].live_untraced[row_in(a, o, i)] += o->bytes_alloc;
}

void live_untraced_find(struct slab_accounts *s, unsigned int sites)
{
	const struct walk w = {s, sites};

	for (unsigned int i = 0; i < s->common.nr_tables; i++) {
		struct stat_table *t = &s->common.tables[i];

		t->live_untraced = calloc(stat_table_top(t) + 1u, sizeof(*t->live_untraced));
		if (!t->live_untraced)
			return;
	}
	s->summary.knows_untraced = true;
	slab_accounts_for_each_live(s, add, (void *)&w);
}
