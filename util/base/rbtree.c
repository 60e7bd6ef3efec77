// SPDX-License-Identifier: GPL-2.0-or-later
/* The textbook tree (Cormen et al.), with left and right as child[0] and child[1]. */
#include "util/base/rbtree.h"

void rbtree_init(struct rbtree *t, rbtree_compare_fn compare, const void *ctx)
{
	*t = (struct rbtree){.compare = compare, .ctx = ctx};
}

static bool is_red(const struct rbtree_node *n)
{
	return n && n->red;
}

static int side_of(const struct rbtree_node *n)
{
	return n->parent->child[1] == n;
}

/* Put `with` (may be NULL) in the place of `old`. */
static void replace(struct rbtree *t, struct rbtree_node *old, struct rbtree_node *with)
{
	if (!old->parent)
		t->root = with;
	else
		old->parent->child[side_of(old)] = with;
	if (with)
		with->parent = old->parent;
}

/* Rotate: n moves down on `side`, and its child on the other side takes its place. */
static void rotate(struct rbtree *t, struct rbtree_node *n, int side)
{
	struct rbtree_node *up = n->child[!side];

	n->child[!side] = up->child[side];
	if (up->child[side])
		up->child[side]->parent = n;
	replace(t, n, up);
	up->child[side] = n;
	n->parent = up;
}

void rbtree_insert(struct rbtree *t, struct rbtree_node *node)
{
	struct rbtree_node *parent = NULL, *at = t->root;
	int side = 0;

	while (at) {
		parent = at;
		side = t->compare(node, at, t->ctx) >= 0;
		at = at->child[side];
	}
	*node = (struct rbtree_node){.parent = parent, .red = true};
	if (parent)
		parent->child[side] = node;
	else
		t->root = node;
	t->nr++;

	while (is_red(node->parent)) {
		struct rbtree_node *grand = node->parent->parent;
		int s = side_of(node->parent);
		struct rbtree_node *uncle = grand->child[!s];

		if (is_red(uncle)) {
			node->parent->red = uncle->red = false;
			grand->red = true;
			node = grand;
			continue;
		}
		if (side_of(node) != s) {
			node = node->parent;
			rotate(t, node, s);
		}
		node->parent->red = false;
		grand->red = true;
		rotate(t, grand, !s);
	}
	t->root->red = false;
}

/* `n` (may be NULL, below parent on `side`) has one black node too few: repair upwards. */
static void mend_black(struct rbtree *t, struct rbtree_node *n, struct rbtree_node *parent)
{
	while (n != t->root && !is_red(n)) {
		int s = parent->child[1] == n;
		struct rbtree_node *sibling = parent->child[!s];

		if (is_red(sibling)) {
			sibling->red = false;
			parent->red = true;
			rotate(t, parent, s);
			sibling = parent->child[!s];
		}
		if (!is_red(sibling->child[0]) && !is_red(sibling->child[1])) {
			sibling->red = true;
			n = parent;
			parent = n->parent;
			continue;
		}
		if (!is_red(sibling->child[!s])) {
			sibling->child[s]->red = false;
			sibling->red = true;
			rotate(t, sibling, !s);
			sibling = parent->child[!s];
		}
		sibling->red = parent->red;
		parent->red = false;
		sibling->child[!s]->red = false;
		rotate(t, parent, s);
		break;
	}
	if (n)
		n->red = false;
}

void rbtree_erase(struct rbtree *t, struct rbtree_node *node)
{
	struct rbtree_node *orphan, *parent;
	bool lost_black = !node->red;

	t->nr--;
	if (node->child[0] && node->child[1]) {
		/* the successor takes the node's place and colour */
		struct rbtree_node *next = rbtree_next(node);

		lost_black = !next->red;
		orphan = next->child[1];
		parent = next->parent;
		if (parent == node) {
			parent = next;
		} else {
			replace(t, next, orphan);
			next->child[1] = node->child[1];
			next->child[1]->parent = next;
		}
		replace(t, node, next);
		next->child[0] = node->child[0];
		next->child[0]->parent = next;
		next->red = node->red;
	} else {
		orphan = node->child[node->child[0] == NULL];
		parent = node->parent;
		replace(t, node, orphan);
	}
	if (lost_black && t->root)
		mend_black(t, orphan, parent);
}

static struct rbtree_node *edge(struct rbtree_node *n, int side)
{
	while (n && n->child[side])
		n = n->child[side];
	return n;
}

struct rbtree_node *rbtree_first(const struct rbtree *t)
{
	return edge(t->root, 0);
}

struct rbtree_node *rbtree_last(const struct rbtree *t)
{
	return edge(t->root, 1);
}

struct rbtree_node *rbtree_next(const struct rbtree_node *node)
{
	if (node->child[1])
		return edge(node->child[1], 0);
	while (node->parent && side_of(node))
		node = node->parent;
	return node->parent;
}
