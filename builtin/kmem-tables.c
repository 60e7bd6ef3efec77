// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem: the tables that its options ask for. */
#include "builtin/kmem.h"

#include <errno.h>
#include <string.h>

static int error_not_a_key(const char *name, size_t len, struct error *err)
{
	const char *similar = column_similar(name, len, true);

	if (similar)
		return error_set(err, EINVAL, "'%.*s' is nothing to group by, did you mean '%s'?",
				 (int)len, name, similar);
	return error_set(err, EINVAL,
			 "'%.*s' is nothing to group by (the keys are:" KMEM_KEY_NAMES ")",
			 (int)len, name);
}

static int parse_by(struct cli_table *t, const char *text, enum allocator *ret_allocators,
		    struct error *err)
{
	unsigned int allocators = ALLOCATOR_BOTH;

	for (;;) {
		size_t len = strcspn(text, ",");
		const struct column *c = column_find(text, len);
		enum kmem_key key;

		if (!c || c->kind != COLUMN_KEY)
			return error_not_a_key(text, len, err);
		key = c->key;
		if (t->nr_by == STAT_KEYS_MAX)
			return error_set(err, E2BIG, "more than %d keys to group by",
					 STAT_KEYS_MAX);
		for (unsigned int i = 0; i < t->nr_by; i++)
			if (t->by[i] == key)
				return error_set(err, EINVAL, "key '%s' stands there twice",
						 kmem_key_name(key));
		t->by[t->nr_by++] = key;
		allocators &= kmem_key_allocators(key);
		if (!allocators)
			return error_set(err, EINVAL,
					 "key '%s' is of the %s allocator, keys before it are of "
					 "the other",
					 kmem_key_name(key),
					 kmem_key_allocators(key) == ALLOCATOR_SLAB ? "slab"
										    : "page");
		if (!text[len])
			break;
		text += len + 1;
	}
	*ret_allocators = (enum allocator)allocators;
	return 0;
}

void kmem_cli_select(struct kmem_cli *cli, enum allocator allocators)
{
	cli->analysis.slab |= allocators == ALLOCATOR_SLAB;
	cli->analysis.page |= allocators == ALLOCATOR_PAGE;
}

int kmem_cli_add_table(struct kmem_cli *cli, enum table_kind kind, const char *by,
		       struct error *err)
{
	struct cli_tables *tables = &cli->tables;
	struct cli_table *t;

	for (unsigned int i = 0; kind != TABLE_BY && i < tables->nr; i++)
		if (tables->v[i].kind == kind) {
			tables->scope = &tables->v[i];
			return 0;
		}
	if (tables->nr == TABLES_MAX)
		return error_set(err, E2BIG, "more than %d tables", TABLES_MAX);
	t = &tables->v[tables->nr];
	*t = (struct cli_table){.kind = kind};
	if (kind == TABLE_BY) {
		enum allocator allocators = ALLOCATOR_BOTH;
		int ret = parse_by(t, by, &allocators, err);

		if (ret)
			return ret;
		kmem_cli_select(cli, allocators);
	}
	tables->nr++;
	tables->scope = t;
	return 0;
}

static int append_keys(struct sort_keys *to, const struct sort_keys *from, struct error *err)
{
	if (to->nr + from->nr > SORT_KEYS_MAX)
		return error_set(err, E2BIG, "more than %d sort keys", SORT_KEYS_MAX);
	memcpy(&to->v[to->nr], from->v, from->nr * sizeof(from->v[0]));
	to->nr += from->nr;
	return 0;
}

int kmem_cli_sort(struct kmem_cli *cli, const char *text, struct error *err)
{
	struct cli_sort *sort =
		cli->tables.scope ? &cli->tables.scope->sort : &cli->tables.all_sort;
	struct sort_keys keys = {.nr = 0};
	enum allocator allocators;
	int ret = sort_keys_parse(&keys, text, &allocators, err);

	if (ret)
		return ret;
	kmem_cli_select(cli, allocators);
	if (allocators & ALLOCATOR_SLAB)
		ret = append_keys(&sort->slab, &keys, err);
	if (!ret && allocators & ALLOCATOR_PAGE)
		ret = append_keys(&sort->page, &keys, err);
	return ret;
}

void kmem_cli_lines(struct kmem_cli *cli, uint64_t lines)
{
	if (cli->tables.scope) {
		cli->tables.scope->lines = lines;
		cli->tables.scope->has_lines = true;
	} else {
		cli->tables.all_lines = lines;
		cli->report.lines = lines;
	}
}

void kmem_cli_select_default(struct kmem_cli *cli)
{
	if (cli->analysis.slab || cli->analysis.page || cli->analysis.percpu ||
	    cli->analysis.extfrag)
		return;
	cli->analysis.slab = cli->default_allocator == ALLOCATOR_SLAB;
	cli->analysis.page = cli->default_allocator == ALLOCATOR_PAGE;
}

/* What --caller and --alloc stand for. */
static const struct short_form {
	enum table_kind kind;
	enum allocator allocator;
	struct table_spec spec;
	const char *sort;
} short_forms[] = {
	{TABLE_CALLER, ALLOCATOR_SLAB, {{KEY_CALLSITE}, 1}, "frag,hit,bytes"},
	{TABLE_CALLER,
	 ALLOCATOR_PAGE,
	 {{KEY_CALLSITE, KEY_ORDER, KEY_MIGRATETYPE, KEY_GFP}, 4},
	 "bytes,hit"},
	{TABLE_ALLOC, ALLOCATOR_SLAB, {{KEY_PTR}, 1}, "frag,hit,bytes"},
	{TABLE_ALLOC,
	 ALLOCATOR_PAGE,
	 {{KEY_PAGE, KEY_ORDER, KEY_MIGRATETYPE, KEY_GFP}, 4},
	 "bytes,hit"},
};

/* The keys of a table for an allocator, and its usual order; false: not its table. */
static bool spec_of(const struct cli_table *t, enum allocator allocator,
		    struct table_spec *ret_spec, const char **ret_sort)
{
	for (size_t i = 0; i < sizeof(short_forms) / sizeof(short_forms[0]); i++)
		if (short_forms[i].kind == t->kind && short_forms[i].allocator == allocator) {
			*ret_spec = short_forms[i].spec;
			*ret_sort = short_forms[i].sort;
			return true;
		}
	for (unsigned int i = 0; i < t->nr_by; i++)
		if (!(kmem_key_allocators(t->by[i]) & allocator))
			return false;
	memcpy(ret_spec->by, t->by, sizeof(t->by));
	ret_spec->nr_by = t->nr_by;
	*ret_sort = "bytes,hit";
	return true;
}

/* A configuration is written once for all tables: what a table has not does not sort it. */
static void keep_fitting(struct sort_keys *keys, const struct table_spec *spec)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < keys->nr; i++)
		if (column_fits(keys->v[i].column, spec->by, spec->nr_by))
			keys->v[nr++] = keys->v[i];
	keys->nr = nr;
}

static int set_sort(const struct kmem_cli *cli, const struct cli_table *t, enum allocator allocator,
		    const struct table_spec *spec, const char *usual, struct sort_keys *ret_keys,
		    struct error *err)
{
	bool slab = allocator == ALLOCATOR_SLAB;
	const struct cli_sort *candidates[] = {
		&t->sort,
		&cli->tables.all_sort,
		&cli->tables.config_sort,
	};
	enum allocator allocators;

	for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
		struct sort_keys keys = slab ? candidates[i]->slab : candidates[i]->page;

		if (candidates[i] == &cli->tables.config_sort)
			keep_fitting(&keys, spec);
		if (keys.nr) {
			*ret_keys = keys;
			return 0;
		}
	}
	return sort_keys_parse(ret_keys, usual, &allocators, err);
}

static bool has_key(const struct table_spec *spec, enum kmem_key key)
{
	for (unsigned int i = 0; i < spec->nr_by; i++)
		if (spec->by[i] == key)
			return true;
	return false;
}

/* --stack is one more key. */
static int add_stack(struct table_spec *spec, struct error *err)
{
	if (has_key(spec, KEY_STACK))
		return 0;
	if (spec->nr_by == STAT_KEYS_MAX)
		return error_set(err, E2BIG,
				 "--stack groups by one more key, and %d is the most: leave one "
				 "out of --by",
				 STAT_KEYS_MAX);
	spec->by[spec->nr_by++] = KEY_STACK;
	return 0;
}

static int build(struct kmem_cli *cli, const struct cli_table *t, enum allocator allocator,
		 struct error *err)
{
	bool slab = allocator == ALLOCATOR_SLAB;
	unsigned int *nr = slab ? &cli->analysis.nr_slab_tables : &cli->analysis.nr_page_tables;
	struct table_spec *spec =
		slab ? &cli->analysis.slab_tables[*nr] : &cli->analysis.page_tables[*nr];
	struct table_options *options = slab ? &cli->report.slab[*nr] : &cli->report.page[*nr];
	const char *usual;

	if (!spec_of(t, allocator, spec, &usual))
		return 0;
	if (cli->stacks && add_stack(spec, err))
		return -E2BIG;
	options->lines = t->has_lines ? t->lines : cli->tables.all_lines;
	options->stock = t->kind != TABLE_BY && !cli->stacks;
	++*nr;
	return set_sort(cli, t, allocator, spec, usual, &options->sort, err);
}

int kmem_cli_build_tables(struct kmem_cli *cli, struct error *err)
{
	static const enum table_kind order[] = {TABLE_CALLER, TABLE_ALLOC, TABLE_BY};
	int ret = 0;

	for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++)
		for (unsigned int i = 0; !ret && i < cli->tables.nr; i++) {
			const struct cli_table *t = &cli->tables.v[i];

			if (t->kind != order[k])
				continue;
			ret = build(cli, t, ALLOCATOR_SLAB, err);
			if (!ret)
				ret = build(cli, t, ALLOCATOR_PAGE, err);
		}
	return ret ? ret : kmem_cli_check_columns(cli, err);
}
