// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/accounting.h"

#include <errno.h>

/* Raw data of samples are fetched into the cache so many ahead. */
#define PREFETCH_SAMPLES 8

static bool in_window(const struct kmem_options *o, uint64_t time_ns)
{
	for (size_t i = 0; i < o->nr_windows; i++)
		if (time_ns >= o->windows[i].start_ns && time_ns <= o->windows[i].stop_ns)
			return true;
	return !o->nr_windows;
}

static bool after_windows(const struct kmem_options *o, uint64_t time_ns)
{
	if (!o->nr_windows)
		return false;
	for (size_t i = 0; i < o->nr_windows; i++)
		if (time_ns <= o->windows[i].stop_ns)
			return false;
	return true;
}

static int fill_facts(struct kmem_analysis *a, const struct kmem_event *ev,
		      struct alloc_facts *facts)
{
	int ret = fact_maker_fill(&a->facts, ev, facts);

	facts->filtered_out =
		!ret && a->has_filter &&
		!kmem_filter_matches(a->options.filter, &a->facts, &a->trace.gfp_names, ev, facts);
	return ret;
}

static void note_peak(struct live_peak *peak, uint64_t bytes, uint64_t event, uint64_t time_ns)
{
	if (bytes > peak->bytes)
		*peak = (struct live_peak){.bytes = bytes, .event = event, .time_ns = time_ns};
}

static int account_slab(struct kmem_analysis *a, const struct kmem_event *ev, bool counted)
{
	struct alloc_facts facts;
	int ret;

	a->nr_slab_events++;
	if (a->options.slab_stop && a->nr_slab_events > a->options.slab_stop)
		return 0;
	if (ev->kind == KMEM_SLAB_FREE)
		return slab_free(&a->slab, ev, counted);
	ret = fill_facts(a, ev, &facts);
	if (!ret)
		ret = slab_alloc(&a->slab, ev, &facts, counted);
	note_peak(&a->slab_peak, a->slab.summary.bytes_live, a->nr_slab_events,
		  ev->sample->time_ns);
	return ret;
}

static int account_page(struct kmem_analysis *a, struct kmem_event *ev, bool counted)
{
	struct alloc_facts facts;
	int ret;

	a->nr_page_events++;
	if (a->options.page_stop && a->nr_page_events > a->options.page_stop)
		return 0;
	if (ev->order > PAGE_ORDER_MAX)
		return -EINVAL;
	if (ev->kind == KMEM_PAGE_FREE)
		return page_free(&a->page, ev, counted);
	ev->bytes_req = ev->bytes_alloc = (uint64_t)a->trace.page_size << ev->order;
	ret = fill_facts(a, ev, &facts);
	if (!ret)
		ret = page_alloc(&a->page, ev, &facts, counted);
	note_peak(&a->page_peak, a->page.summary.live_bytes, a->nr_page_events,
		  ev->sample->time_ns);
	return ret;
}

static int account(struct kmem_analysis *a, struct kmem_event *ev, bool counted)
{
	if (kmem_kind_is_slab(ev->kind))
		return a->do_slab ? account_slab(a, ev, counted) : 0;
	if (kmem_kind_is_page(ev->kind))
		return a->do_page ? account_page(a, ev, counted) : 0;
	return 0;
}

/* Behind the common fields, and where long events end. */
static void prefetch_raw(const struct sample *sample)
{
	if (!sample->raw)
		return;
	__builtin_prefetch(sample->raw + 8);
	__builtin_prefetch(sample->raw + 64);
}

/* The events among the samples that are ours and in time; their tables' slots are on their way. */
static size_t decode(struct kmem_analysis *a, const struct sample *samples, size_t nr,
		     struct kmem_event *ret_events)
{
	size_t n = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct kmem_decoder *d = a->decoders[samples[i].event->index];
		struct kmem_event *ev = &ret_events[n];

		if (i + PREFETCH_SAMPLES < nr)
			prefetch_raw(&samples[i + PREFETCH_SAMPLES]);
		if (!d || after_windows(&a->options, samples[i].time_ns))
			continue;
		if (kmem_decoder_decode(d, &samples[i], ev)) {
			samples[i].event->nr_bad++;
			continue;
		}
		if (kmem_kind_is_slab(ev->kind))
			slab_prefetch(&a->slab, ev);
		n++;
	}
	return n;
}

static int take_event(struct kmem_analysis *a, struct kmem_event *ev)
{
	uint64_t time_ns = ev->sample->time_ns;
	bool counted = in_window(&a->options, time_ns);
	int ret;

	a->nr_in_window += counted;
	if (time_ns > a->last_ns)
		a->last_ns = time_ns;
	ret = account(a, ev, counted);
	if (!ret && counted && page_internals_wanted(&a->internals))
		ret = page_internals_account(&a->internals, ev);
	if (ret == -EINVAL) {
		ev->sample->event->nr_bad++;
		return 0;
	}
	return ret;
}

int accounting_take(struct kmem_analysis *a, const struct sample *samples, size_t nr)
{
	struct kmem_event events[SESSION_SAMPLES_MAX];
	int ret = 0;

	nr = decode(a, samples, nr, events);
	for (size_t i = 0; i < nr; i++)
		if (kmem_kind_is_slab(events[i].kind))
			slab_prefetch_object(&a->slab, &events[i]);
	for (size_t i = 0; !ret && i < nr; i++)
		ret = take_event(a, &events[i]);
	return ret;
}
