// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/counted_rows.h"

#include <errno.h>
#include <stdlib.h>

void counted_rows_deinit(struct counted_rows *r)
{
	free(r->v);
	*r = (struct counted_rows){0};
}

static struct counted_row *new_row(struct counted_rows *r)
{
	if (r->nr == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 256;
		struct counted_row *v = reallocarray(r->v, cap, sizeof(*v));

		if (!v)
			return NULL;
		r->v = v;
		r->cap = cap;
	}
	return &r->v[r->nr];
}

/* Into their row, which is returned. STAT_ROW_NONE: no memory. */
static uint32_t add_figures(struct stat_table *t, const struct kmem_event *keys,
			    const struct source_figures *figures)
{
	uint32_t row = stat_table_row(t, keys);
	uint64_t hits = figures->hits < UINT32_MAX ? figures->hits : UINT32_MAX;
	struct stat_counts *c;

	if (row == STAT_ROW_NONE)
		return row;
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
	struct counted_row *row = new_row(r);

	if (!row)
		return -ENOMEM;
	*row = (struct counted_row){
		.time_ns = keys->time_ns,
		.live_hits = figures->live_hits,
		.live_bytes = figures->live_bytes,
		.filtered_out = keys->filtered_out,
	};
	for (unsigned int i = 0; i < nr_tables; i++) {
		if (keys->filtered_out && !tables[i].unfiltered)
			continue;
		row->row[i] = add_figures(&tables[i], keys, figures);
		if (row->row[i] == STAT_ROW_NONE)
			return -ENOMEM;
	}
	r->nr += figures->live_hits != 0;
	return 0;
}
