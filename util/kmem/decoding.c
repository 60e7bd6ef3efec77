// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/decoding.h"

#include "util/kmem/analysis.h"

static int complete(struct kmem_analysis *a, const struct kmem_decoder *d,
		    const struct sample *sample, struct kmem_event *ev)
{
	const char *cache = NULL;
	int ret;

	if (fact_maker_wants(&a->decoding.facts, KEY_CACHE))
		cache = kmem_decoder_cache(d, sample);
	ret = fact_maker_fill(&a->decoding.facts, sample, cache, ev);
	if (!ret && a->decoding.has_filter)
		ev->filtered_out = !kmem_filter_matches(a->options.filter, &a->naming, ev,
							ev->in_window ? &a->decoding.tally : NULL);
	return ret;
}

/* Who freed, or fell back; CALLSITE_UNKNOWN for events whose call site is not reported. */
static uint64_t inside_callsite(struct kmem_analysis *a, enum kmem_kind kind,
				const struct sample *sample)
{
	if ((a->accounts.do_percpu && kind == KMEM_PAGE_FREE) ||
	    (a->accounts.do_extfrag && kind == KMEM_PAGE_EXTFRAG))
		return callsite_find(&a->decoding.inside_callsites, sample);
	return CALLSITE_UNKNOWN;
}

static bool is_over(const struct kmem_options *o, uint64_t time_ns)
{
	return windows_before(o->windows, o->nr_windows, time_ns);
}

int decoding_take(struct kmem_analysis *a, const struct sample *sample,
		  struct kmem_event *ret_event)
{
	const struct kmem_decoder *d = a->decoding.decoders[sample->event->index];
	struct kmem_event *ev = ret_event;
	bool late = a->options.nr_windows && is_over(&a->options, sample->time_ns);
	int ret = 0;

	if (!d || (late && sample->time_ns > TRACE_PAIR_NS &&
		   is_over(&a->options, sample->time_ns - TRACE_PAIR_NS)))
		return 0;
	if (kmem_decoder_decode(d, sample, ev)) {
		sample->event->nr_bad++;
		return 0;
	}
	if (late) {
		ev->in_window = false;
		ev->late = true;
		return a->accounts.do_slab && kmem_kind_is_slab(ev->kind);
	}
	if (a->options.nr_windows)
		ev->in_window =
			windows_have(a->options.windows, a->options.nr_windows, sample->time_ns);
	if ((ev->kind == KMEM_SLAB_ALLOC && a->accounts.do_slab) ||
	    (ev->kind == KMEM_PAGE_ALLOC && a->accounts.do_page))
		ret = complete(a, d, sample, ev);
	else if (accounts_want_inside(&a->accounts))
		ev->call_site = inside_callsite(a, ev->kind, sample);
	return ret ? ret : 1;
}
