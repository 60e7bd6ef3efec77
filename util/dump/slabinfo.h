/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source that reads /proc/slabinfo, or a copy: a row for each cache of the slab allocator.
 */
#ifndef DUMP_SLABINFO_H
#define DUMP_SLABINFO_H

#include "util/source/event_source.h"

/* The keys that it reports, as in the facts. */
#define SLABINFO_KEYS "cache size"

/* Longer names exist in no kernel. */
#define SLABINFO_NAME_MAX 255

struct slabinfo_cache {
	char name[SLABINFO_NAME_MAX + 1];
	uint64_t active, objects, object_bytes, slab_pages, slabs;
};

/* Parse the line of a cache; the text is changed. Returns false if it is not one. */
bool slabinfo_parse(char *text, size_t len, struct slabinfo_cache *ret);

extern const struct event_source_ops event_source_slabinfo;

#endif
