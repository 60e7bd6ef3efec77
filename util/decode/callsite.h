/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct callsite_finder: finds the caller of the page allocator, or of vmalloc, in a callchain.
 *
 * The call site is the first kernel frame that does not belong to the page allocator, a tracepoint,
 * or a function that the user skips. Only frames after a PERF_CONTEXT_KERNEL marker count. If
 * symbols are known, a frame outside of kernel text and of module space is junk and skipped; a
 * frame in module space counts even without a name. A chain with a marker that no kernel writes is
 * broken and has no call site, as in the stock tool. Each address is classified once. The skipped
 * functions are data: see callsite.c.
 *
 * Pages that the slab allocator takes have the call site CALLSITE_SLAB_PAGES, whoever requested the
 * object that needed a new slab: the slab outlives that object, and holds others. If the user skips
 * one of the slab allocator's functions, all of them are treated like other functions.
 */
#ifndef DECODE_CALLSITE_H
#define DECODE_CALLSITE_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/base/table.h"
#include "util/event/area_functions.h"
#include "util/source/sample.h"
#include "util/symbol/symbols.h"

#define CALLSITE_UNKNOWN    0
#define CALLSITE_SLAB_PAGES SYMBOLS_SLAB_PAGES

#define CALLSITE_RECENT 16384 /* a power of two */

struct callsite_finder {
	const struct symbols *symbols;
	regex_t *rules; /* names of skipped functions: the built-in ones, then the user's */
	size_t nr_rules;
	struct area_functions areas; /* empty, unless it looks for the caller of vmalloc */
	bool through_slab;	     /* do not use CALLSITE_SLAB_PAGES */
	struct table classes;	     /* u64 address -> enum */
	/* recent lookups, by the low bits of the address; 0: empty */
	struct recent_frame {
		uint64_t address;
		uint16_t class, use;
	} recent[CALLSITE_RECENT];
};

/* symbols must outlive the finder. */
int callsite_finder_init(struct callsite_finder *f, const struct symbols *symbols,
			 struct error *err);
void callsite_finder_deinit(struct callsite_finder *f);

/* Also skip functions whose name matches (POSIX extended). Errors: -EINVAL with the reason. */
int callsite_finder_skip(struct callsite_finder *f, const char *regex, struct error *err);

/*
 * Also skip functions between the page allocator's callers and events that fire deep inside of it:
 * frees, and fallbacks with zone->lock held. Errors: -ENOMEM.
 */
int callsite_finder_skip_inside(struct callsite_finder *f, struct error *err);

/*
 * Also skip functions in which a task waits for memory: reclaim, compaction, charging a memory
 * cgroup, the OOM killer, and the slab allocator that needs a new slab. Errors: -ENOMEM.
 */
int callsite_finder_skip_waiting(struct callsite_finder *f, struct error *err);

/* Look for the caller of vmalloc, instead of the page allocator. Errors: -ENOMEM. */
int callsite_finder_skip_vmalloc(struct callsite_finder *f, struct error *err);

/* The call site's identity (util/symbol/symbols.h), or CALLSITE_UNKNOWN if no frame is left. */
uint64_t callsite_find(struct callsite_finder *f, const struct sample *sample);

/*
 * The same, and what the area is for: the innermost function that shows more than that vmalloc()
 * was called.
 */
uint64_t callsite_find_area(struct callsite_finder *f, const struct sample *sample,
			    enum area_use *ret_use);

/*
 * Identities of the kernel frames of the callchain from callsite on, at most max, innermost first.
 * Returns their number; 0 if the call site is not in the chain.
 */
size_t callsite_stack(struct callsite_finder *f, const struct sample *sample, uint64_t callsite,
		      uint64_t *ret_frames, size_t max);

/* Whether this function is skipped. name as in kallsyms. */
bool callsite_is_plumbing(const struct callsite_finder *f, const char *name);

/*
 * Append the start addresses (u64) of the functions that were skipped, in the order of their first
 * appearance. Errors: -ENOMEM.
 */
int callsite_skipped_functions(const struct callsite_finder *f, struct table *functions);

#endif
