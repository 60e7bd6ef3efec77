// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/kmem-config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/base/pattern.h"
#include "util/record/kernel_end.h"

int kmem_regexes_add(struct kmem_regexes *r, const char *regex, struct error *err)
{
	const char **v;
	regex_t re;
	/* checked here, where it is known which option or variable it came from */
	int ret = pattern_compile(&re, regex, err);

	if (ret)
		return ret;
	regfree(&re);
	v = reallocarray(r->v, r->nr + 1, sizeof(*v));
	if (!v)
		return error_nomem(err);
	v[r->nr++] = regex;
	r->v = v;
	return 0;
}

void kmem_regexes_deinit(struct kmem_regexes *r)
{
	free(r->v);
}

int kmem_style_parse(const char *name, bool *ret_stock)
{
	bool stock = !strcmp(name, "stock");

	if (!stock && strcmp(name, "default") != 0)
		return -EINVAL;
	*ret_stock = stock;
	return 0;
}

static int take_default(struct kmem_config *c, const struct config_entry *e, struct error *err)
{
	bool slab = !strcasecmp(e->value, "slab"), page = !strcasecmp(e->value, "page");

	if (!slab && !page)
		return config_bad_value(e, "slab or page", err);
	c->allocator = page ? ALLOCATOR_PAGE : ALLOCATOR_SLAB;
	return 0;
}

static int take_sort(struct kmem_config *c, const struct config_entry *e, struct error *err)
{
	struct sort_keys keys = {.nr = 0};
	enum allocator allocators;

	if (sort_keys_parse(&keys, e->value, &allocators, NULL))
		return config_bad_value(e, "sort keys such as bytes,hit", err);
	if (allocators & ALLOCATOR_SLAB)
		c->sort.slab = keys;
	if (allocators & ALLOCATOR_PAGE)
		c->sort.page = keys;
	return 0;
}

static int take_lines(struct kmem_config *c, const struct config_entry *e, struct error *err)
{
	return config_entry_u64(e, 0, LINES_ALL, &c->lines, err);
}

static int take_style(struct kmem_config *c, const struct config_entry *e, struct error *err)
{
	return kmem_style_parse(e->value, &c->stock_style)
		       ? config_bad_value(e, "default or stock", err)
		       : 0;
}

static int take_skip_callsite(struct kmem_config *c, const struct config_entry *e,
			      struct error *err)
{
	int ret = kmem_regexes_add(&c->skip_callsites, e->value, err);

	return ret == -EINVAL ? config_bad_value(e, "a regular expression", err) : ret;
}

static int take_via(struct kmem_config *c, const struct config_entry *e, struct error *err)
{
	return record_via_parse(e->value, &c->via) ? config_bad_value(e, "bpf or perf", err) : 0;
}

static const struct {
	const char *key;
	int (*take)(struct kmem_config *c, const struct config_entry *e, struct error *err);
} variables[] = {
	{"kmem.default", take_default},
	{"kmem.sort", take_sort},
	{"kmem.lines", take_lines},
	{"kmem.style", take_style},
	{"kmem.via", take_via},
	{"kmem.skip-callsite", take_skip_callsite}, /* all of them apply */
};

int kmem_config_load(struct kmem_config *c, struct error *err)
{
	int ret;

	*c = (struct kmem_config){.config = CONFIG_INIT, .lines = LINES_ALL};
	ret = config_load(&c->config, err);
	for (size_t i = 0; !ret && i < c->config.nr; i++) {
		const struct config_entry *e = &c->config.entries[i];

		for (size_t k = 0; !ret && k < sizeof(variables) / sizeof(variables[0]); k++)
			if (!strcmp(variables[k].key, e->key))
				ret = variables[k].take(c, e, err);
	}
	return ret;
}

void kmem_config_deinit(struct kmem_config *c)
{
	kmem_regexes_deinit(&c->skip_callsites);
	config_deinit(&c->config);
}
