/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct call_tree: the callchains of one row, merged where they begin alike.
 *
 * A node is a function, called by (or calling) its parent; node 0 is the root. Nodes are in one
 * array, each after its parent. Children that weigh less than call_tree_min() are only counted.
 * When all nodes have been added, call_tree_arrange() makes the branches to show. Errors: -ENOMEM,
 * as CALL_TREE_NONE.
 */
#ifndef PROFILE_CALL_TREE_H
#define PROFILE_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/document/value.h"

#define CALL_TREE_NONE UINT32_MAX

/*
 * Limits of all trees of a report. A tree that reaches a limit ends there. A step takes about 10
 * ns.
 */
struct call_tree_limits {
	uint64_t steps;	    /* remaining ones */
	uint32_t nodes_max; /* in one tree */
	bool reached;
};

/* The number of steps, where they are not counted otherwise, to make a node, and to show an
 * item. */
#define CALL_TREE_NODE_STEPS 32
#define CALL_TREE_ITEM_STEPS 16

static inline void call_tree_spend(struct call_tree_limits *l, uint64_t steps)
{
	l->steps -= steps < l->steps ? steps : l->steps;
	l->reached |= !l->steps;
}

struct call_tree {
	struct call_tree_limits *limits;
	struct call_tree_node *nodes;
	uint32_t nr_nodes;
	size_t cap_nodes;
	uint32_t *order; /* of nodes: by parent, then in the order of display */
	struct value_branch *branches;
	size_t nr_branches, cap_branches;
	uint32_t *items;
	size_t nr_items, cap_items;
};

/* The kind of tree to show. */
struct call_tree_shape {
	enum value_tree_look look;
	enum value_tree_unit unit;
	double min_percent; /* percent of the total; in a fractal tree, of the parent */
	uint64_t limit;	    /* limit of branches of a node; 0: all */
};

/* The minimum weight of a branch to show, a whole number as in stock: in a recording of few
 * samples, one may be enough. Not for a fractal tree. */
static inline uint64_t call_tree_least(const struct call_tree_shape *shape, uint64_t whole)
{
	return (uint64_t)((double)whole * shape->min_percent / 100);
}

/* The minimum weight of a child to show; `below`: the weight of all children together. */
uint64_t call_tree_min(const struct call_tree_shape *shape, uint64_t whole, uint64_t below);

/* The order of two functions with equal weight. */
typedef int (*call_tree_compare_fn)(const void *ctx, uint32_t a, uint32_t b);

/* The limits must outlive it. */
void call_tree_init(struct call_tree *t, struct call_tree_limits *limits);
void call_tree_deinit(struct call_tree *t);

/*
 * Add a node, for a parent without a child of this function. Returns its number. The root comes
 * first; its parent is CALL_TREE_NONE. age: if two chains have equal weights, the one whose last
 * caller is older comes first in a list; ages are distinct.
 */
uint32_t call_tree_add(struct call_tree *t, uint32_t parent, uint32_t function, uint64_t weight,
		       uint64_t nr_samples, uint64_t age);

/* Whether it may have more nodes. */
static inline bool call_tree_has_room(struct call_tree *t)
{
	t->limits->reached |= t->nr_nodes >= t->limits->nodes_max;
	return t->limits->steps && t->nr_nodes < t->limits->nodes_max;
}

/* Add the weight of chains that end at the node. */
void call_tree_end(struct call_tree *t, uint32_t node, uint64_t weight, uint64_t nr_samples);

/* Count children of the node that are too light to show. */
void call_tree_leave_out(struct call_tree *t, uint32_t node, uint32_t nr_children);

/*
 * Called once. `tree` already has whole, weight, name and naming; its other members are set, and
 * valid until the call tree ends.
 */
int call_tree_arrange(struct call_tree *t, const struct call_tree_shape *shape,
		      call_tree_compare_fn compare, const void *ctx, struct value_tree *tree);

#endif
