// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/table/stat_rollup.h"

#include <errno.h>

/* Keys that are places in the code, the callchain first (stat_table.h). */
static const enum kmem_key place_keys[] = {
	KEY_STACK, KEY_CALLSITE,    KEY_MODULE, KEY_CACHE,
	KEY_ORDER, KEY_MIGRATETYPE, KEY_GFP,	KEY_ACCOUNTED,
};

#define NR_PLACE_KEYS (sizeof(place_keys) / sizeof(place_keys[0]))

_Static_assert(NR_PLACE_KEYS <= STAT_KEYS_MAX, "a table can have them all");

static bool is_place_key(enum kmem_key key)
{
	for (size_t i = 0; i < NR_PLACE_KEYS; i++)
		if (place_keys[i] == key)
			return true;
	return false;
}

static bool fits(const struct stat_table *t)
{
	for (unsigned int i = 0; i < t->nr_by; i++)
		if (!is_place_key(t->by[i]))
			return false;
	return !t->want_history && !t->want_recent && !t->unfiltered;
}

bool stat_rollup_fits(const struct stat_table *tables, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (!fits(&tables[i]))
			return false;
	return nr > 1;
}

static bool any_has(const struct stat_table *tables, unsigned int nr, enum kmem_key key)
{
	for (unsigned int i = 0; i < nr; i++)
		if (stat_table_has(&tables[i], key))
			return true;
	return false;
}

void stat_rollup_init(struct stat_table *finest, struct stat_table *tables, unsigned int nr)
{
	enum kmem_key by[STAT_KEYS_MAX];
	unsigned int nr_by = 0;

	for (size_t i = 0; i < NR_PLACE_KEYS; i++)
		if (any_has(tables, nr, place_keys[i]))
			by[nr_by++] = place_keys[i];
	stat_table_init(finest, by, nr_by);
	finest->names = tables[0].names;
	finest->limit = tables[0].limit;
	finest->want_lifetimes = tables[0].want_lifetimes;
	finest->coarser = tables;
	finest->nr_coarser = nr;
	if (tables[0].steps)
		finest->steps = stat_steps_new_like(tables[0].steps);
	for (unsigned int i = 0; i < nr && !finest->timeline; i++) {
		finest->timeline = tables[i].timeline;
		finest->timeline_of = i;
	}
}

static void finish_steps(const struct stat_table *finest)
{
	const struct stat_steps *steps = finest->steps;

	for (uint32_t n = 0; steps && n < steps->nr; n++) {
		struct stat_step figures = steps->v[n];
		const uint32_t *to =
			&finest->coarser_rows[(size_t)figures.row * finest->nr_coarser];

		for (unsigned int i = 0; i < finest->nr_coarser; i++) {
			figures.row = to[i];
			stat_steps_add(finest->coarser[i].steps, &figures);
		}
	}
	for (unsigned int i = 0; i < finest->nr_coarser; i++)
		finest->coarser[i].steps->is_lost |= !steps || steps->is_lost;
}

void stat_rollup_finish(const struct stat_table *finest)
{
	const uint32_t *to = finest->coarser_rows;

	for (uint32_t row = 0; row < finest->nr_coarser_rows; row++)
		for (unsigned int i = 0; i < finest->nr_coarser; i++, to++) {
			struct stat_table *t = &finest->coarser[i];

			stat_counts_add_all(stat_table_counts(t, *to),
					    stat_table_counts(finest, row));
			if (row < finest->nr_lifetimes && finest->lifetimes[row].nr)
				lifetime_histogram_add_all(&t->lifetimes[*to],
							   &finest->lifetimes[row]);
		}
	if (finest->coarser[0].steps)
		finish_steps(finest);
}

int stat_rollup_copy(const struct stat_table *finest, struct stat_table *t, uint32_t *ret_rows)
{
	uint32_t row;

	if (t->want_history)
		history_init_like(&t->history, &finest->history);
	stat_table_for_each (row, finest) {
		uint32_t to = stat_table_coarser_row(finest, t, row);

		if (to == STAT_ROW_NONE ||
		    (t->want_history && history_add_row_of(&t->history, to, &finest->history, row)))
			return -ENOMEM;
		stat_counts_add_all(stat_table_counts(t, to), stat_table_counts(finest, row));
		ret_rows[row] = to;
	}
	return 0;
}
