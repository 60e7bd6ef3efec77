/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct fact_maker: fills the key values of an allocation.
 *
 * Only the keys that somebody wants are worked out: a table groups by them or a filter
 * looks at them.  It owns the names of threads; interned strings go to the caller's
 * struct key_names.  Symbols, call sites and recording must outlive it.
 */
#ifndef KMEM_FACTS_H
#define KMEM_FACTS_H

#include "util/kmem/callsite.h"
#include "util/kmem/comms.h"
#include "util/kmem/stat_table.h"
#include "util/trace/kmem_event.h"

#define MAX_STACK_DEFAULT 127

struct fact_maker {
	uint32_t wanted; /* bits of enum kmem_key */
	unsigned int max_stack;
	struct key_names *names;
	struct comms comms;
	struct callsite_finder *callsites;
	const struct symbols *symbols;
	const struct recording *recording;
	struct table modules; /* call site -> interned module, once looked up */
};

void fact_maker_init(struct fact_maker *m, struct key_names *names,
		     struct callsite_finder *callsites, const struct symbols *symbols,
		     const struct recording *recording);
void fact_maker_deinit(struct fact_maker *m);

static inline void fact_maker_want(struct fact_maker *m, enum kmem_key key)
{
	m->wanted |= 1u << key;
}

static inline bool fact_maker_wants(const struct fact_maker *m, enum kmem_key key)
{
	return m->wanted >> key & 1;
}

/* Work out the wanted keys of a slab or page allocation. Errors: -ENOMEM. */
int fact_maker_fill(struct fact_maker *m, const struct kmem_event *ev,
		    struct alloc_facts *ret_facts);

#endif
