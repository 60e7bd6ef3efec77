// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/kmem/slab.h"

struct sorted_row {
	struct rbtree_node node; /* first: a node is its row */
	uint32_t row;
};

uint64_t row_hits(const struct row_view *row)
{
	return row->live ? row->counts->live_hits : row->counts->hits;
}

uint64_t row_bytes(const struct row_view *row)
{
	return row->live ? row->counts->live_bytes : row->counts->bytes_alloc;
}

uint64_t row_bytes_req(const struct row_view *row)
{
	return row->live ? row->counts->live_bytes_req : row->counts->bytes_req;
}

uint64_t row_key(const struct row_view *row, enum kmem_key key)
{
	for (unsigned int i = 0; i < row->table->nr_by; i++)
		if (row->table->by[i] == key)
			return row->key[i];
	if (key == KEY_CALLSITE)
		return row->counts->last_callsite;
	if (key == KEY_PTR || key == KEY_PAGE)
		return row->counts->last_ptr;
	return 0;
}

/* A double as a number in the same order. */
static uint64_t ordered_bits(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits >> 63 ? ~bits : bits | 1ull << 63;
}

static uint64_t by_pingpong(const struct row_view *row)
{
	return row->counts->pingpong;
}

static uint64_t by_frag(const struct row_view *row)
{
	return ordered_bits(slab_fragmentation_percent(row_bytes_req(row), row_bytes(row)));
}

static uint64_t by_callsite(const struct row_view *row)
{
	return row_key(row, KEY_CALLSITE);
}

static uint64_t by_ptr(const struct row_view *row)
{
	return row_key(row, KEY_PTR);
}

static uint64_t by_order(const struct row_view *row)
{
	return row_key(row, KEY_ORDER);
}

static uint64_t by_migtype(const struct row_view *row)
{
	return row_key(row, KEY_MIGRATETYPE);
}

static uint64_t by_gfp(const struct row_view *row)
{
	return row_key(row, KEY_GFP);
}

/* A new sort key is one line here. */
static const struct sort_key {
	const char *name;
	enum allocator allocators;
	uint64_t (*value)(const struct row_view *row);
} sort_keys[] = {
	{"ptr", ALLOCATOR_SLAB, by_ptr},	   {"callsite", ALLOCATOR_BOTH, by_callsite},
	{"bytes", ALLOCATOR_BOTH, row_bytes},	   {"hit", ALLOCATOR_BOTH, row_hits},
	{"pingpong", ALLOCATOR_SLAB, by_pingpong}, {"frag", ALLOCATOR_SLAB, by_frag},
	{"page", ALLOCATOR_PAGE, by_ptr},	   {"order", ALLOCATOR_PAGE, by_order},
	{"migtype", ALLOCATOR_PAGE, by_migtype},   {"gfp", ALLOCATOR_PAGE, by_gfp},
};

#define NR_SORT_KEYS (sizeof(sort_keys) / sizeof(sort_keys[0]))

static int unknown_key(const char *name, size_t len, struct error *err)
{
	struct strbuf known = STRBUF_INIT;
	int ret;

	for (size_t i = 0; i < NR_SORT_KEYS; i++)
		strbuf_addf(&known, "%s%s", i ? ", " : "", sort_keys[i].name);
	ret = error_set(err, EINVAL, "unknown sort key '%.*s' (the keys are: %s)", (int)len, name,
			known.buf);
	strbuf_deinit(&known);
	return ret;
}

int sort_keys_parse(struct sort_keys *keys, const char *text, enum allocator *ret_allocators,
		    struct error *err)
{
	unsigned int allocators = ALLOCATOR_BOTH;

	for (;;) {
		size_t len = strcspn(text, ","), i;

		for (i = 0; i < NR_SORT_KEYS; i++)
			if (strlen(sort_keys[i].name) == len &&
			    !strncmp(sort_keys[i].name, text, len))
				break;
		if (i == NR_SORT_KEYS)
			return unknown_key(text, len, err);
		if (keys->nr == SORT_KEYS_MAX)
			return error_set(err, E2BIG, "more than %d sort keys", SORT_KEYS_MAX);
		keys->v[keys->nr++] = &sort_keys[i];
		allocators &= sort_keys[i].allocators;
		if (!allocators)
			return error_set(err, EINVAL,
					 "sort key '%s' is of the %s allocator, keys before it are "
					 "of the other",
					 sort_keys[i].name,
					 sort_keys[i].allocators == ALLOCATOR_SLAB ? "slab"
										   : "page");
		if (!text[len])
			break;
		text += len + 1;
	}
	*ret_allocators = (enum allocator)allocators;
	return 0;
}

const char *sort_keys_name(const struct sort_keys *keys, unsigned int i)
{
	return keys->v[i]->name;
}

static struct row_view view_of(const struct sorted_rows *s, uint32_t row)
{
	return (struct row_view){
		.table = s->table,
		.key = stat_table_keys(s->table, row),
		.counts = stat_table_counts(s->table, row),
		.live = s->live,
	};
}

static int compare(const struct rbtree_node *x, const struct rbtree_node *y, const void *ctx)
{
	const struct sorted_rows *s = ctx;
	struct row_view a = view_of(s, ((const struct sorted_row *)x)->row);
	struct row_view b = view_of(s, ((const struct sorted_row *)y)->row);

	for (unsigned int i = 0; i < s->keys->nr; i++) {
		uint64_t va = s->keys->v[i]->value(&a), vb = s->keys->v[i]->value(&b);

		if (va != vb)
			return va > vb ? -1 : 1;
	}
	for (unsigned int i = 0; i < s->table->nr_by; i++)
		if (a.key[i] != b.key[i])
			return a.key[i] < b.key[i] ? -1 : 1;
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
