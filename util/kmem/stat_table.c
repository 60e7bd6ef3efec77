// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/stat_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/kmem/event_key.h"

void stat_table_init(struct stat_table *t, const enum kmem_key *by, unsigned int nr_by)
{
	*t = (struct stat_table){0};
	memcpy(t->by, by, nr_by * sizeof(*by));
	t->nr_by = nr_by;
	table_init(&t->rows, nr_by * sizeof(uint64_t) + sizeof(struct stat_counts),
		   nr_by * sizeof(uint64_t));
}

void stat_table_deinit(struct stat_table *t)
{
	free(t->lifetimes);
	history_deinit(&t->history);
	table_deinit(&t->rows);
}

static bool same_keys(const uint64_t *a, const uint64_t *b, unsigned int nr)
{
	uint64_t differ = 0;

	for (unsigned int i = 0; i < nr; i++)
		differ |= a[i] ^ b[i];
	return !differ;
}

/* Faster than a hash that must not be predictable. */
static uint32_t *recent_row(struct stat_table *t, const uint64_t *keys)
{
	uint64_t hash = 0;

	for (unsigned int i = 0; i < t->nr_by; i++)
		hash = (hash ^ keys[i]) * 0x9e3779b97f4a7c15ull;
	return &t->recent[(hash >> 32) % STAT_RECENT];
}

static uint32_t find_row(struct stat_table *t, const struct kmem_event *ev)
{
	uint64_t keys[STAT_KEYS_MAX];
	uint32_t *recent, row;

	for (unsigned int i = 0; i < t->nr_by; i++)
		keys[i] = kmem_event_key(ev, t->by[i]);
	if (t->nr_by == 1)
		return table_insert_number(&t->rows, keys);
	recent = recent_row(t, keys);
	if (*recent && same_keys(keys, stat_table_keys(t, *recent - 1), t->nr_by))
		return *recent - 1;
	row = table_insert_number(&t->rows, keys);
	if (row != TABLE_NO_ROW)
		*recent = row + 1;
	return row;
}

uint32_t stat_table_row(struct stat_table *t, const struct kmem_event *ev)
{
	uint32_t row = find_row(t, ev);

	if (t->want_history && row != STAT_ROW_NONE && row >= t->history.nr &&
	    history_reserve(&t->history, row + 1))
		return STAT_ROW_NONE;
	return row;
}

/* Histograms are kept outside of rows, so that rows are small if they are not wanted. */
static struct lifetime_histogram *histogram_of(struct stat_table *t, uint32_t row)
{
	if (row >= t->nr_lifetimes) {
		uint32_t nr = t->rows.cap;
		struct lifetime_histogram *v = reallocarray(t->lifetimes, nr, sizeof(*v));

		if (!v)
			return NULL;
		memset(v + t->nr_lifetimes, 0, (nr - t->nr_lifetimes) * sizeof(*v));
		t->lifetimes = v;
		t->nr_lifetimes = nr;
	}
	return &t->lifetimes[row];
}

int stat_table_note_lifetime(struct stat_table *t, uint32_t row, uint64_t age_ns)
{
	struct lifetime_histogram *h = histogram_of(t, row);

	if (!h)
		return -ENOMEM;
	lifetime_histogram_add(h, age_ns);
	return 0;
}
