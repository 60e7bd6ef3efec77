/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sort keys, and the rows of a stat_table in their order.
 *
 * A key is one line of a table: its name, whose it is, and the number that a row is ordered
 * by; comparing is derived from that.  Rows go from the largest down; rows equal in
 * every key stand in ascending order of what they are grouped by, so the order is
 * the same in every run.  Rows live in a red-black tree that never holds more
 * than the lines asked for.
 */
#ifndef REPORT_SORT_H
#define REPORT_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/base/rbtree.h"
#include "util/kmem/stat_table.h"

/* Whose key it is: bits. */
enum allocator { ALLOCATOR_SLAB = 1, ALLOCATOR_PAGE = 2, ALLOCATOR_BOTH = 3 };

#define SORT_KEYS_MAX 8
#define LINES_ALL     UINT64_MAX

struct sort_key;

struct sort_keys {
	const struct sort_key *v[SORT_KEYS_MAX];
	unsigned int nr;
};

/*
 * Append the keys of "frag,hit,bytes" to the list. *ret_allocators: the allocators that know all
 * of them. Errors: -EINVAL, names the bad key and the good ones.
 */
int sort_keys_parse(struct sort_keys *keys, const char *text, enum allocator *ret_allocators,
		    struct error *err);

/* The name of the i-th key, as one writes it. */
const char *sort_keys_name(const struct sort_keys *keys, unsigned int i);

/* One row as the report sees it. */
struct row_view {
	const struct stat_table *table;
	const uint64_t *key;
	const struct stat_counts *counts;
	bool live; /* show what is live instead of what was allocated */
};

uint64_t row_hits(const struct row_view *row);
uint64_t row_bytes(const struct row_view *row);
uint64_t row_bytes_req(const struct row_view *row);

/* The row's value of a key that it is grouped by; else the latest known (callsite, ptr), else 0. */
uint64_t row_key(const struct row_view *row, enum kmem_key key);

struct sorted_rows {
	const struct stat_table *table;
	const struct sort_keys *keys;
	bool live;
	struct rbtree tree;
	struct sorted_row *nodes;
	uint64_t total; /* rows there are; more than in the tree when lines were limited */
};

/* Sort the rows that have something to show. Errors: -ENOMEM. */
int sorted_rows_init(struct sorted_rows *s, const struct stat_table *table,
		     const struct sort_keys *keys, bool live, uint64_t lines);
void sorted_rows_deinit(struct sorted_rows *s);

/* Walk from the first row: pass NULL, then what it returned; fills the view. NULL at the end. */
const struct rbtree_node *sorted_rows_next(const struct sorted_rows *s,
					   const struct rbtree_node *node,
					   struct row_view *ret_view);

#endif
