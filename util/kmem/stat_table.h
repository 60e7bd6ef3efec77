/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct stat_table: allocations grouped by a list of keys.
 *
 * One row for each combination of the keys' values; rows stay where they are, so
 * the live set may hold their numbers.  An allocation of slab objects and one of pages
 * fill the same struct alloc_facts; which keys mean something depends on the allocator.
 * Everything is an unsigned 64-bit number; signed ones are sign-extended.
 */
#ifndef KMEM_STAT_TABLE_H
#define KMEM_STAT_TABLE_H

#include <stdint.h>

#include "util/base/table.h"

enum kmem_key {
	KEY_CALLSITE, /* address; 0: unknown */
	KEY_PTR,
	KEY_PAGE, /* pfn, or the address of struct page in old recordings */
	KEY_ORDER,
	KEY_MIGRATETYPE,
	KEY_GFP,
	KEY_NR,
};

#define STAT_KEYS_MAX 4
#define STAT_ROW_NONE UINT32_MAX

struct alloc_facts {
	uint64_t key[KEY_NR];
	uint64_t bytes_req;
	uint64_t bytes_alloc;
};

struct stat_counts {
	uint64_t hits;
	uint64_t bytes_req;
	uint64_t bytes_alloc;
	uint64_t pingpong; /* freed on another CPU than allocated on */
	uint64_t live_hits;
	uint64_t live_bytes; /* as allocated */
	uint64_t live_bytes_req;
	uint64_t last_callsite; /* of the latest allocation */
	uint64_t last_ptr;
};

struct stat_table {
	enum kmem_key by[STAT_KEYS_MAX];
	unsigned int nr_by;
	struct table rows; /* nr_by values, then struct stat_counts */
};

void stat_table_init(struct stat_table *t, const enum kmem_key *by, unsigned int nr_by);
void stat_table_deinit(struct stat_table *t);

/* The number of the row for these facts, made when there is none; STAT_ROW_NONE: no memory. */
uint32_t stat_table_row(struct stat_table *t, const struct alloc_facts *facts);

static inline const uint64_t *stat_table_keys(const struct stat_table *t, uint32_t row)
{
	return table_row(&t->rows, row);
}

static inline struct stat_counts *stat_table_counts(const struct stat_table *t, uint32_t row)
{
	return (struct stat_counts *)((uint64_t *)table_row(&t->rows, row) + t->nr_by);
}

/* Count an allocation in a row (sign 1), or take it back (-1, for a duplicate). */
static inline void stat_counts_add(struct stat_counts *c, uint64_t bytes_req, uint64_t bytes_alloc,
				   int64_t sign)
{
	c->hits += (uint64_t)sign;
	c->bytes_req += (uint64_t)sign * bytes_req;
	c->bytes_alloc += (uint64_t)sign * bytes_alloc;
}

#endif
