// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/table/stat_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/event_key.h"

void stat_table_init(struct stat_table *t, const enum kmem_key *by, unsigned int nr_by)
{
	*t = (struct stat_table){0};
	memcpy(t->by, by, nr_by * sizeof(*by));
	t->nr_by = nr_by;
	t->is_cached = (nr_by > 1 || stat_table_has(t, KEY_STACK)) && !stat_table_has(t, KEY_PTR) &&
		       !stat_table_has(t, KEY_PAGE);
	table_init(&t->rows, nr_by * sizeof(uint64_t) + sizeof(struct stat_counts),
		   nr_by * sizeof(uint64_t));
}

void stat_table_deinit(struct stat_table *t)
{
	free(t->live_untraced);
	free(t->lifetimes);
	history_deinit(&t->history);
	free(t->cached_stacks);
	free(t->coarser_rows);
	free(t->timeline_rows);
	if (!t->coarser)
		timeline_free(t->timeline);
	stat_recents_deinit(&t->recents);
	stat_steps_free(t->steps);
	table_deinit(&t->rows);
}

static bool same_keys(const uint64_t *a, const uint64_t *b, unsigned int nr)
{
	uint64_t differ = 0;

	for (unsigned int i = 0; i < nr; i++)
		differ |= a[i] ^ b[i];
	return !differ;
}

/* Numbers of callchains are dense. One beyond the array's capacity is not cached. */
static uint32_t *cached_row_of_stack(struct stat_table *t, uint64_t stack)
{
	uint64_t nr = t->nr_cached_stacks ? t->nr_cached_stacks : STAT_CACHED;
	uint32_t *v;

	if (stack < t->nr_cached_stacks)
		return &t->cached_stacks[stack];
	while (nr <= stack)
		nr *= 2;
	v = nr > UINT32_MAX ? NULL : reallocarray(t->cached_stacks, nr, sizeof(*v));
	if (!v)
		return &t->cached[0];
	memset(v + t->nr_cached_stacks, 0, (nr - t->nr_cached_stacks) * sizeof(*v));
	t->cached_stacks = v;
	t->nr_cached_stacks = (uint32_t)nr;
	return &v[stack];
}

/* Not keyed, which is faster: collisions only cost a lookup in the index. */
static uint32_t *cached_row(struct stat_table *t, const uint64_t *keys)
{
	uint64_t hash = 0;

	if (t->by[0] == KEY_STACK)
		return cached_row_of_stack(t, keys[0]);
	for (unsigned int i = 0; i < t->nr_by; i++)
		hash = (hash ^ keys[i]) * 0x9e3779b97f4a7c15ull;
	return &t->cached[(hash >> 32) % STAT_CACHED];
}

/* The latest row of the event's callchain, if the callchain is the first key and the other keys are
 * equal. */
static inline uint32_t latest_of_stack(const struct stat_table *t, const struct kmem_event *ev)
{
	uint32_t row = ev->stack < t->nr_cached_stacks ? t->cached_stacks[ev->stack] : 0;
	const uint64_t *keys;

	if (!row)
		return STAT_ROW_NONE;
	keys = stat_table_keys(t, row - 1);
	for (unsigned int i = 1; i < t->nr_by; i++)
		if (keys[i] != kmem_event_key(ev, t->by[i]))
			return STAT_ROW_NONE;
	return row - 1;
}

/* In a full table, that of others. Kept out of line so that the usual path stays small. */
static __attribute__((noinline)) uint32_t insert_limited(struct stat_table *t, const uint64_t *keys)
{
	const bool large = t->want_lifetimes || t->want_history;
	uint64_t others[STAT_KEYS_MAX] = {0};

	if (stat_limit_has_room(t->limit, t->rows.nr, large) || table_find(&t->rows, keys))
		return table_insert_number(&t->rows, keys);
	t->limit->reached = true;
	memcpy(others, keys, t->nr_by * sizeof(*keys));
	for (unsigned int i = 0; i < t->nr_by; i++)
		others[i] = stat_others_key(&t->limit->others, t->by[i], others[i]);
	return table_insert_number(&t->rows, others);
}

static inline uint32_t insert_row(struct stat_table *t, const uint64_t *keys)
{
	return t->limit && t->rows.nr >= t->limit->free_rows ? insert_limited(t, keys)
							     : table_insert_number(&t->rows, keys);
}

static int grow_coarser_rows(struct stat_table *finest)
{
	uint32_t nr = finest->rows.cap;
	uint32_t *rows = reallocarray(finest->coarser_rows, nr, finest->nr_coarser * sizeof(*rows));
	uint32_t *timeline;

	if (!rows)
		return -ENOMEM;
	finest->coarser_rows = rows;
	timeline = reallocarray(finest->timeline_rows, nr, sizeof(*timeline));
	if (!timeline)
		return -ENOMEM;
	finest->timeline_rows = timeline;
	finest->cap_coarser_rows = nr;
	return 0;
}

static uint32_t insert_reserved(struct stat_table *t, const uint64_t *keys);

uint32_t stat_table_coarser_row(const struct stat_table *finest, struct stat_table *t, uint32_t row)
{
	uint64_t keys[STAT_KEYS_MAX] = {0};

	for (unsigned int i = 0; i < t->nr_by; i++)
		for (unsigned int k = 0; k < finest->nr_by; k++)
			if (finest->by[k] == t->by[i])
				keys[i] = stat_table_keys(finest, row)[k];
	return insert_reserved(t, keys);
}

/* A new row: find its rows of the coarser tables. */
static int add_coarser_rows(struct stat_table *finest, uint32_t row)
{
	uint32_t *rows;

	if (row >= finest->cap_coarser_rows && grow_coarser_rows(finest))
		return -ENOMEM;
	rows = &finest->coarser_rows[(size_t)row * finest->nr_coarser];
	for (unsigned int i = 0; i < finest->nr_coarser; i++) {
		rows[i] = stat_table_coarser_row(finest, &finest->coarser[i], row);
		if (rows[i] == STAT_ROW_NONE)
			return -ENOMEM;
	}
	finest->timeline_rows[row] = rows[finest->timeline_of];
	finest->nr_coarser_rows = row + 1;
	return 0;
}

/* The row of the keys, with its side arrays. */
static __attribute__((noinline)) uint32_t insert_reserved(struct stat_table *t,
							  const uint64_t *keys)
{
	uint32_t row = insert_row(t, keys);

	if (t->want_history && row != STAT_ROW_NONE && row >= t->history.nr &&
	    history_reserve(&t->history, row + 1))
		return STAT_ROW_NONE;
	if (t->coarser)
		return row == t->nr_coarser_rows && add_coarser_rows(t, row) ? STAT_ROW_NONE : row;
	if (t->timeline && row != STAT_ROW_NONE && row >= t->timeline->nr &&
	    timeline_reserve(t->timeline, row + 1))
		return STAT_ROW_NONE;
	return row;
}

/* A cached row has its side arrays. */
uint32_t stat_table_row_any(struct stat_table *t, const struct kmem_event *ev)
{
	const unsigned int nr = t->nr_by;
	uint64_t keys[STAT_KEYS_MAX];
	uint32_t *cached, row = latest_of_stack(t, ev);

	if (row != STAT_ROW_NONE)
		return row;
	keys[0] = 0; /* if there are no keys */
	for (unsigned int i = 0; i < nr; i++)
		keys[i] = kmem_event_key(ev, t->by[i]);
	if (!t->is_cached)
		return insert_reserved(t, keys);
	cached = cached_row(t, keys);
	if (*cached && same_keys(keys, stat_table_keys(t, *cached - 1), nr))
		return *cached - 1;
	row = insert_reserved(t, keys);
	/* a full table's row of others has other keys */
	if (row != STAT_ROW_NONE && same_keys(keys, stat_table_keys(t, row), nr))
		*cached = row + 1;
	return row;
}

/* Histograms are kept outside of rows, which stay small without them. */
int stat_table_reserve_lifetimes(struct stat_table *t, uint32_t row)
{
	uint32_t nr = t->rows.cap;
	struct lifetime_histogram *v;

	if (row < t->nr_lifetimes)
		return 0;
	v = reallocarray(t->lifetimes, nr, sizeof(*v));
	if (!v)
		return -ENOMEM;
	memset(v + t->nr_lifetimes, 0, (nr - t->nr_lifetimes) * sizeof(*v));
	t->lifetimes = v;
	t->nr_lifetimes = nr;
	return 0;
}

/* Before a row's first lifetime: reserve the histograms of its coarser rows, too. */
static int reserve_coarser_lifetimes(const struct stat_table *finest, uint32_t row)
{
	const uint32_t *rows = &finest->coarser_rows[(size_t)row * finest->nr_coarser];

	for (unsigned int i = 0; i < finest->nr_coarser; i++)
		if (stat_table_reserve_lifetimes(&finest->coarser[i], rows[i]))
			return -ENOMEM;
	return 0;
}

int stat_table_begin_lifetimes(struct stat_table *t, uint32_t row)
{
	if (stat_table_reserve_lifetimes(t, row))
		return -ENOMEM;
	return t->coarser ? reserve_coarser_lifetimes(t, row) : 0;
}

void stat_counts_add_all(struct stat_counts *to, const struct stat_counts *from)
{
	to->hits += from->hits;
	to->bytes_req += from->bytes_req;
	to->bytes_alloc += from->bytes_alloc;
	to->pingpong += from->pingpong;
	to->unseen_frees += from->unseen_frees;
	stat_counts_add_live(to, from->live_hits, from->live_bytes_req, from->live_bytes);
	if (__builtin_add_overflow(to->lifetime_ns, from->lifetime_ns, &to->lifetime_ns))
		to->lifetime_ns = UINT64_MAX;
	to->freed_hits += from->freed_hits;
	to->short_lived += from->short_lived;
	to->last_callsite = from->last_callsite;
}

static struct recent_counts counts_at_tick(const struct stat_table *t, const struct stat_counts *c)
{
	return (struct recent_counts){
		.hits = c->hits,
		.bytes_alloc = c->bytes_alloc,
		.live_hits = c->live_hits,
		.live_bytes = c->live_bytes,
		.live_unknown = t->live_unknown,
		.freed_hits = c->freed_hits,
	};
}

int stat_table_tick(struct stat_table *t)
{
	uint32_t row;

	if (!t->want_recent)
		return 0;
	if (stat_recents_reserve(&t->recents, stat_table_top(t)))
		return -ENOMEM;
	stat_table_for_each (row, t) {
		const struct recent_counts now = counts_at_tick(t, stat_table_counts(t, row));

		recent_row_tick(&t->recents.rows[row], &now);
	}
	return 0;
}

void stat_table_remove(struct stat_table *t, uint32_t row)
{
	/* the number's next row begins at zero */
	if (row < t->nr_lifetimes && t->lifetimes[row].nr)
		t->lifetimes[row] = (struct lifetime_histogram){.nr = 0};
	if (row < t->history.nr)
		history_forget(&t->history, row);
	if (t->timeline)
		timeline_forget(t->timeline, row);
	if (row < t->recents.nr)
		t->recents.rows[row] = (struct recent_row){.then = {0}};
	*cached_row(t, stat_table_keys(t, row)) = 0;
	table_remove(&t->rows, table_row(&t->rows, row));
	stat_table_counts(t, row)->hits = STAT_HITS_GAP;
}

uint64_t stat_wasted_bytes(uint64_t bytes_req, uint64_t bytes_alloc)
{
	return bytes_alloc > bytes_req ? bytes_alloc - bytes_req : 0;
}

double stat_fragmentation_percent(uint64_t bytes_req, uint64_t bytes_alloc)
{
	if (!bytes_alloc)
		return 0.0;
	return 100.0 - 100.0 * (double)bytes_req / (double)bytes_alloc;
}
