// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/intern.h"

#include <stdlib.h>
#include <string.h>

struct intern_entry {
	size_t offset; /* offset in the pool */
	size_t len;
};

struct index_row {
	uint64_t hash;
	uint32_t number;
};

void intern_init(struct intern *it)
{
	*it = (struct intern){.key = hash_key_random()};
	table_init(&it->index, sizeof(struct index_row), sizeof(uint64_t));
}

void intern_deinit(struct intern *it)
{
	table_deinit(&it->index);
	free(it->entries);
	free(it->pool);
	it->entries = NULL;
	it->pool = NULL;
	it->nr = it->cap = it->used = it->pool_cap = 0;
}

static int grow(struct intern *it, size_t bytes)
{
	if (it->nr == it->cap) {
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

uint32_t intern_add(struct intern *it, const void *data, size_t len)
{
	/* different strings with equal hashes are told apart below */
	uint64_t hash = hash_bytes(&it->key, data, len);
	/* with the NUL; the next string begins at a multiple of 8 */
	size_t bytes = (len + 8) & ~(size_t)7;
	struct index_row *row;

	for (;; hash++) {
		uint32_t nr_rows = it->index.nr;
		const struct intern_entry *e;

		row = table_insert(&it->index, &hash);
		if (!row)
			return INTERN_NONE;
		if (it->index.nr > nr_rows)
			break;
		e = &it->entries[row->number];
		if (e->len == len && !memcmp(it->pool + e->offset, data, len))
			return row->number;
	}
	if (grow(it, bytes)) {
		table_remove(&it->index, row);
		return INTERN_NONE;
	}
	if (len)
		memcpy(it->pool + it->used, data, len);
	memset(it->pool + it->used + len, 0, bytes - len);
	it->entries[it->nr] = (struct intern_entry){.offset = it->used, .len = len};
	it->used += bytes;
	row->number = (uint32_t)it->nr;
	return (uint32_t)it->nr++;
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
	if (ret_len)
		*ret_len = it->entries[number].len;
	return it->pool + it->entries[number].offset;
}
