/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the configuration says about perf kmem, which each subcommand loads first: kmem.default,
 * kmem.sort, kmem.lines, kmem.style, kmem.skip-callsite, kmem.via.
 *
 * Strings are those of the configuration, which it owns.
 */
#ifndef BUILTIN_KMEM_CONFIG_H
#define BUILTIN_KMEM_CONFIG_H

#include <stdbool.h>

#include "util/cli/config.h"
#include "util/event/key.h"
#include "util/record/recorder_options.h"
#include "util/report/sort.h"

/* Sort keys of both allocators, and of each; nr is 0 if there are none. */
struct kmem_sort {
	struct sort_keys slab, page;
};

/* Several regular expressions, all of which apply. */
struct kmem_regexes {
	const char **v;
	size_t nr;
};

struct kmem_config {
	struct config config;
	enum allocator allocator; /* kmem.default; 0: not set */
	struct kmem_sort sort;
	uint64_t lines; /* LINES_ALL: not set */
	bool stock_style;
	struct kmem_regexes skip_callsites;
	enum record_via via;
};

/* Errors name file and line. The caller calls _deinit() in any case. */
int kmem_config_load(struct kmem_config *c, struct error *err);
void kmem_config_deinit(struct kmem_config *c);

/* May this be set? -EINVAL: no, err says what is wanted. A key outside of kmem may be anything. */
int kmem_config_check(const struct config_entry *entry, struct error *err);

/* Is it "stock" rather than "default"? -EINVAL: neither. */
int kmem_style_parse(const char *name, bool *ret_stock);

/* Add a valid one. */
int kmem_regexes_add(struct kmem_regexes *r, const char *regex, struct error *err);
void kmem_regexes_deinit(struct kmem_regexes *r);

#endif
