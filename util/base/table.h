/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct table: rows of one size in a dense array, found by the key at their start.
 *
 * Each row starts with key_size bytes of key, without padding, because keys are compared as bytes.
 * The rest belongs to the user and is zeroed when a row is created. The table owns the rows. A
 * pointer to a row is valid until the next insert, its number until the row is removed.
 *
 * Rows are in insertion order and keep their numbers; a new row takes the place of the row removed
 * last, which is still in the cache. So a table from which rows were removed has gaps, and must be
 * walked with table_next(). One without removals can also be walked by number.
 *
 * The index uses open addressing with linear probing and keeps the hash beside the row's number, so
 * that a probe rarely reads the wrong row.
 *
 * Keys may be chosen by an attacker, so each table hashes with its own secret. The hash is the
 * 128-bit product of (word ^ seed) and a random odd multiplier, its halves folded by xor. A key of
 * several words is hashed word by word. Whether two keys collide depends on the multiplier: the
 * products of keys a and b differ by (+-2^i +- ...) * multiplier, with signs that depend on the
 * seed. So no set of keys collides for more than a few of the 2^126 secrets, and no secret is ever
 * revealed. For words this is equivalent to SipHash for strings (hash.h), with one multiplication.
 *
 * Errors: -ENOMEM; -E2BIG at 2^32 - 2 rows.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/base/wide.h"

struct table_slot {
	uint32_t hash;
	uint32_t row; /* number of the row + 1; 0: empty */
};

/* Number of gaps that are prefetched before their use. */
#define TABLE_GAPS 4

struct table {
	uint8_t *rows;
	struct table_slot *slots;
	size_t row_size;
	size_t key_size;
	uint32_t nr;  /* rows in use */
	uint32_t top; /* rows ever in use: nr and the gaps */
	/* ring of the latest gaps, number + 1; each gap starts with the number of the one
	 * TABLE_GAPS before it */
	uint32_t gaps[TABLE_GAPS];
	uint32_t gap;  /* index of the latest one in gaps */
	uint32_t cap;  /* rows allocated */
	uint32_t mask; /* slots - 1; 0: no slots yet */
	uint64_t seed, multiplier;
};

void table_init(struct table *t, size_t row_size, size_t key_size);
void table_deinit(struct table *t);

/* Returns the row with this key, or NULL. */
void *table_find(const struct table *t, const void *key);

#define TABLE_NO_ROW UINT32_MAX

/* Returns the number of the row with this key, creating it (zeroed after the key) if necessary;
 * TABLE_NO_ROW if out of memory. */
uint32_t table_insert_number(struct table *t, const void *key);

/* Remove a row of the table. */
void table_remove(struct table *t, void *row);

/*
 * Returns the slot of a row, or NULL; lets a row be found and then removed. Valid until the next
 * insert or remove.
 */
struct table_slot *table_find_slot(const struct table *t, const void *key);
void table_remove_slot(struct table *t, struct table_slot *slot);

/*
 * Walk the rows, in undefined order. *at is 0 at first. Returns NULL after the last row. Rows must
 * not be inserted or removed meanwhile.
 */
void *table_next(const struct table *t, uint64_t *at);

static inline void *table_row(const struct table *t, uint32_t i)
{
	return t->rows + (size_t)i * t->row_size;
}

/* Returns the row with this key, creating it if necessary. NULL if out of memory. */
static inline void *table_insert(struct table *t, const void *key)
{
	uint32_t i = table_insert_number(t, key);

	return i == TABLE_NO_ROW ? NULL : table_row(t, i);
}

static inline void *table_slot_row(const struct table *t, const struct table_slot *slot)
{
	return table_row(t, slot->row - 1);
}

static inline uint32_t table_index(const struct table *t, const void *row)
{
	return (uint32_t)((size_t)((const uint8_t *)row - t->rows) / t->row_size);
}

static inline uint64_t table_mix(uint64_t a, uint64_t b)
{
	wide product = wide_product(a, b);

	return wide_low(product) ^ wide_high(product);
}

/* Load a key of 8 bytes, at any alignment. */
static inline uint64_t table_key_u64(const void *key)
{
	uint64_t v;

	memcpy(&v, key, sizeof(v));
	return v;
}

/* One 32-bit hash contains both the home slot of a key (its low bits) and the tag in its slot. */
static inline uint32_t table_hash_u64(const struct table *t, uint64_t key)
{
	return (uint32_t)(table_mix(t->seed ^ key, t->multiplier) >> 32);
}

/*
 * For the paths of events: keys of 8 bytes with their hash, table_hash_u64(), which is computed
 * once for prefetching and for the access.
 */

/* Returns the slot of the key, or the empty slot for it. The table must have slots. */
static inline struct table_slot *table_slot_u64(const struct table *t, uint64_t key, uint32_t hash)
{
	for (uint32_t i = hash & t->mask;; i = (i + 1) & t->mask) {
		struct table_slot *slot = &t->slots[i];

		if (!slot->row ||
		    (slot->hash == hash && table_key_u64(table_row(t, slot->row - 1)) == key))
			return slot;
	}
}

/* As table_find_slot(). */
static inline struct table_slot *table_find_slot_u64(const struct table *t, uint64_t key,
						     uint32_t hash)
{
	struct table_slot *slot = t->nr ? table_slot_u64(t, key, hash) : NULL;

	return slot && slot->row ? slot : NULL;
}

/* Make room for one more row, which may move slots and rows. Errors: -1, out of memory. */
int table_grow(struct table *t);

/* At most a quarter of the slots is used, so that most probes hit at once. */
static inline int table_make_room(struct table *t)
{
	if ((t->gaps[t->gap] || t->top < t->cap) && (uint64_t)t->nr * 4 < t->mask)
		return 0;
	return table_grow(t);
}

/* Returns the number of a free place for a row: the latest gap, or the place after the last row. */
static inline uint32_t table_take_place(struct table *t)
{
	uint32_t gap = t->gaps[t->gap], next;

	if (!gap)
		return t->top++;
	memcpy(&next, table_row(t, gap - 1), sizeof(next));
	t->gaps[t->gap] = next;
	t->gap = (t->gap - 1) % TABLE_GAPS;
	if (next)
		__builtin_prefetch(table_row(t, next - 1), 1);
	return gap - 1;
}

/* Returns a new row for an empty slot, when there is room. The caller must write the whole row,
 * which is not zeroed. */
static inline void *table_add_row(struct table *t, struct table_slot *slot, uint32_t hash)
{
	uint32_t i = table_take_place(t);

	t->nr++;
	*slot = (struct table_slot){.hash = hash, .row = i + 1};
	return table_row(t, i);
}

/*
 * Start loading the cache line at p. GCC 12 drops calls of a function that only prefetches, as if
 * it had no effect; an asm statement prevents this.
 */
static inline void table_prefetch(const void *p)
{
	__asm__ volatile("");
	__builtin_prefetch(p, 1);
}

/* Prefetch the slot of a key that will be looked up soon. Also prefetch the next slot, which is
 * read if another key has the first one, and when it is emptied. */
static inline void table_prefetch_slot(const struct table *t, uint32_t hash)
{
	uint32_t at = hash & t->mask;

	table_prefetch(t->slots + at);
	table_prefetch(t->slots + at + 1);
}

/* After table_prefetch_slot(): prefetch the bytes at `offset` of the row that the slot probably
 * leads to. */
static inline void table_prefetch_row(const struct table *t, uint32_t hash, size_t offset)
{
	uint32_t row = 0;

	/* do not branch on its content, which would often be mispredicted */
	if (t->nr) {
		hash += t->slots[hash & t->mask].hash != hash;
		row = t->slots[hash & t->mask].row;
	}
	table_prefetch(t->rows + (size_t)(row - (row > 0)) * t->row_size + offset);
}

#endif
