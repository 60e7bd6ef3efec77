// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/kmem-config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/base/cleanup.h"
#include "util/base/pattern.h"
#include "util/base/strbuf.h"
#include "util/capture/capture_backend.h"
#include "util/top/view.h"

int kmem_regexes_add(struct kmem_regexes *r, const char *regex, struct error *err)
{
	const char **v;
	regex_t re;
	int ret;

	/* checked here, where the option or variable of the value is known */
	if (!*regex)
		return error_set(err, EINVAL, "'' matches every function");
	ret = pattern_compile(&re, regex, err);
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
	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (account_table[i]->allocator && !strcasecmp(e->value, account_table[i]->id)) {
			c->allocator = account_table[i]->allocator->bit;
			return 0;
		}
	return config_bad_value(e, "slab, page, vmalloc or percpu-mem", err);
}

static int take_sort(struct kmem_config *c, const struct config_entry *e, struct error *err)
{
	struct sort_keys keys = {.nr = 0};
	enum allocator allocators;

	if (sort_keys_parse(&keys, e->value, &allocators, NULL))
		return config_bad_value(e, "sort keys such as bytes,hit", err);
	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (account_allocator_bit(i) & allocators)
			c->sort.v[i] = keys;
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

static int take_top_sort(struct kmem_config *c, const struct config_entry *e, struct error *err)
{
	c->top.sort = *e->value ? e->value : NULL;
	return *e->value && top_column_find(e->value + (*e->value == '-')) == TOP_COLUMNS
		       ? config_bad_value(e, "a column of top, such as live or -live", err)
		       : 0;
}

/* Any name: a grouping that is missing, as "stack" without -g, is not an error. */
static int take_top_by(struct kmem_config *c, const struct config_entry *e, struct error *err)
{
	(void)err;
	c->top.by = *e->value ? e->value : NULL;
	return 0;
}

static int take_top_filter(struct kmem_config *c, const struct config_entry *e, struct error *err)
{
	for (const char *p = e->value; *p; p++)
		if (*p < ' ' || *p > '~')
			return config_bad_value(e, "printable ASCII", err);
	if (strlen(e->value) >= TOP_FILTER_MAX)
		return config_bad_value(e, "a shorter text", err);
	c->top.filter = e->value;
	return 0;
}

static int take_top_total(struct kmem_config *c, const struct config_entry *e, struct error *err)
{
	c->top.total = !strcmp(e->value, "true");
	return c->top.total || !strcmp(e->value, "false")
		       ? 0
		       : config_bad_value(e, "true or false", err);
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
	{"kmem.top-sort", take_top_sort},
	{"kmem.top-by", take_top_by},
	{"kmem.top-filter", take_top_filter},
	{"kmem.top-total", take_top_total},
	{"kmem.skip-callsite", take_skip_callsite}, /* several values accumulate */
};

#define NR_VARIABLES (sizeof(variables) / sizeof(variables[0]))

const char *kmem_config_key(size_t i)
{
	return i < NR_VARIABLES ? variables[i].key : NULL;
}

/* -ENOENT, without a message, if the key is not in the table. */
static int take_entry(struct kmem_config *c, const struct config_entry *e, struct error *err)
{
	for (size_t k = 0; k < NR_VARIABLES; k++)
		if (!strcmp(variables[k].key, e->key))
			return variables[k].take(c, e, err);
	return -ENOENT;
}

static int bad_key(const char *key, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf known = STRBUF_INIT;

	for (size_t k = 0; k < NR_VARIABLES; k++)
		strbuf_addf(&known, "%s%s", k ? ", " : "", variables[k].key);
	return known.failed ? error_nomem(err)
			    : error_set(err, EINVAL, "'%.200s' is not a key of perf kmem: %s", key,
					known.buf);
}

int kmem_config_load(struct kmem_config *c, struct error *err)
{
	int ret;

	*c = (struct kmem_config){.config = CONFIG_INIT, .lines = LINES_ALL};
	ret = config_load(&c->config, err);
	for (size_t i = 0; !ret && i < c->config.nr; i++) {
		ret = take_entry(c, &c->config.entries[i], err);
		if (ret == -ENOENT)
			ret = 0;
	}
	return ret;
}

int kmem_config_check(const struct config_entry *entry, struct error *err)
{
	struct kmem_config scratch = {.config = CONFIG_INIT};
	int ret = take_entry(&scratch, entry, err);

	kmem_config_deinit(&scratch);
	if (ret == -ENOENT)
		return strncmp(entry->key, "kmem.", 5) ? 0 : bad_key(entry->key, err);
	return ret;
}

void kmem_config_deinit(struct kmem_config *c)
{
	kmem_regexes_deinit(&c->skip_callsites);
	config_deinit(&c->config);
}
