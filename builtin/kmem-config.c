// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem: what its configuration says. */
#include "builtin/kmem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/base/pattern.h"

int kmem_cli_skip_callsite(struct kmem_cli *cli, const char *regex, struct error *err)
{
	size_t nr = cli->analysis.nr_skip_callsites;
	const char **v;
	regex_t re;
	/* said here, where it is known which option or variable it came from */
	int ret = pattern_compile(&re, regex, err);

	if (ret)
		return ret;
	regfree(&re);
	v = reallocarray(cli->skip_callsites, nr + 1, sizeof(*v));
	if (!v)
		return error_nomem(err);
	v[nr] = regex;
	cli->skip_callsites = v;
	cli->analysis.skip_callsites = v;
	cli->analysis.nr_skip_callsites = nr + 1;
	return 0;
}

int kmem_cli_style(struct kmem_cli *cli, const char *name)
{
	bool stock = !strcmp(name, "stock");

	if (!stock && strcmp(name, "default") != 0)
		return -EINVAL;
	cli->report.stock_style = stock;
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
	struct sort_keys keys = {.nr = 0};
	enum allocator allocators;

	if (sort_keys_parse(&keys, e->value, &allocators, NULL))
		return config_bad_value(e, "sort keys such as bytes,hit", err);
	if (allocators & ALLOCATOR_SLAB)
		cli->tables.config_sort.slab = keys;
	if (allocators & ALLOCATOR_PAGE)
		cli->tables.config_sort.page = keys;
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

static int take_style(struct kmem_cli *cli, const struct config_entry *e, struct error *err)
{
	return kmem_cli_style(cli, e->value) ? config_bad_value(e, "default or stock", err) : 0;
}

static int take_skip_callsite(struct kmem_cli *cli, const struct config_entry *e, struct error *err)
{
	int ret = kmem_cli_skip_callsite(cli, e->value, err);

	return ret == -EINVAL ? config_bad_value(e, "a regular expression", err) : ret;
}

static const struct {
	const char *key;
	int (*take)(struct kmem_cli *cli, const struct config_entry *e, struct error *err);
} variables[] = {
	{"kmem.default", take_default},
	{"kmem.sort", take_sort},
	{"kmem.lines", take_lines},
	{"kmem.style", take_style},
	{"kmem.skip-callsite", take_skip_callsite}, /* each one counts */
};

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
