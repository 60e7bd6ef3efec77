// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem: what its options and configuration say about the tables. */
#include "builtin-kmem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Call fn for each table that cli->scope and the allocators select. */
static int for_each_table(struct kmem_cli *cli, enum allocator allocators,
			  int (*fn)(struct table_options *t, const void *data), const void *data)
{
	const struct {
		enum table_scope scope;
		enum allocator allocator;
		struct table_options *table;
	} tables[] = {
		{SCOPE_CALLER, ALLOCATOR_SLAB, &cli->report.slab_caller},
		{SCOPE_ALLOC, ALLOCATOR_SLAB, &cli->report.slab_alloc},
		{SCOPE_CALLER, ALLOCATOR_PAGE, &cli->report.page_caller},
		{SCOPE_ALLOC, ALLOCATOR_PAGE, &cli->report.page_alloc},
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		int ret;

		if (cli->scope != SCOPE_ALL && cli->scope != tables[i].scope)
			continue;
		if (!(allocators & tables[i].allocator))
			continue;
		ret = fn(tables[i].table, data);
		if (ret)
			return ret;
	}
	return 0;
}

static int append_keys(struct table_options *t, const void *data)
{
	const struct sort_keys *keys = data;

	if (t->sort.nr + keys->nr > SORT_KEYS_MAX)
		return -E2BIG;
	memcpy(&t->sort.v[t->sort.nr], keys->v, keys->nr * sizeof(keys->v[0]));
	t->sort.nr += keys->nr;
	return 0;
}

static int set_lines(struct table_options *t, const void *data)
{
	t->lines = *(const uint64_t *)data;
	return 0;
}

static int clear_keys(struct table_options *t, const void *data)
{
	(void)data;
	t->sort.nr = 0;
	return 0;
}

int kmem_cli_sort(struct kmem_cli *cli, const char *text, enum allocator *ret_allocators,
		  struct error *err)
{
	struct sort_keys keys = {0};
	int ret = sort_keys_parse(&keys, text, ret_allocators, err);

	/* the first -s replaces what the configuration said */
	if (!ret && cli->config_sort) {
		enum table_scope scope = cli->scope;

		cli->scope = SCOPE_ALL;
		for_each_table(cli, ALLOCATOR_BOTH, clear_keys, NULL);
		cli->scope = scope;
		cli->config_sort = false;
	}
	if (!ret && for_each_table(cli, *ret_allocators, append_keys, &keys))
		ret = error_set(err, E2BIG, "more than %d sort keys", SORT_KEYS_MAX);
	return ret;
}

void kmem_cli_lines(struct kmem_cli *cli, uint64_t lines)
{
	for_each_table(cli, ALLOCATOR_BOTH, set_lines, &lines);
}

int kmem_cli_skip_callsite(struct kmem_cli *cli, const char *regex, struct error *err)
{
	size_t nr = cli->analysis.nr_skip_callsites;
	const char **v = reallocarray(cli->skip_callsites, nr + 1, sizeof(*v));

	if (!v)
		return error_nomem(err);
	v[nr] = regex;
	cli->skip_callsites = v;
	cli->analysis.skip_callsites = v;
	cli->analysis.nr_skip_callsites = nr + 1;
	return 0;
}

static int take_default(struct kmem_cli *cli, const struct config_entry *e, struct error *err)
{
	bool slab = !strcasecmp(e->value, "slab"), page = !strcasecmp(e->value, "page");

	if (!slab && !page)
		return config_bad_value(e, "slab or page", err);
	cli->default_allocator = page ? ALLOCATOR_PAGE : ALLOCATOR_SLAB;
	return 0;
}

static int take_sort(struct kmem_cli *cli, const struct config_entry *e, struct error *err)
{
	enum allocator allocators;

	cli->config_sort = false;
	for_each_table(cli, ALLOCATOR_BOTH, clear_keys, NULL);
	if (kmem_cli_sort(cli, e->value, &allocators, NULL))
		return config_bad_value(e, "sort keys such as bytes,hit", err);
	cli->config_sort = true;
	return 0;
}

static int take_lines(struct kmem_cli *cli, const struct config_entry *e, struct error *err)
{
	uint64_t lines;
	int ret = config_entry_u64(e, 0, LINES_ALL, &lines, err);

	if (!ret)
		kmem_cli_lines(cli, lines);
	return ret;
}

static int take_skip_callsite(struct kmem_cli *cli, const struct config_entry *e, struct error *err)
{
	regex_t re;

	if (regcomp(&re, e->value, REG_EXTENDED | REG_NOSUB))
		return config_bad_value(e, "a regular expression", err);
	regfree(&re);
	return kmem_cli_skip_callsite(cli, e->value, err);
}

static const struct {
	const char *key;
	int (*take)(struct kmem_cli *cli, const struct config_entry *e, struct error *err);
} variables[] = {
	{"kmem.default", take_default},
	{"kmem.sort", take_sort},
	{"kmem.lines", take_lines},
	{"kmem.skip-callsite", take_skip_callsite}, /* each one counts */
};

void kmem_cli_select_default(struct kmem_cli *cli)
{
	if (cli->analysis.slab || cli->analysis.page)
		return;
	cli->analysis.slab = cli->default_allocator == ALLOCATOR_SLAB;
	cli->analysis.page = cli->default_allocator == ALLOCATOR_PAGE;
}

int kmem_cli_load_config(struct kmem_cli *cli, struct error *err)
{
	int ret = config_load(&cli->config, err);

	for (size_t i = 0; !ret && i < cli->config.nr; i++) {
		const struct config_entry *e = &cli->config.entries[i];

		for (size_t k = 0; !ret && k < sizeof(variables) / sizeof(variables[0]); k++)
			if (!strcmp(variables[k].key, e->key))
				ret = variables[k].take(cli, e, err);
	}
	return ret;
}
