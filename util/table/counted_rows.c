// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/table/counted_rows.h"

#include <errno.h>
#include <stddef.h>

#define KEY_SIZE offsetof(struct counted_row, first_ns)

_Static_assert(KEY_SIZE == 2 * sizeof(uint64_t) + STAT_TABLES_MAX * sizeof(uint32_t),
	       "keys have no padding");

/* The first widening makes slots of a microsecond. */
#define FIRST_SHIFT 10
#define MAX_SHIFT   63

static void init_rows(struct table *rows)
{
	table_init(rows, sizeof(struct counted_row), KEY_SIZE);
}

void counted_rows_deinit(struct counted_rows *r)
{
	if (r->rows.row_size)
		table_deinit(&r->rows);
	*r = (struct counted_rows){0};
}

/* Merge into the row with the same key. */
static int merge(struct table *rows, const struct counted_row *from)
{
	struct counted_row *to = table_insert(rows, from);

	if (!to)
		return -ENOMEM;
	if (!to->live_hits || from->first_ns < to->first_ns)
		to->first_ns = from->first_ns;
	if (from->last_ns > to->last_ns)
		to->last_ns = from->last_ns;
	to->live_hits += from->live_hits;
	to->live_bytes += from->live_bytes;
	return 0;
}

static uint64_t slot_of(const struct counted_rows *r, uint64_t time_ns)
{
	return time_ns >> r->shift;
}

static int make_again(struct counted_rows *r, void (*change)(struct counted_row *row, void *ctx),
		      void *ctx)
{
	struct table old = r->rows;
	int ret = 0;

	init_rows(&r->rows);
	for (uint32_t i = 0; !ret && i < old.nr; i++) {
		struct counted_row row = *(const struct counted_row *)table_row(&old, i);

		change(&row, ctx);
		ret = merge(&r->rows, &row);
	}
	table_deinit(&old);
	return ret;
}

static void set_slot(struct counted_row *row, void *ctx)
{
	row->slot = slot_of(ctx, row->first_ns);
}

/* Widen until half of the rows are left, or no rows differ only in time. */
static int widen(struct counted_rows *r)
{
	uint32_t enough = r->rows.nr / 2;
	int ret = 0;

	while (!ret && r->rows.nr > enough && r->shift < MAX_SHIFT) {
		r->shift = r->shift ? r->shift + 2 : FIRST_SHIFT;
		if (r->shift > MAX_SHIFT)
			r->shift = MAX_SHIFT;
		ret = make_again(r, set_slot, r);
	}
	r->next_widening = r->rows.nr > COUNTED_ROWS_MANY / 2 ? 2 * r->rows.nr : COUNTED_ROWS_MANY;
	if (r->shift == MAX_SHIFT)
		r->next_widening = UINT32_MAX;
	return ret;
}

static int keep(struct counted_rows *r, struct counted_row *row)
{
	if (!r->rows.row_size) {
		init_rows(&r->rows);
		r->next_widening = COUNTED_ROWS_MANY;
	}
	row->slot = slot_of(r, row->first_ns);
	if (merge(&r->rows, row))
		return -ENOMEM;
	return r->rows.nr >= r->next_widening ? widen(r) : 0;
}

/* Add the figures to their row and return it. STAT_ROW_NONE if out of memory. */
static uint32_t add_figures(struct stat_table *t, const struct kmem_event *keys,
			    const struct source_figures *figures)
{
	uint32_t row = stat_table_row(t, keys);
	uint64_t hits = figures->hits < UINT32_MAX ? figures->hits : UINT32_MAX;
	struct stat_counts *c;

	if (row == STAT_ROW_NONE)
		return row;
	t->live_unknown |= figures->live_unknown;
	c = stat_table_counts(t, row);
	c->hits += figures->hits;
	c->bytes_req += figures->bytes_req;
	c->bytes_alloc += figures->bytes_alloc;
	c->freed_hits +=
		figures->live_unknown ? figures->frees : figures->hits - figures->live_hits;
	c->last_callsite = keys->call_site;
	stat_counts_add_live(c, figures->live_hits, figures->live_bytes_req, figures->live_bytes);
	stat_table_note_live(t, row, keys->time_ns, figures->live_bytes, (uint32_t)hits);
	return row;
}

int counted_rows_add(struct counted_rows *r, struct stat_table *tables, unsigned int nr_tables,
		     const struct kmem_event *keys, const struct source_figures *figures)
{
	struct counted_row row = {
		.first_ns = keys->time_ns,
		.last_ns = keys->time_ns,
		.live_hits = figures->live_hits,
		.live_bytes = figures->live_bytes,
		.filtered_out = keys->filtered_out,
	};
	bool walked = false;

	for (unsigned int i = 0; i < nr_tables; i++) {
		walked |= tables[i].want_history;
		if (keys->filtered_out && !tables[i].unfiltered)
			continue;
		row.row[i] = add_figures(&tables[i], keys, figures);
		if (row.row[i] == STAT_ROW_NONE)
			return -ENOMEM;
	}
	return walked && row.live_hits ? keep(r, &row) : 0;
}

struct move {
	unsigned int table;
	bool unfiltered;
	const uint32_t *moved;
};

static void move_row(struct counted_row *row, void *ctx)
{
	const struct move *m = ctx;

	if (!row->filtered_out || m->unfiltered)
		row->row[m->table] = m->moved[row->row[m->table]];
}

int counted_rows_moved(struct counted_rows *r, unsigned int table, bool unfiltered,
		       const uint32_t *moved)
{
	struct move m = {table, unfiltered, moved};

	return r->rows.row_size ? make_again(r, move_row, &m) : 0;
}
