/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_config: the settings of perf kmem in the configuration files.
 *
 * Each subcommand loads them first: kmem.default, kmem.sort, kmem.lines, kmem.style,
 * kmem.skip-callsite, kmem.via, kmem.top-*. The configuration owns the strings.
 */
#ifndef BUILTIN_KMEM_CONFIG_H
#define BUILTIN_KMEM_CONFIG_H

#include <stdbool.h>

#include "util/capture/recorder_options.h"
#include "util/cli/config.h"
#include "util/kmem/accounts.h"
#include "util/report/sort.h"

/* Sort keys of each allocator's tables, by account; nr is 0 if unset. */
struct kmem_sort {
	struct sort_keys v[ACCOUNTS_NR];
};

/* Regular expressions, all of which apply. */
struct kmem_regexes {
	const char **v;
	size_t nr;
};

/* Top's screen; NULL if unset. top_settings.h applies and writes them. */
struct kmem_top_settings {
	const char *sort; /* a column of top, or "-" and a column */
	const char *by;	  /* the name of a grouping */
	const char *filter;
	bool total;
};

struct kmem_config {
	struct config config;
	enum allocator allocator; /* kmem.default; 0 if unset */
	struct kmem_sort sort;
	uint64_t lines; /* LINES_ALL if unset */
	bool stock_style;
	struct kmem_regexes skip_callsites;
	enum record_via via;
	struct kmem_top_settings top;
};

/* Errors name the file and the line. The caller calls _deinit() in any case. */
int kmem_config_load(struct kmem_config *c, struct error *err);
void kmem_config_deinit(struct kmem_config *c);

/* Check a setting. Returns -EINVAL if the value is invalid; err names the valid ones. Keys outside
 * of kmem are not checked. */
int kmem_config_check(const struct config_entry *entry, struct error *err);

/* The name of setting i, from 0. NULL if there is none. */
const char *kmem_config_key(size_t i);

/* Whether it is "stock" rather than "default". -EINVAL: neither. */
int kmem_style_parse(const char *name, bool *ret_stock);

/* Add a valid expression. */
int kmem_regexes_add(struct kmem_regexes *r, const char *regex, struct error *err);
void kmem_regexes_deinit(struct kmem_regexes *r);

#endif
