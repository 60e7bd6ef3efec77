// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/base/rbtree.h"

struct item {
	struct rbtree_node node; /* first, so that a node is its item */
	int key;
	int born;
	bool in;
};

static int by_key(const struct rbtree_node *a, const struct rbtree_node *b, const void *ctx)
{
	const struct item *x = (const struct item *)a, *y = (const struct item *)b;

	(void)ctx;
	return (x->key > y->key) - (x->key < y->key);
}

/* Black height of the subtree; asserts the tree's rules on the way. */
static int check(const struct rbtree_node *n)
{
	int left, right;

	if (!n)
		return 1;
	for (int s = 0; s < 2; s++) {
		if (!n->child[s])
			continue;
		assert_ptr_equal(n->child[s]->parent, n);
		assert_false(n->red && n->child[s]->red);
	}
	left = check(n->child[0]);
	right = check(n->child[1]);
	assert_int_equal(left, right);
	return left + !n->red;
}

static void check_order(const struct rbtree *t)
{
	const struct item *last = NULL;
	struct rbtree_node *n;
	size_t nr = 0;

	rbtree_for_each (n, t) {
		const struct item *it = (const struct item *)n;

		if (last) {
			assert_true(last->key <= it->key);
			if (last->key == it->key)
				assert_true(last->born < it->born);
		}
		last = it;
		nr++;
	}
	assert_int_equal(nr, t->nr);
	assert_ptr_equal(last, rbtree_last(t));
}

static void test_random_inserts_and_erases(void **state)
{
	enum { N = 500 };
	static struct item items[N];
	struct rbtree t;

	(void)state;
	srand(7);
	rbtree_init(&t, by_key, NULL);
	assert_null(rbtree_first(&t));
	for (int step = 0; step < 20000; step++) {
		struct item *it = &items[rand() % N];

		if (it->in) {
			rbtree_erase(&t, &it->node);
		} else {
			it->key = rand() % 100;
			it->born = step;
			rbtree_insert(&t, &it->node);
		}
		it->in = !it->in;
		if (step % 50 == 0) {
			check(t.root);
			check_order(&t);
		}
	}
	for (int i = 0; i < N; i++)
		if (items[i].in)
			rbtree_erase(&t, &items[i].node);
	assert_null(t.root);
	assert_int_equal(t.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_inserts_and_erases)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
