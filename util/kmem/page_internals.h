/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct page_internals: the reports about the inside of the page allocator, as one part of the
 * analysis: per-CPU lists (percpu.h) and fallbacks (extfrag.h), fed from the same events.
 *
 * page_internals_bind() is told of each event of the recording before its samples come, so
 * that a report knows what was recorded.  Events outside of the window are not accounted.
 */
#ifndef KMEM_PAGE_INTERNALS_H
#define KMEM_PAGE_INTERNALS_H

#include "util/kmem/callsite.h"
#include "util/kmem/extfrag.h"
#include "util/kmem/percpu.h"

struct page_internals {
	bool do_percpu, do_extfrag; /* wanted */
	bool frees_have_chain, extfrag_has_chain;
	struct percpu percpu;
	struct extfrag extfrag;
	struct callsite_finder callers; /* of frees and of fallbacks */
	uint64_t page_allocations;	/* mm_page_alloc in the window */
	uint64_t first_ns, last_ns; /* of the kmem events in the window; 0, 0: there were none */
};

/* symbols and the regular expressions must outlive it. Errors: a bad expression, -ENOMEM. */
int page_internals_init(struct page_internals *in, const struct symbols *symbols,
			const char *const *skip_callsites, size_t nr_skip_callsites,
			struct error *err);
void page_internals_deinit(struct page_internals *in);

void page_internals_bind(struct page_internals *in, const struct trace *trace,
			 const struct recorded_event *recorded, const struct tep_event *event,
			 enum kmem_kind kind);

static inline bool page_internals_wanted(const struct page_internals *in)
{
	return in->do_percpu || in->do_extfrag;
}

/* Who freed, or fell back; CALLSITE_UNKNOWN for events whose call site is not reported here. */
uint64_t page_internals_callsite(struct page_internals *in, enum kmem_kind kind,
				 const struct sample *sample);

/* Account an event of any kind that lies in the window. Errors: -ENOMEM. */
int page_internals_account(struct page_internals *in, const struct kmem_event *ev);

/* Is there something to report? Errors: nothing of what was wanted was recorded, in words. */
int page_internals_check(const struct page_internals *in, const char *path, struct error *err);

#endif
