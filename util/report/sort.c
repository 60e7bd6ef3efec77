// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/sort.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sorted_row {
	struct rbtree_node node; /* first: a node is its row */
	uint32_t row;
};

int sort_keys_parse(struct sort_keys *keys, const char *text, enum allocator *ret_allocators,
		    struct error *err)
{
	unsigned int allocators = ALLOCATOR_BOTH;

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
					 "sort key '%s' is of the %s allocator, keys before it are "
					 "of the other",
					 name,
					 one.v[0]->allocators == ALLOCATOR_SLAB ? "slab" : "page");
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

static struct row_view view_of(const struct sorted_rows *s, uint32_t row)
{
	return (struct row_view){
		.table = s->table,
		.key = stat_table_keys(s->table, row),
		.counts = stat_table_counts(s->table, row),
		.lifetimes = row < s->table->nr_lifetimes ? &s->table->lifetimes[row] : NULL,
		.live = s->live,
	};
}

static int compare(const struct rbtree_node *x, const struct rbtree_node *y, const void *ctx)
{
	const struct sorted_rows *s = ctx;
	struct row_view a = view_of(s, ((const struct sorted_row *)x)->row);
	struct row_view b = view_of(s, ((const struct sorted_row *)y)->row);

	for (unsigned int i = 0; i < s->keys->nr; i++) {
		int ret = column_compare(s->keys->v[i].column, &a, &b);

		if (ret)
			return s->keys->v[i].ascending ? ret : -ret;
	}
	for (unsigned int i = 0; i < s->table->nr_by; i++) {
		int ret = kmem_key_compare(s->table->by[i], s->table->names, a.key[i], b.key[i]);

		if (ret)
			return ret;
	}
	return 0;
}

static bool has_something_to_show(const struct row_view *row)
{
	return row_hits(row) || (!row->live && row->counts->pingpong);
}

int sorted_rows_init(struct sorted_rows *s, const struct stat_table *table,
		     const struct sort_keys *keys, bool live, uint64_t lines)
{
	uint64_t max = lines < table->rows.nr ? lines : table->rows.nr;
	struct sorted_row *spare;

	*s = (struct sorted_rows){.table = table, .keys = keys, .live = live};
	rbtree_init(&s->tree, compare, s);
	/* one more than the tree may hold: the row that is looked at */
	s->nodes = reallocarray(NULL, max + 1, sizeof(*s->nodes));
	if (!s->nodes)
		return -ENOMEM;
	spare = &s->nodes[0];
	for (uint32_t row = 0; row < table->rows.nr; row++) {
		struct row_view view = view_of(s, row);

		if (!has_something_to_show(&view))
			continue;
		s->total++;
		spare->row = row;
		rbtree_insert(&s->tree, &spare->node);
		if (s->tree.nr <= max) {
			spare = &s->nodes[s->tree.nr];
			continue;
		}
		spare = (struct sorted_row *)rbtree_last(&s->tree);
		rbtree_erase(&s->tree, &spare->node);
	}
	return 0;
}

void sorted_rows_deinit(struct sorted_rows *s)
{
	free(s->nodes);
	s->nodes = NULL;
}

const struct rbtree_node *sorted_rows_next(const struct sorted_rows *s,
					   const struct rbtree_node *node,
					   struct row_view *ret_view)
{
	node = node ? rbtree_next(node) : rbtree_first(&s->tree);
	if (node)
		*ret_view = view_of(s, ((const struct sorted_row *)node)->row);
	return node;
}
