// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/profile/call_tree.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "util/base/array.h"

/* Limits the number of items of a list. */
#define ITEMS_PER_NODE 16

struct call_tree_node {
	uint32_t function, parent;
	uint32_t nr_children, nr_left_out;
	uint32_t first;	      /* of its children, in their order */
	uint64_t own, own_nr; /* weight of chains that end here */
	uint64_t weight, nr;
	uint64_t age;
};

struct arranging {
	struct call_tree *tree;
	const struct call_tree_shape *shape;
	uint64_t whole;
	call_tree_compare_fn compare;
	const void *ctx;
};

void call_tree_init(struct call_tree *t, struct call_tree_limits *limits)
{
	*t = (struct call_tree){.limits = limits};
}

void call_tree_deinit(struct call_tree *t)
{
	free(t->nodes);
	free(t->order);
	free(t->branches);
	free(t->items);
}

static struct call_tree_node *node_at(const struct call_tree *t, uint32_t number)
{
	return &t->nodes[number];
}

uint32_t call_tree_add(struct call_tree *t, uint32_t parent, uint32_t function, uint64_t weight,
		       uint64_t nr_samples, uint64_t age)
{
	struct call_tree_node *v =
		t->nr_nodes == CALL_TREE_NONE
			? NULL
			: array_room(t->nodes, t->nr_nodes, &t->cap_nodes, sizeof(*v));

	if (!v)
		return CALL_TREE_NONE;
	t->nodes = v;
	call_tree_spend(t->limits, CALL_TREE_NODE_STEPS);
	if (parent != CALL_TREE_NONE)
		v[parent].nr_children++;
	v[t->nr_nodes] = (struct call_tree_node){.function = function,
						 .parent = parent,
						 .weight = weight,
						 .nr = nr_samples,
						 .age = age};
	return t->nr_nodes++;
}

void call_tree_end(struct call_tree *t, uint32_t node, uint64_t weight, uint64_t nr_samples)
{
	node_at(t, node)->own += weight;
	node_at(t, node)->own_nr += nr_samples;
}

void call_tree_leave_out(struct call_tree *t, uint32_t node, uint32_t nr_children)
{
	node_at(t, node)->nr_left_out += nr_children;
}

uint64_t call_tree_min(const struct call_tree_shape *shape, uint64_t whole, uint64_t below)
{
	double min = (double)below * shape->min_percent / 100;

	if (shape->look != TREE_FRACTAL)
		return call_tree_least(shape, whole);
	return (uint64_t)min + ((double)(uint64_t)min < min);
}

/* ---- order of display ------------------------------------------------------------------------ */

static int compare_weights(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

/* The root, which has no parent, comes first. */
static uint64_t parents_age(const struct call_tree *t, const struct call_tree_node *n)
{
	return n->parent == CALL_TREE_NONE ? 0 : node_at(t, n->parent)->age + 1;
}

static int compare_siblings(const void *x, const void *y, void *arranging)
{
	const struct arranging *g = arranging;
	const struct call_tree_node *a = node_at(g->tree, *(const uint32_t *)x);
	const struct call_tree_node *b = node_at(g->tree, *(const uint32_t *)y);
	int ret = compare_weights(a->weight, b->weight);

	if (a->parent != b->parent)
		return parents_age(g->tree, a) < parents_age(g->tree, b) ? -1 : 1;
	return ret ? ret : g->compare(g->ctx, a->function, b->function);
}

static int compare_ends(const void *x, const void *y, void *arranging)
{
	const struct arranging *g = arranging;
	const struct call_tree_node *a = node_at(g->tree, *(const uint32_t *)x);
	const struct call_tree_node *b = node_at(g->tree, *(const uint32_t *)y);
	int ret = compare_weights(a->own, b->own);

	return ret ? ret : compare_siblings(x, y, arranging);
}

static int order_nodes(struct arranging *g,
		       int (*compare)(const void *x, const void *y, void *arranging))
{
	struct call_tree *t = g->tree;
	const uint32_t nr = t->nr_nodes;

	t->order = calloc((size_t)nr + 1, sizeof(*t->order));
	if (!t->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		t->order[i] = i;
	qsort_r(t->order, nr, sizeof(*t->order), compare, g);
	return 0;
}

/* ---- branches ---- */

/* depth: number of branches above, for the indentation. */
static int add_item(struct call_tree *t, uint32_t function, uint32_t depth)
{
	uint32_t *v = array_room(t->items, t->nr_items, &t->cap_items, sizeof(*v));

	if (!v)
		return -ENOMEM;
	t->items = v;
	t->items[t->nr_items++] = function;
	call_tree_spend(t->limits, CALL_TREE_ITEM_STEPS + 2ull * depth);
	return 0;
}

/* Reserve nr more branches; *ret_first is the first. */
static int add_branches(struct call_tree *t, size_t nr, size_t *ret_first)
{
	*ret_first = t->nr_branches;
	if (t->nr_branches + nr > t->cap_branches) {
		size_t cap = 2 * (t->nr_branches + nr);
		struct value_branch *v = reallocarray(t->branches, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		t->branches = v;
		t->cap_branches = cap;
	}
	t->nr_branches += nr;
	return 0;
}

static struct value_branch branch_of(const struct call_tree_node *n)
{
	return (struct value_branch){
		.weight = n->weight, .nr = n->nr, .own = n->own, .own_nr = n->own_nr};
}

/* A part of a chain that neither ends nor branches is one branch. Returns its last node. */
static uint32_t add_run(struct call_tree *t, uint32_t at, uint32_t depth, size_t *ret_nr)
{
	const size_t start = t->nr_items;

	for (;;) {
		const struct call_tree_node *n = node_at(t, at);

		if (add_item(t, n->function, depth))
			return CALL_TREE_NONE;
		if (n->own || n->own_nr || n->nr_children + n->nr_left_out != 1 ||
		    !t->limits->steps)
			break;
		at = t->order[n->first];
	}
	*ret_nr = t->nr_items - start;
	return at;
}

/* The branches below a node. */
static int branch_off(struct arranging *g, uint32_t parent, uint32_t depth, size_t *ret_first,
		      size_t *ret_nr)
{
	struct call_tree *t = g->tree;
	const uint32_t *children = t->order + node_at(t, parent)->first;
	const uint64_t min = call_tree_min(g->shape, g->whole,
					   node_at(t, parent)->weight - node_at(t, parent)->own);
	size_t first, nr = 0;

	while (nr < node_at(t, parent)->nr_children && node_at(t, children[nr])->weight >= min)
		nr++;
	if (!t->limits->steps)
		nr = 0;
	if (add_branches(t, nr, &first))
		return -ENOMEM;
	*ret_first = first;
	*ret_nr = nr;
	for (size_t i = 0; i < nr; i++) {
		struct value_branch b;
		size_t nr_items;
		uint32_t end = add_run(t, children[i], depth, &nr_items);

		if (end == CALL_TREE_NONE)
			return -ENOMEM;
		b = branch_of(node_at(t, end));
		b.nr_items = nr_items;
		if (branch_off(g, end, depth + 1, &b.first, &b.nr_branches))
			return -ENOMEM;
		t->branches[first + i] = b;
	}
	return 0;
}

static int make_tree(struct arranging *g, struct value_tree *tree)
{
	struct call_tree *t = g->tree;

	if (order_nodes(g, compare_siblings))
		return -ENOMEM;
	for (uint32_t i = t->nr_nodes; i-- > 1;)
		node_at(t, node_at(t, t->order[i])->parent)->first = i;
	return branch_off(g, 0, 0, &tree->first, &tree->nr_branches);
}

/* Outermost first. */
static int add_path(struct call_tree *t, uint32_t at)
{
	const size_t start = t->nr_items;

	for (; at; at = node_at(t, at)->parent)
		if (add_item(t, node_at(t, at)->function, 0))
			return -ENOMEM;
	for (size_t i = start, k = t->nr_items; i + 1 < k; i++) {
		uint32_t item = t->items[i];

		t->items[i] = t->items[--k];
		t->items[k] = item;
	}
	return 0;
}

/* Whether another chain may be added. Chains that share nodes have separate items. */
static bool list_has_room(struct call_tree *t)
{
	const uint64_t max = (uint64_t)ITEMS_PER_NODE * t->limits->nodes_max;

	t->limits->reached |= t->nr_items >= max;
	return t->limits->steps && t->nr_items < max;
}

/* Make each chain a branch. */
static int make_list(struct arranging *g, struct value_tree *tree)
{
	struct call_tree *t = g->tree;
	const uint64_t min = call_tree_least(g->shape, g->whole);
	size_t nr = 0, first;

	if (order_nodes(g, compare_ends))
		return -ENOMEM;
	while (nr < t->nr_nodes && node_at(t, t->order[nr])->own &&
	       node_at(t, t->order[nr])->own >= min)
		nr++;
	if (add_branches(t, nr, &first))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const size_t start = t->nr_items;

		if (!list_has_room(t)) {
			nr = i;
			break;
		}
		if (add_path(t, t->order[i]))
			return -ENOMEM;
		t->branches[i] = branch_of(node_at(t, t->order[i]));
		t->branches[i].nr_items = t->nr_items - start;
	}
	tree->first = first;
	tree->nr_branches = nr;
	return 0;
}

/* Items do not move any more.  A branch's own items precede those of its sub-branches. */
static void place_items(struct call_tree *t, size_t first, size_t nr, size_t *at)
{
	for (size_t i = first; i < first + nr; i++) {
		struct value_branch *b = &t->branches[i];

		b->items = t->items + *at;
		*at += b->nr_items;
		place_items(t, b->first, b->nr_branches, at);
	}
}

int call_tree_arrange(struct call_tree *t, const struct call_tree_shape *shape,
		      call_tree_compare_fn compare, const void *ctx, struct value_tree *tree)
{
	struct arranging g = {
		.tree = t,
		.shape = shape,
		.whole = tree->whole,
		.compare = compare,
		.ctx = ctx,
	};
	size_t at = 0;
	int ret;

	tree->first = tree->nr_branches = 0;
	tree->look = shape->look;
	tree->unit = shape->unit;
	tree->limit = shape->limit;
	if (!t->nr_nodes)
		return 0;
	if (shape->look == TREE_FLAT || shape->look == TREE_FOLDED)
		ret = make_list(&g, tree);
	else
		ret = make_tree(&g, tree);
	if (!ret)
		place_items(t, tree->first, tree->nr_branches, &at);
	tree->branches = t->branches;
	return ret;
}
