/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct rbtree: a red-black tree of nodes embedded in the caller's structs.
 *
 * The caller defines the order: compare(a, b, ctx) < 0 puts a before b. Nodes that compare equal
 * stay in insertion order. The tree owns no memory; a node must not move while it is in the tree.
 * All operations are O(log n) and never fail.
 */
#ifndef BASE_RBTREE_H
#define BASE_RBTREE_H

#include <stdbool.h>
#include <stddef.h>

struct rbtree_node {
	struct rbtree_node *parent;
	struct rbtree_node *child[2];
	bool red;
};

typedef int (*rbtree_compare_fn)(const struct rbtree_node *a, const struct rbtree_node *b,
				 const void *ctx);

struct rbtree {
	struct rbtree_node *root;
	rbtree_compare_fn compare;
	const void *ctx;
	size_t nr;
};

void rbtree_init(struct rbtree *t, rbtree_compare_fn compare, const void *ctx);
void rbtree_insert(struct rbtree *t, struct rbtree_node *node);
void rbtree_erase(struct rbtree *t, struct rbtree_node *node);

/* Return NULL at the end, or if the tree is empty. */
struct rbtree_node *rbtree_first(const struct rbtree *t);
struct rbtree_node *rbtree_last(const struct rbtree *t);
struct rbtree_node *rbtree_next(const struct rbtree_node *node);

#define rbtree_for_each(node, tree)                                                                \
	for ((node) = rbtree_first(tree); (node); (node) = rbtree_next(node))

#endif
