// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/table.h"

#include <stdbool.h>
#include <string.h>

#include "util/base/hash.h"
#include "util/base/large_memory.h"

#define MIN_SLOTS 64u

static inline uint32_t hash_key(const struct table *t, const void *key)
{
	const uint8_t *p = key;
	uint64_t h = t->seed, v;
	size_t n = t->key_size;

	if (n == sizeof(v))
		return table_hash_u64(t, table_key_u64(key));
	for (; n >= 8; n -= 8, p += 8)
		h = table_mix(h ^ table_key_u64(p), t->multiplier);
	if (n) {
		v = 0;
		memcpy(&v, p, n);
		h = table_mix(h ^ v, t->multiplier);
	}
	return (uint32_t)(h >> 32);
}

/* Most keys are a few numbers: avoid a call for them. */
static inline bool same_key(const struct table *t, const void *a, const void *b)
{
	const uint8_t *p = a, *q = b;
	size_t n = t->key_size;

	if (n % sizeof(uint64_t))
		return !memcmp(a, b, n);
	for (; n; n -= 8, p += 8, q += 8)
		if (table_key_u64(p) != table_key_u64(q))
			return false;
	return true;
}

void table_init(struct table *t, size_t row_size, size_t key_size)
{
	struct hash_key key = hash_key_random();

	/* odd, and not small, so that every bit of a key reaches the upper half of the product */
	*t = (struct table){.row_size = row_size,
			    .key_size = key_size,
			    .seed = key.v[0],
			    .multiplier = key.v[1] | 1 | 1ull << 63};
}

static void free_slots(struct table *t)
{
	if (t->slots)
		large_memory_free(t->slots, ((size_t)t->mask + 1) * sizeof(*t->slots));
}

void table_deinit(struct table *t)
{
	large_memory_free(t->rows, t->cap * t->row_size);
	free_slots(t);
	t->rows = NULL;
	t->slots = NULL;
	t->nr = t->top = t->cap = t->mask = 0;
	memset(t->gaps, 0, sizeof(t->gaps));
}

/* Returns the slot of the key, or the empty slot for it. The table must have slots. */
static inline struct table_slot *find_slot(const struct table *t, const void *key, uint32_t hash)
{
	if (t->key_size == sizeof(uint64_t))
		return table_slot_u64(t, table_key_u64(key), hash);
	for (uint32_t i = hash & t->mask;; i = (i + 1) & t->mask) {
		struct table_slot *slot = &t->slots[i];

		if (!slot->row)
			return slot;
		if (slot->hash == hash && same_key(t, table_row(t, slot->row - 1), key))
			return slot;
	}
}

struct table_slot *table_find_slot(const struct table *t, const void *key)
{
	struct table_slot *slot = t->nr ? find_slot(t, key, hash_key(t, key)) : NULL;

	return slot && slot->row ? slot : NULL;
}

void *table_find(const struct table *t, const void *key)
{
	const struct table_slot *slot = table_find_slot(t, key);

	return slot ? table_slot_row(t, slot) : NULL;
}

static int grow_slots(struct table *t)
{
	uint64_t nr_slots = t->mask ? ((uint64_t)t->mask + 1) * 2 : MIN_SLOTS;
	struct table_slot *slots;

	if (nr_slots > 1ull << 32)
		return -1;
	slots = large_memory_zeroed(nr_slots * sizeof(*slots));
	if (!slots)
		return -1;
	for (uint64_t i = 0; t->mask && i <= t->mask; i++) {
		uint32_t at = t->slots[i].hash & (uint32_t)(nr_slots - 1);

		if (!t->slots[i].row)
			continue;
		while (slots[at].row)
			at = (at + 1) & (uint32_t)(nr_slots - 1);
		slots[at] = t->slots[i];
	}
	free_slots(t);
	t->slots = slots;
	t->mask = (uint32_t)(nr_slots - 1);
	return 0;
}

static int grow_rows(struct table *t)
{
	uint64_t cap = t->cap ? (uint64_t)t->cap + t->cap / 2 : 16;
	uint8_t *rows;

	if (cap > UINT32_MAX - 1)
		cap = UINT32_MAX - 1;
	if (cap <= t->top || cap > SIZE_MAX / t->row_size)
		return -1;
	rows = large_memory_grow(t->rows, t->cap * t->row_size, cap * t->row_size);
	if (!rows)
		return -1;
	t->rows = rows;
	t->cap = (uint32_t)cap;
	return 0;
}

int table_grow(struct table *t)
{
	if (!t->gaps[t->gap] && t->top == t->cap && grow_rows(t))
		return -1;
	if ((uint64_t)t->nr * 4 >= (uint64_t)t->mask && grow_slots(t))
		return -1;
	return 0;
}

static void add_gap(struct table *t, uint32_t row)
{
	t->gap = (t->gap + 1) % TABLE_GAPS;
	memcpy(table_row(t, row), &t->gaps[t->gap], sizeof(t->gaps[0]));
	t->gaps[t->gap] = row + 1;
}

uint32_t table_insert_number(struct table *t, const void *key)
{
	uint32_t hash = hash_key(t, key);
	struct table_slot *slot;
	uint8_t *row;

	/* done first, because it may move the slots */
	if (table_make_room(t))
		return TABLE_NO_ROW;
	slot = find_slot(t, key, hash);
	if (slot->row)
		return slot->row - 1;
	row = table_add_row(t, slot, hash);
	memset(row, 0, t->row_size);
	memcpy(row, key, t->key_size);
	return slot->row - 1;
}

/* Empty a slot and close the gap in the probe sequences that pass it. */
static void empty_slot(struct table *t, struct table_slot *slot)
{
	uint32_t hole = (uint32_t)(slot - t->slots);
	uint32_t i = hole;

	for (;;) {
		i = (i + 1) & t->mask;
		if (!t->slots[i].row)
			break;
		/* the entry at i may move into the hole only if its home is not after the hole */
		if (((i - t->slots[i].hash) & t->mask) >= ((i - hole) & t->mask)) {
			t->slots[hole] = t->slots[i];
			hole = i;
		}
	}
	t->slots[hole] = (struct table_slot){0};
}

void table_remove_slot(struct table *t, struct table_slot *slot)
{
	add_gap(t, slot->row - 1);
	empty_slot(t, slot);
	t->nr--;
}

void table_remove(struct table *t, void *row)
{
	table_remove_slot(t, find_slot(t, row, hash_key(t, row)));
}

void *table_next(const struct table *t, uint64_t *at)
{
	while (t->mask && *at <= t->mask) {
		const struct table_slot *slot = &t->slots[(*at)++];

		if (slot->row)
			return table_row(t, slot->row - 1);
	}
	return NULL;
}
