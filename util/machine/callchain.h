/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct callchain: iterates over the callchain of a sample, innermost frame first.
 *
 * A callchain consists of u64 entries as in perf_event_open(2): addresses, and markers for the
 * context of the addresses that follow. An address before any marker has CONTEXT_NONE. A marker
 * that no kernel writes means that the chain is broken: check `broken` after the walk if it
 * matters. Among user frames such a value is a junk frame and is skipped, because the kernel
 * follows user frame pointers without validating them. The entries belong to the sample.
 */
#ifndef MACHINE_CALLCHAIN_H
#define MACHINE_CALLCHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/perf_event.h> /* PERF_CONTEXT_* */

#include "util/base/bytes.h"

/* Since 6.19; not in the headers of Debian 12. */
#define CALLCHAIN_USER_DEFERRED ((uint64_t)-640)

enum callchain_context {
	CONTEXT_NONE,
	CONTEXT_KERNEL,
	CONTEXT_USER,
	CONTEXT_OTHER, /* contexts of a hypervisor or a guest */
	CONTEXT_BROKEN,
};

struct callchain {
	const uint8_t *at, *end;
	bool swap;
	bool broken;
	enum callchain_context context; /* context of the frame returned last */
};

static inline struct callchain callchain_make(const uint8_t *entries, uint64_t nr, bool swap)
{
	return (struct callchain){
		.at = entries, .end = nr ? entries + nr * 8 : entries, .swap = swap};
}

static inline enum callchain_context callchain_context_of(uint64_t marker)
{
	/* the marker that starts nearly every callchain */
	if (__builtin_expect(marker == (uint64_t)PERF_CONTEXT_KERNEL, true))
		return CONTEXT_KERNEL;
	switch (marker) {
	case (uint64_t)PERF_CONTEXT_USER:
		return CONTEXT_USER;
	case (uint64_t)PERF_CONTEXT_HV:
	case CALLCHAIN_USER_DEFERRED:
	case (uint64_t)PERF_CONTEXT_GUEST:
	case (uint64_t)PERF_CONTEXT_GUEST_KERNEL:
	case (uint64_t)PERF_CONTEXT_GUEST_USER:
		return CONTEXT_OTHER;
	default:
		return CONTEXT_BROKEN;
	}
}

/* The context that follows a marker in this context. */
static inline enum callchain_context callchain_context_after(enum callchain_context context,
							     uint64_t marker)
{
	enum callchain_context next = callchain_context_of(marker);

	return next == CONTEXT_BROKEN && context == CONTEXT_USER ? CONTEXT_USER : next;
}

/* The next frame; its context is c->context. Returns false at the end. */
static inline bool callchain_next(struct callchain *c, uint64_t *ret_address)
{
	while (c->at < c->end) {
		uint64_t entry = load_u64(c->at, c->swap);

		c->at += 8;
		if (entry < (uint64_t)PERF_CONTEXT_MAX) {
			*ret_address = entry;
			return true;
		}
		c->context = callchain_context_after(c->context, entry);
		c->broken |= c->context == CONTEXT_BROKEN;
	}
	return false;
}

/* Whether the chain has no invalid marker, in the remaining entries either. */
static inline bool callchain_is_sound(const struct callchain *c)
{
	enum callchain_context context = c->context;

	for (const uint8_t *at = c->at; at < c->end; at += 8) {
		uint64_t entry = load_u64(at, c->swap);

		if (entry < (uint64_t)PERF_CONTEXT_MAX)
			continue;
		context = callchain_context_after(context, entry);
		if (context == CONTEXT_BROKEN)
			return false;
	}
	return !c->broken;
}

#endif
