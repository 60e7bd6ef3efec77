/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct fact_maker: determines what an allocation's tracepoint does not say.
 *
 * Who asked for pages and how many bytes they are, the node, the names.  Only what is needed is
 * determined: because a table groups by its key or a filter looks at it.  The maker owns the names
 * of threads; interned strings go to the caller's struct key_names.  Symbols, call sites and
 * recording must outlive it.
 */
#ifndef KMEM_FACTS_H
#define KMEM_FACTS_H

#include "util/kmem/callsite.h"
#include "util/kmem/key.h"
#include "util/kmem/kmalloc_cache.h"
#include "util/kmem/kmem_event.h"
#include "util/machine/threads.h"

#define MAX_STACK_DEFAULT 127

struct fact_maker {
	uint32_t wanted; /* bits of enum kmem_key */
	unsigned int max_stack;
	uint32_t page_size; /* bytes */
	struct gfp_masks gfp;
	struct kmalloc_caches kmalloc;
	struct table kmalloc_names; /* size and family -> interned name of a cache */
	struct key_names *names;
	struct threads threads;
	struct callsite_finder *callsites;
	const struct symbols *symbols;
	const struct source_facts *recording;
	struct table modules; /* call site -> interned module, once looked up */
};

void fact_maker_init(struct fact_maker *m, struct key_names *names,
		     struct callsite_finder *callsites, const struct symbols *symbols,
		     const struct source_facts *recording);
void fact_maker_deinit(struct fact_maker *m);

static inline void fact_maker_want(struct fact_maker *m, enum kmem_key key)
{
	m->wanted |= 1u << key;
}

static inline bool fact_maker_wants(const struct fact_maker *m, enum kmem_key key)
{
	return m->wanted >> key & 1;
}

/*
 * Complete the event of an allocation; only the sample's callchain is used. comm and cache: names
 * that came with it, NULL: unknown. Errors: -ENOMEM.
 */
int fact_maker_fill(struct fact_maker *m, const struct sample *sample, const char *comm,
		    const char *cache, struct kmem_event *ev);

#endif
