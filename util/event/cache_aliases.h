/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct cache_aliases: the other names of slab caches that the recorded kernel merged.
 *
 * An event has the name of the cache that was created first; objects of all caches merged with it
 * count as its own. Made from the source's cache_aliases.
 */
#ifndef EVENT_CACHE_ALIASES_H
#define EVENT_CACHE_ALIASES_H

#include <stdbool.h>

#include "util/base/strbuf.h"
#include "util/event/key.h"

struct cache_aliases {
	char *groups;	   /* a copy: a pipe may deliver them again at its end */
	struct table rows; /* by the number of an interned name */
};

/*
 * groups: one a line, names separated by '/'; NULL or "" if unknown. The names are interned.
 * Errors: -ENOMEM.
 */
int cache_aliases_init(struct cache_aliases *c, struct intern *strings, const char *groups);
void cache_aliases_deinit(struct cache_aliases *c);

/*
 * Iterate over the other names of a cache, a value of KEY_CACHE. *at is NULL at first. Returns
 * false at the end. The name replaces the contents of sb.
 */
bool cache_aliases_next(const struct cache_aliases *c, const struct intern *strings, uint64_t cache,
			const char **at, struct strbuf *sb);

#endif
