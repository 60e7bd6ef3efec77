// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/table/stat_fold.h"

#include <errno.h>
#include <stdlib.h>

#include "util/base/label.h"

static bool has_open_keys(const struct stat_table *t)
{
	bool any = false;

	for (unsigned int i = 0; i < t->nr_by; i++)
		any |= stat_others_has(t->by[i]);
	return any;
}

/* INTERN_NONE if out of memory. */
static uint32_t call_site_of_stack(struct intern *stacks, uint64_t stack)
{
	size_t len;
	const uint64_t *frames = intern_get(stacks, (uint32_t)stack, &len);
	uint64_t first = len ? frames[0] : 0; /* the frames may move */

	return intern_add_passing(stacks, &first, len ? sizeof(first) : 0);
}

/* The row that a row is folded into, possibly itself. STAT_ROW_NONE if out of memory. */
static uint32_t row_of_others(struct stat_table *t, struct key_names *names, uint32_t row)
{
	struct stat_others others = {.string = intern_add_str(&names->strings, LABEL_OTHERS)};
	uint64_t keys[STAT_KEYS_MAX];

	if (others.string == INTERN_NONE)
		return STAT_ROW_NONE;
	for (unsigned int i = 0; i < t->nr_by; i++) {
		uint64_t value = stat_table_keys(t, row)[i];

		if (t->by[i] == KEY_STACK || t->by[i] == KEY_USTACK) {
			others.stack = call_site_of_stack(&names->stacks, value);
			if (others.stack == INTERN_NONE)
				return STAT_ROW_NONE;
		}
		keys[i] = stat_others_key(&others, t->by[i], value);
	}
	return table_insert_number(&t->rows, keys);
}

/* Reserve the arrays beside the rows for this row. */
static int reserve_others(struct stat_table *t, uint32_t row)
{
	if (t->want_history && history_reserve(&t->history, row + 1))
		return -ENOMEM;
	if (t->timeline && timeline_reserve(t->timeline, row + 1))
		return -ENOMEM;
	if (t->want_recent && stat_recents_reserve(&t->recents, row + 1))
		return -ENOMEM;
	return t->want_lifetimes ? stat_table_reserve_lifetimes(t, row) : 0;
}

static void add_row(struct stat_table *t, uint32_t to, uint32_t from)
{
	stat_counts_add_all(stat_table_counts(t, to), stat_table_counts(t, from));
	if (from < t->nr_lifetimes)
		lifetime_histogram_add_all(&t->lifetimes[to], &t->lifetimes[from]);
	if (from < t->history.nr)
		history_add_row(&t->history, to, from);
	if (t->timeline)
		timeline_add_row(t->timeline, to, from);
	if (from < t->recents.nr)
		recent_row_add(&t->recents.rows[to], &t->recents.rows[from]);
}

/* Returns 1 if the row was folded, 0 if it is a row of others, or -ENOMEM. moved: gets the new
 * number of a live row; NULL for a dead one. */
static int fold_row(struct stat_table *t, struct key_names *names, uint32_t row, uint32_t *moved)
{
	uint32_t others = row_of_others(t, names, row);

	if (others == row)
		return 0;
	if (others == STAT_ROW_NONE || reserve_others(t, others))
		return -ENOMEM;
	add_row(t, others, row);
	stat_table_remove(t, row);
	if (moved)
		moved[row] = others;
	return 1;
}

/* The order of folding: all idle rows, then rows beyond the limit. */
enum rank { RANK_IDLE, RANK_DEAD, RANK_LIVE };

struct candidate {
	uint64_t bytes; /* live bytes, if any are live */
	uint32_t row;
	enum rank rank;
};

static int by_rank_and_size(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static bool is_idle(const struct stat_table *t, uint32_t row, const struct kmem_bounds *bounds)
{
	const struct stat_recent *recent = stat_table_recent(t, row);

	return bounds->idle_ticks && recent && recent->idle >= bounds->idle_ticks;
}

/* The number of rows to fold: more than the excess, so that a few new rows do not fold again. */
static uint32_t surplus(const struct stat_table *t, const struct kmem_bounds *bounds)
{
	if (!bounds->max_rows || t->rows.nr <= bounds->max_rows)
		return 0;
	return t->rows.nr - (bounds->max_rows - bounds->max_rows / 4);
}

static struct candidate candidate_of(const struct stat_table *t, uint32_t row,
				     const struct kmem_bounds *bounds)
{
	const struct stat_counts *c = stat_table_counts(t, row);

	if (c->live_hits)
		return (struct candidate){c->live_bytes, row, RANK_LIVE};
	return (struct candidate){c->bytes_alloc, row,
				  is_idle(t, row, bounds) ? RANK_IDLE : RANK_DEAD};
}

/* The identity: each row's own number. */
static uint32_t *new_moves(const struct stat_table *t)
{
	uint32_t *moved = reallocarray(NULL, stat_table_top(t), sizeof(*moved));

	for (uint32_t i = 0; moved && i < stat_table_top(t); i++)
		moved[i] = i;
	return moved;
}

static int fold_rows(struct stat_table *t, struct key_names *names,
		     const struct kmem_bounds *bounds, struct candidate *v, uint32_t **moved)
{
	uint32_t row, nr = 0, folded = 0, too_many = surplus(t, bounds);

	stat_table_for_each (row, t) {
		v[nr] = candidate_of(t, row, bounds);
		nr += too_many || v[nr].rank == RANK_IDLE;
	}
	if (too_many)
		qsort(v, nr, sizeof(*v), by_rank_and_size);
	for (uint32_t i = 0; i < nr && (v[i].rank == RANK_IDLE || folded < too_many); i++) {
		int ret;

		if (v[i].rank == RANK_LIVE && !*moved)
			*moved = new_moves(t);
		if (v[i].rank == RANK_LIVE && !*moved)
			return -ENOMEM;
		ret = fold_row(t, names, v[i].row, v[i].rank == RANK_LIVE ? *moved : NULL);
		if (ret < 0)
			return ret;
		folded += (uint32_t)ret;
	}
	return 0;
}

int stat_table_fold(struct stat_table *t, struct key_names *names, const struct kmem_bounds *bounds,
		    uint32_t **ret_moved)
{
	struct candidate *v;
	int ret;

	*ret_moved = NULL;
	if (!t->rows.nr || !has_open_keys(t) ||
	    !(surplus(t, bounds) || (bounds->idle_ticks && t->want_recent)))
		return 0;
	v = reallocarray(NULL, t->rows.nr + 1u, sizeof(*v));
	if (!v)
		return -ENOMEM;
	ret = fold_rows(t, names, bounds, v, ret_moved);
	free(v);
	return ret;
}
