// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/intern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* With fewer passing strings there is no sweep. */
#define SWEEP_MIN 4096

enum entry_state { ENTRY_KEPT, ENTRY_PASSING, ENTRY_FORGOTTEN };

struct intern_entry {
	size_t offset; /* offset in the pool; of a forgotten one: the previously forgotten number */
	size_t len;
	enum entry_state state;
};

struct index_row {
	uint64_t hash;
	uint32_t number;
};

void intern_init(struct intern *it)
{
	*it = (struct intern){.key = hash_key_random(), .forgotten = INTERN_NONE};
	table_init(&it->index, sizeof(struct index_row), sizeof(uint64_t));
}

void intern_deinit(struct intern *it)
{
	table_deinit(&it->index);
	free(it->entries);
	free(it->pool);
	it->entries = NULL;
	it->pool = NULL;
	it->nr = it->cap = it->used = it->pool_cap = it->nr_passing = it->nr_passing_left = 0;
	it->forgotten = INTERN_NONE;
}

/* Bytes of the pool that a string takes, including the NUL; the next one starts at a multiple of
 * 8. */
static size_t bytes_of(size_t len)
{
	return (len + 8) & ~(size_t)7;
}

static int grow(struct intern *it, size_t bytes)
{
	if (it->forgotten == INTERN_NONE && it->nr == it->cap) {
		size_t cap = it->cap ? it->cap * 2 : 64;
		struct intern_entry *v = reallocarray(it->entries, cap, sizeof(*v));

		if (!v)
			return -1;
		it->entries = v;
		it->cap = cap;
	}
	if (it->used + bytes > it->pool_cap) {
		size_t cap = it->pool_cap * 2 > it->used + bytes ? it->pool_cap * 2
								 : it->used + bytes + 4096;
		uint8_t *pool = realloc(it->pool, cap);

		if (!pool)
			return -1;
		it->pool = pool;
		it->pool_cap = cap;
	}
	return 0;
}

static uint32_t new_number(struct intern *it)
{
	uint32_t number = it->forgotten;

	if (number == INTERN_NONE)
		return (uint32_t)it->nr++;
	it->forgotten = (uint32_t)it->entries[number].offset;
	return number;
}

static uint32_t add(struct intern *it, const void *data, size_t len, enum entry_state state)
{
	/* different strings may have equal hashes: they are compared below */
	uint64_t hash = hash_bytes(&it->key, data, len);
	size_t bytes = bytes_of(len);
	struct index_row *row;

	for (;; hash++) {
		uint32_t nr_rows = it->index.nr;
		struct intern_entry *e;

		row = table_insert(&it->index, &hash);
		if (!row)
			return INTERN_NONE;
		if (it->index.nr > nr_rows)
			break;
		e = &it->entries[row->number];
		if (e->len != len || (len && memcmp(it->pool + e->offset, data, len) != 0))
			continue;
		if (state < e->state) {
			e->state = state;
			it->nr_passing--;
		}
		return row->number;
	}
	if (grow(it, bytes)) {
		table_remove(&it->index, row);
		return INTERN_NONE;
	}
	if (len)
		memcpy(it->pool + it->used, data, len);
	memset(it->pool + it->used + len, 0, bytes - len);
	row->number = new_number(it);
	it->entries[row->number] =
		(struct intern_entry){.offset = it->used, .len = len, .state = state};
	it->used += bytes;
	it->nr_passing += state == ENTRY_PASSING;
	return row->number;
}

uint32_t intern_add(struct intern *it, const void *data, size_t len)
{
	return add(it, data, len, ENTRY_KEPT);
}

uint32_t intern_add_passing(struct intern *it, const void *data, size_t len)
{
	return add(it, data, len, ENTRY_PASSING);
}

uint32_t intern_add_str(struct intern *it, const char *s)
{
	return intern_add(it, s, strlen(s));
}

uint32_t intern_find(const struct intern *it, const void *data, size_t len)
{
	uint64_t hash = hash_bytes(&it->key, data, len);
	const struct index_row *row;

	for (; (row = table_find(&it->index, &hash)); hash++) {
		const struct intern_entry *e = &it->entries[row->number];

		if (e->len == len && !memcmp(it->pool + e->offset, data, len))
			return row->number;
	}
	return INTERN_NONE;
}

const void *intern_get(const struct intern *it, uint32_t number, size_t *ret_len)
{
	const struct intern_entry *e = &it->entries[number];

	if (ret_len)
		*ret_len = e->len;
	return e->state == ENTRY_FORGOTTEN ? (const uint8_t *)"" : it->pool + e->offset;
}

bool intern_sweep_is_due(const struct intern *it)
{
	return it->nr_passing >= SWEEP_MIN && it->nr_passing / 2 >= it->nr_passing_left;
}

/* Another string with the same hash (1 in 2^64) that was added after it is not found any more: it
 * gets a second number. */
static void remove_from_index(struct intern *it, uint32_t number)
{
	const struct intern_entry *e = &it->entries[number];
	uint64_t hash = hash_bytes(&it->key, it->pool + e->offset, e->len);
	struct index_row *row;

	for (; (row = table_find(&it->index, &hash)); hash++)
		if (row->number == number) {
			table_remove(&it->index, row);
			return;
		}
}

static void forget(struct intern *it, uint32_t number)
{
	remove_from_index(it, number);
	it->entries[number] =
		(struct intern_entry){.offset = it->forgotten, .state = ENTRY_FORGOTTEN};
	it->forgotten = number;
	it->nr_passing--;
}

static bool is_forgettable(const struct intern *it, const uint8_t *held, size_t number)
{
	return it->entries[number].state == ENTRY_PASSING && !held[number];
}

int intern_sweep(struct intern *it, const uint8_t *held)
{
	size_t used = 0, at = 0;
	uint8_t *pool;

	for (size_t i = 0; i < it->nr; i++)
		if (it->entries[i].state != ENTRY_FORGOTTEN && !is_forgettable(it, held, i))
			used += bytes_of(it->entries[i].len);
	pool = malloc(used + 1);
	if (!pool)
		return -ENOMEM;
	for (size_t i = 0; i < it->nr; i++) {
		struct intern_entry *e = &it->entries[i];

		if (is_forgettable(it, held, i))
			forget(it, (uint32_t)i);
		if (e->state == ENTRY_FORGOTTEN)
			continue;
		memcpy(pool + at, it->pool + e->offset, bytes_of(e->len));
		e->offset = at;
		at += bytes_of(e->len);
	}
	free(it->pool);
	it->pool = pool;
	it->used = it->pool_cap = used;
	it->nr_passing_left = it->nr_passing;
	return 0;
}
