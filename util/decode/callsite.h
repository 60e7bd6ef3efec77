/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct callsite_finder: finds who called the page allocator, in a callchain.
 *
 * The call site is the first kernel frame that is neither the page allocator's own plumbing nor a
 * tracepoint's, nor in a function that the user skips.  Only frames after a PERF_CONTEXT_KERNEL
 * marker count; if symbols are known, a frame outside of kernel text and of module space is junk
 * and skipped; one in module space counts even if its name is unknown.  A chain with a marker that
 * no kernel writes is broken and has no call site, as in the stock tool.  Each address is
 * classified once.  The plumbing is data: see callsite.c.
 *
 * Pages that the slab allocator takes have the call site CALLSITE_SLAB_PAGES, whoever asked for the
 * object that needed a new slab: the slab outlives that object, and holds others.  If the user
 * skips one of the slab allocator's functions, all of them are treated like other functions.
 */
#ifndef DECODE_CALLSITE_H
#define DECODE_CALLSITE_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/base/table.h"
#include "util/source/sample.h"
#include "util/symbol/symbols.h"

#define CALLSITE_UNKNOWN    0
#define CALLSITE_SLAB_PAGES SYMBOLS_SLAB_PAGES

#define CALLSITE_RECENT 16384 /* a power of two */

struct callsite_finder {
	const struct symbols *symbols;
	regex_t *skip; /* the built-in list, then the user's */
	size_t nr_skip;
	bool through_slab;    /* no CALLSITE_SLAB_PAGES */
	struct table classes; /* u64 address -> enum */
	/* the most recent of those, by the low bits of the address; 0: empty */
	struct recent_frame {
		uint64_t address;
		uint32_t class;
	} recent[CALLSITE_RECENT];
};

/* symbols must outlive the finder. */
int callsite_finder_init(struct callsite_finder *f, const struct symbols *symbols,
			 struct error *err);
void callsite_finder_deinit(struct callsite_finder *f);

/* Also look through functions whose name matches (POSIX extended). Errors: -EINVAL, with what is
 * wrong. */
int callsite_finder_skip(struct callsite_finder *f, const char *regex, struct error *err);

/*
 * Also look through what is between the page allocator's callers and the events that fire deep
 * inside it: frees, and fallbacks with zone->lock held. Errors: -ENOMEM.
 */
int callsite_finder_skip_inside(struct callsite_finder *f, struct error *err);

/* The call site's identity (util/symbol/symbols.h); CALLSITE_UNKNOWN if no frame is left. */
uint64_t callsite_find(struct callsite_finder *f, const struct sample *sample);

/*
 * Identities of the kernel frames of the callchain from callsite on, at most max of them, innermost
 * first.
 * Returns their number; 0 if the call site is not in the chain.
 */
size_t callsite_stack(struct callsite_finder *f, const struct sample *sample, uint64_t callsite,
		      uint64_t *ret_frames, size_t max);

/* Is this function looked through? name as in kallsyms. */
bool callsite_is_plumbing(const struct callsite_finder *f, const char *name);

/*
 * Add the functions that were met and looked through, by the addresses (u64) that they start at, in
 * the order in which they were met. Errors: -ENOMEM.
 */
int callsite_looked_through(const struct callsite_finder *f, struct table *functions);

#endif
