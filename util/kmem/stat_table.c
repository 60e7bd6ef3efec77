// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/stat_table.h"

#include <stdlib.h>
#include <string.h>

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
	table_deinit(&t->rows);
}

static bool has_keys(const uint64_t *keys, const struct stat_table *t,
		     const struct alloc_facts *facts)
{
	uint64_t differ = 0;

	for (unsigned int i = 0; i < t->nr_by; i++)
		differ |= keys[i] ^ facts->key[t->by[i]];
	return !differ;
}

uint32_t stat_table_row(struct stat_table *t, const struct alloc_facts *facts)
{
	uint64_t key[STAT_KEYS_MAX];
	uint32_t row;

	/* many an allocation is like the one before */
	if (t->rows.nr && has_keys(stat_table_keys(t, t->last), t, facts))
		return t->last;
	for (unsigned int i = 0; i < t->nr_by; i++)
		key[i] = facts->key[t->by[i]];
	row = table_insert_number(&t->rows, key);
	if (row == TABLE_NO_ROW)
		return STAT_ROW_NONE;
	t->last = row;
	return row;
}

/* The histograms stand beside the rows, so that rows stay small when nobody asks. */
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

void stat_table_note_lifetime(struct stat_table *t, uint32_t row, uint64_t age_ns)
{
	struct lifetime_histogram *h = histogram_of(t, row);

	if (h)
		lifetime_histogram_add(h, age_ns);
}
