// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/accounting.h"

/* Where the tables have it is fetched into the cache so many events ahead. */
#define PREFETCH_EVENTS 16

static void note_peak(struct live_peak *peak, uint64_t bytes, uint64_t event, uint64_t time_ns)
{
	if (bytes > peak->bytes)
		*peak = (struct live_peak){.bytes = bytes, .event = event, .time_ns = time_ns};
}

static void note_slab_peak(struct kmem_analysis *a, uint64_t time_ns)
{
	note_peak(&a->slab_peak, a->slab.summary.bytes_live, a->nr_slab_events, time_ns);
}

static void note_page_peak(struct kmem_analysis *a, uint64_t time_ns)
{
	note_peak(&a->page_peak, a->page.summary.live_bytes, a->nr_page_events, time_ns);
}

/* The most may be live when a window begins, from then on less and less. */
static void note_window_starts(struct kmem_analysis *a, uint64_t time_ns)
{
	for (size_t i = 0; i < a->options.nr_windows; i++) {
		uint64_t start_ns = a->options.windows[i].start_ns;

		if (start_ns > time_ns || start_ns <= a->last_ns)
			continue;
		note_slab_peak(a, start_ns);
		note_page_peak(a, start_ns);
	}
	a->last_ns = time_ns;
}

static int account_slab(struct kmem_analysis *a, const struct kmem_event *ev)
{
	uint64_t dropped = a->slab.summary.duplicates_dropped;
	bool second;
	int ret;

	a->nr_slab_events++;
	if (a->options.slab_stop && a->nr_slab_events > a->options.slab_stop)
		return 0;
	if (ev->kind == KMEM_SLAB_FREE)
		return slab_free(&a->slab, ev);
	ret = slab_alloc(&a->slab, ev);
	if (!ev->in_window)
		return ret;
	second = a->slab.summary.duplicates_dropped != dropped;
	/* the allocation that made the peak is traced again: only now it is in its caller's row */
	if (second && a->slab_peak.ptr == ev->ptr &&
	    a->slab.summary.bytes_live == a->slab_peak.bytes)
		a->slab_peak.bytes = 0;
	note_slab_peak(a, ev->time_ns);
	if (a->slab_peak.event == a->nr_slab_events)
		a->slab_peak.ptr = second ? 0 : ev->ptr;
	return ret;
}

static int account_page(struct kmem_analysis *a, const struct kmem_event *ev)
{
	int ret;

	a->nr_page_events++;
	if (a->options.page_stop && a->nr_page_events > a->options.page_stop)
		return 0;
	if (ev->kind == KMEM_PAGE_FREE)
		return page_free(&a->page, ev);
	ret = page_alloc(&a->page, ev);
	if (ev->in_window)
		note_page_peak(a, ev->time_ns);
	return ret;
}

static int take_event(struct kmem_analysis *a, const struct kmem_event *ev)
{
	int ret = 0;

	if (a->options.nr_windows)
		note_window_starts(a, ev->time_ns);
	a->nr_in_window += ev->in_window;
	if (kmem_kind_is_slab(ev->kind))
		ret = a->do_slab ? account_slab(a, ev) : 0;
	else if (kmem_kind_is_page(ev->kind))
		ret = a->do_page ? account_page(a, ev) : 0;
	if (!ret && ev->in_window && page_internals_wanted(&a->internals))
		ret = page_internals_account(&a->internals, ev);
	return ret;
}

static void prefetch(const struct kmem_analysis *a, const struct kmem_event *ev)
{
	if (kmem_kind_is_slab(ev->kind))
		slab_prefetch(&a->slab, ev);
	else if (a->do_page)
		page_prefetch(&a->page, ev);
}

int accounting_take(struct kmem_analysis *a, const struct kmem_event *events, size_t nr)
{
	int ret = 0;

	for (size_t i = 0; i < nr && i < PREFETCH_EVENTS; i++)
		prefetch(a, &events[i]);
	for (size_t i = 0; !ret && i < nr; i++) {
		if (i + PREFETCH_EVENTS < nr)
			prefetch(a, &events[i + PREFETCH_EVENTS]);
		ret = take_event(a, &events[i]);
	}
	return ret;
}

void accounting_finish(struct kmem_analysis *a)
{
	note_window_starts(a, recording_span(a->recording).stop_ns);
}
