// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/sort.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/kmem/accounts.h"
#include "util/base/rbtree.h"
#include "util/report/key_column.h"

/* Rows are scattered over the table, so they are fetched into the cache this far ahead. */
#define PREFETCH_ROWS 8

/* bytes, hits, and the key that rows are grouped by */
#define NR_RANKS 3

/* Used while sorting. */
struct ranked_row {
	uint64_t rank[NR_RANKS]; /* values of the first sort keys, smallest first, so that most
				    comparisons need not fetch the rows */
	uint32_t row;
};

struct sorted_row {
	struct rbtree_node node; /* first member: a node is cast to its row */
	struct ranked_row ranked;
};

struct sorting {
	const struct stat_table *table;
	const struct naming *naming;
	const struct sort_keys *keys;
	bool live;
};

int sort_keys_parse(struct sort_keys *keys, const char *text, enum allocator *ret_allocators,
		    struct error *err)
{
	unsigned int allocators = ALLOCATOR_ALL;

	for (;;) {
		bool ascending = text[0] == '-';
		size_t len = strcspn(text, ",");
		struct column_list one = {.nr = 0};
		char name[32];
		int ret;

		snprintf(name, sizeof(name), "%.*s", (int)(len - ascending), text + ascending);
		ret = column_list_parse(&one, name, err);
		if (ret)
			return error_prefix(err, "sorting");
		if (keys->nr == SORT_KEYS_MAX)
			return error_set(err, E2BIG, "more than %d sort keys", SORT_KEYS_MAX);
		keys->v[keys->nr++] = (struct sort_key){.column = one.v[0], .ascending = ascending};
		allocators &= one.v[0]->allocators;
		if (!allocators)
			return error_set(err, EINVAL,
					 "sort key '%s' belongs to the %s allocator, earlier keys "
					 "to the other",
					 name, accounts_of(one.v[0]->allocators)->id);
		if (!text[len])
			break;
		text += len + 1;
	}
	*ret_allocators = (enum allocator)allocators;
	return 0;
}

const char *sort_keys_name(const struct sort_keys *keys, unsigned int i)
{
	return keys->v[i].column->name;
}

struct row_view row_view_of(const struct stat_table *table, bool live, uint32_t row)
{
	return (struct row_view){
		.table = table,
		.key = stat_table_keys(table, row),
		.counts = stat_table_counts(table, row),
		.lifetimes = row < table->nr_lifetimes ? &table->lifetimes[row] : NULL,
		.live = live,
	};
}

static int compare_column(const struct sorting *s, const struct column *c, const struct row_view *a,
			  const struct row_view *b)
{
	if (c->kind == COLUMN_KEY)
		return key_compare_by_name(s->naming, c->key, row_key(a, c->key),
					   row_key(b, c->key));
	return column_compare(c, a, b);
}

static int compare_views(const struct sorting *s, const struct row_view *a,
			 const struct row_view *b)
{
	for (unsigned int i = 0; i < s->keys->nr; i++) {
		int ret = compare_column(s, s->keys->v[i].column, a, b);

		if (ret)
			return s->keys->v[i].ascending ? ret : -ret;
	}
	for (unsigned int i = 0; i < s->table->nr_by; i++) {
		int ret = kmem_key_compare(s->table->by[i], s->table->names, a->key[i], b->key[i]);

		if (ret)
			return ret;
	}
	return 0;
}

/* No two rows are equal: they differ at least in the keys that they are grouped by. */
static int compare(const void *x, const void *y, void *ctx)
{
	const struct sorting *s = ctx;
	const struct ranked_row *a = x, *b = y;
	struct row_view view_a, view_b;

	for (int i = 0; i < NR_RANKS; i++)
		if (a->rank[i] != b->rank[i])
			return a->rank[i] < b->rank[i] ? -1 : 1;
	view_a = row_view_of(s->table, s->live, a->row);
	view_b = row_view_of(s->table, s->live, b->row);
	return compare_views(s, &view_a, &view_b);
}

static int compare_nodes(const struct rbtree_node *x, const struct rbtree_node *y, const void *ctx)
{
	return compare(&((const struct sorted_row *)x)->ranked,
		       &((const struct sorted_row *)y)->ranked, (void *)(uintptr_t)ctx);
}

/* A number with the same order as the doubles: their bits, inverted if negative. */
static uint64_t ordered_bits(double v)
{
	uint64_t bits, sign = 1ull << 63;

	v += 0.0; /* turns -0 into 0 */
	memcpy(&bits, &v, sizeof(bits));
	return bits & sign ? ~bits : bits | sign;
}

/* Ranks are equal if and only if the rows are equal in this key. Returns false if the key has no
 * such number. */
static bool rank_by(const struct sort_key *key, const struct row_view *view, uint64_t *ret_rank)
{
	uint64_t value;

	if (key->column->kind == COLUMN_PERCENT)
		value = ordered_bits(key->column->percent(view));
	else if (key->column->value)
		value = key->column->value(view) ^
			(key->column->kind == COLUMN_CHANGE ? 1ull << 63 : 0);
	else
		return false;
	*ret_rank = key->ascending ? value : ~value;
	return true;
}

/* Rank a row by the first few sort keys, and by the key that rows are grouped by. Rows with equal
 * ranks need not be equal. */
static void rank_view(const struct sorting *s, const struct row_view *view,
		      uint64_t ret_rank[NR_RANKS])
{
	unsigned int nr = 0;

	memset(ret_rank, 0, NR_RANKS * sizeof(*ret_rank));
	while (nr < NR_RANKS && nr < s->keys->nr && rank_by(&s->keys->v[nr], view, &ret_rank[nr]))
		nr++;
	if (nr == s->keys->nr && nr < NR_RANKS && s->table->nr_by &&
	    kmem_key_kind(s->table->by[0]) == KEY_KIND_UNSIGNED)
		ret_rank[nr] = view->key[0];
}

bool row_is_shown(const struct row_view *row)
{
	const struct stat_counts *c = row->counts;

	return row_hits(row) ||
	       (!row->live && (c->live_hits || c->freed_hits || c->unseen_frees || c->pingpong));
}

/* Rank a row. Returns false if it is not shown. */
static bool rank_row(const struct sorting *s, uint32_t row, struct ranked_row *ret_ranked)
{
	struct row_view view = row_view_of(s->table, s->live, row);

	if (!row_is_shown(&view))
		return false;
	ret_ranked->row = row;
	rank_view(s, &view, ret_ranked->rank);
	return true;
}

/* The tree has the first `max` rows of those seen so far. nodes has one more element. */
static uint64_t fill_tree(struct rbtree *tree, const struct sorting *sorting,
			  struct sorted_row *nodes, uint64_t max)
{
	struct sorted_row *spare = &nodes[0];
	const struct sorted_row *last = NULL; /* of a full tree */
	uint64_t total = 0;
	uint32_t row;

	stat_table_for_each (row, sorting->table) {
		if (!rank_row(sorting, row, &spare->ranked))
			continue;
		total++;
		if (last && compare_nodes(&spare->node, &last->node, sorting) > 0)
			continue;
		rbtree_insert(tree, &spare->node);
		if (tree->nr > max) {
			spare = (struct sorted_row *)rbtree_last(tree);
			rbtree_erase(tree, &spare->node);
		} else {
			spare = &nodes[tree->nr];
		}
		if (tree->nr == max)
			last = (const struct sorted_row *)rbtree_last(tree);
	}
	return total;
}

/* Sort the first few of many rows, in a tree with only those. */
static int sort_first(struct sorted_rows *s, struct sorting *sorting, uint64_t lines)
{
	struct sorted_row *nodes = reallocarray(NULL, lines + 1, sizeof(*nodes));
	const struct rbtree_node *node;
	struct rbtree tree;

	if (!nodes)
		return -ENOMEM;
	rbtree_init(&tree, compare_nodes, sorting);
	s->total = fill_tree(&tree, sorting, nodes, lines);
	rbtree_for_each (node, &tree)
		s->order[s->nr++] = ((const struct sorted_row *)node)->ranked.row;
	free(nodes);
	return 0;
}

/* Sort all rows in an array, which is faster and smaller than a tree. */
static int sort_all(struct sorted_rows *s, struct sorting *sorting)
{
	struct ranked_row *v = reallocarray(NULL, s->table->rows.nr + 1ul, sizeof(*v));
	uint32_t row;

	if (!v)
		return -ENOMEM;
	stat_table_for_each (row, s->table)
		s->nr += rank_row(sorting, row, &v[s->nr]);
	s->total = s->nr;
	qsort_r(v, s->nr, sizeof(*v), compare, sorting);
	for (uint64_t i = 0; i < s->nr; i++)
		s->order[i] = v[i].row;
	free(v);
	return 0;
}

int sorted_rows_init(struct sorted_rows *s, const struct stat_table *table,
		     const struct naming *naming, const struct sort_keys *keys, bool live,
		     uint64_t lines)
{
	struct sorting sorting = {.table = table, .naming = naming, .keys = keys, .live = live};
	bool all = lines >= table->rows.nr;
	int ret;

	*s = (struct sorted_rows){.table = table, .live = live};
	s->order = reallocarray(NULL, (all ? table->rows.nr : lines) + 1ul, sizeof(*s->order));
	if (!s->order)
		return -ENOMEM;
	ret = all ? sort_all(s, &sorting) : sort_first(s, &sorting, lines);
	if (ret)
		sorted_rows_deinit(s);
	return ret;
}

void sorted_rows_deinit(struct sorted_rows *s)
{
	free(s->order);
	s->order = NULL;
}

bool sorted_rows_get(const struct sorted_rows *s, uint64_t i, struct row_view *ret_view)
{
	if (i >= s->nr)
		return false;
	if (i + PREFETCH_ROWS < s->nr)
		__builtin_prefetch(stat_table_keys(s->table, s->order[i + PREFETCH_ROWS]));
	*ret_view = row_view_of(s->table, s->live, s->order[i]);
	return true;
}
