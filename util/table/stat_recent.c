// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/table/stat_recent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void stat_recents_deinit(struct stat_recents *r)
{
	free(r->rows);
	*r = (struct stat_recents){0};
}

int stat_recents_reserve(struct stat_recents *r, uint32_t nr)
{
	uint64_t cap = nr + nr / 2u + 16u;
	struct recent_row *rows;

	if (nr <= r->nr)
		return 0;
	if (cap > UINT32_MAX)
		cap = UINT32_MAX;
	rows = reallocarray(r->rows, cap, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	memset(rows + r->nr, 0, (cap - r->nr) * sizeof(*rows));
	r->rows = rows;
	r->nr = (uint32_t)cap;
	return 0;
}

void recent_row_tick(struct recent_row *row, const struct recent_counts *now)
{
	const struct recent_counts *then = &row->then;
	struct stat_recent *s = &row->shown;

	s->hits = now->hits - then->hits;
	s->bytes_alloc = now->bytes_alloc - then->bytes_alloc;
	/* live before or allocated since, and not live now */
	s->freed_hits = then->live_hits + s->hits - now->live_hits;
	s->bytes_freed = then->live_bytes + s->bytes_alloc - now->live_bytes;
	/* allocations outside of the time windows become live without being counted */
	if ((int64_t)s->freed_hits < 0)
		s->freed_hits = 0;
	if ((int64_t)s->bytes_freed < 0)
		s->bytes_freed = 0;
	if (now->live_unknown) {
		s->freed_hits = now->freed_hits - then->freed_hits;
		s->bytes_freed = 0;
	}
	memmove(&s->live[0], &s->live[1], (RECENT_MOMENTS - 1) * sizeof(s->live[0]));
	s->live[RECENT_MOMENTS - 1] = now->live_bytes;
	if (s->hits || s->freed_hits || s->bytes_freed)
		s->idle = 0;
	else
		s->idle++;
	/* the first trace of an allocation, counted in the previous interval, was withdrawn */
	if (now->hits < then->hits)
		s->hits = 0;
	if (now->bytes_alloc < then->bytes_alloc)
		s->bytes_alloc = 0;
	row->then = *now;
}

void recent_row_add(struct recent_row *to, const struct recent_row *from)
{
	struct stat_recent *s = &to->shown;

	s->hits += from->shown.hits;
	s->bytes_alloc += from->shown.bytes_alloc;
	s->freed_hits += from->shown.freed_hits;
	s->bytes_freed += from->shown.bytes_freed;
	for (unsigned int i = 0; i < RECENT_MOMENTS; i++)
		s->live[i] += from->shown.live[i];
	if (from->shown.idle < s->idle)
		s->idle = from->shown.idle;
	to->then.hits += from->then.hits;
	to->then.bytes_alloc += from->then.bytes_alloc;
	to->then.live_hits += from->then.live_hits;
	to->then.live_bytes += from->then.live_bytes;
	to->then.freed_hits += from->then.freed_hits;
}
