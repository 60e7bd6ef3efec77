/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct call_tree: callchains of one row, those that begin alike put together.
 *
 * A node is a function, called by (or calling) the one above it; node 0 is the root.  Nodes are in
 * one array, found by parent and function.  When all chains have been added, call_tree_arrange()
 * makes of it the branches that are worth showing.  Errors: -ENOMEM.
 */
#ifndef PROFILE_CALL_TREE_H
#define PROFILE_CALL_TREE_H

#include "util/base/table.h"
#include "util/document/value.h"

struct call_tree {
	struct table nodes;
	uint32_t *order; /* of nodes: by parent, then as they are shown */
	struct value_branch *branches;
	size_t nr_branches, cap_branches;
	uint32_t *items;
	size_t nr_items, cap_items;
};

/* What is shown, and how. */
struct call_tree_shape {
	enum value_tree_look look;
	enum value_tree_unit unit;
	double min_percent; /* of the whole; in a fractal tree, of what it branches off from */
	uint64_t limit;	    /* at most so many branches of one; 0: all */
};

/* What a branch must weigh to be shown, of whole numbers as stock has them: in a recording of few
 * samples, one may be enough.  Not of a fractal tree. */
static inline uint64_t call_tree_least(const struct call_tree_shape *shape, uint64_t whole)
{
	return (uint64_t)((double)whole * shape->min_percent / 100);
}

/* How two functions with the same weight are ordered. */
typedef int (*call_tree_compare_fn)(const void *ctx, uint32_t a, uint32_t b);

void call_tree_init(struct call_tree *t);
void call_tree_deinit(struct call_tree *t);

int call_tree_add(struct call_tree *t, const uint32_t *functions, size_t nr, uint64_t weight,
		  uint64_t nr_samples);

/*
 * Once.  `tree` has whole, weight, name and naming already, and gets the rest, which is valid until
 * the call tree ends.
 */
int call_tree_arrange(struct call_tree *t, const struct call_tree_shape *shape,
		      call_tree_compare_fn compare, const void *ctx, struct value_tree *tree);

#endif
