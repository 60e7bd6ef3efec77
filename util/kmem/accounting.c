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
	note_peak(&a->accounts.slab_peak, a->accounts.slab.summary.bytes_live,
		  a->accounts.nr_slab_events, time_ns);
}

static void note_page_peak(struct kmem_analysis *a, uint64_t time_ns)
{
	note_peak(&a->accounts.page_peak, a->accounts.page.summary.live_bytes,
		  a->accounts.nr_page_events, time_ns);
}

/* The most may be live when a window begins, from then on less and less. */
static void note_window_starts(struct kmem_analysis *a, uint64_t time_ns)
{
	for (size_t i = 0; i < a->options.nr_windows; i++) {
		uint64_t start_ns = a->options.windows[i].start_ns;

		if (start_ns > time_ns || start_ns <= a->accounts.now_ns)
			continue;
		note_slab_peak(a, start_ns);
		note_page_peak(a, start_ns);
	}
	a->accounts.now_ns = time_ns;
}

static int account_slab(struct kmem_analysis *a, const struct kmem_event *ev)
{
	uint64_t dropped = a->accounts.slab.summary.duplicates_dropped;
	bool second;
	int ret;

	a->accounts.nr_slab_events++;
	if (a->options.slab_stop && a->accounts.nr_slab_events > a->options.slab_stop)
		return 0;
	if (ev->kind == KMEM_SLAB_FREE)
		return slab_free(&a->accounts.slab, ev);
	ret = slab_alloc(&a->accounts.slab, ev);
	if (!ev->in_window)
		return ret;
	second = a->accounts.slab.summary.duplicates_dropped != dropped;
	/* the allocation that made the peak is traced again: only now it is in its caller's row */
	if (second && a->accounts.slab_peak.ptr == ev->ptr &&
	    a->accounts.slab.summary.bytes_live == a->accounts.slab_peak.bytes)
		a->accounts.slab_peak.bytes = 0;
	note_slab_peak(a, ev->time_ns);
	if (a->accounts.slab_peak.event == a->accounts.nr_slab_events)
		a->accounts.slab_peak.ptr = second ? 0 : ev->ptr;
	return ret;
}

static int account_page(struct kmem_analysis *a, const struct kmem_event *ev)
{
	int ret;

	a->accounts.nr_page_events++;
	if (a->options.page_stop && a->accounts.nr_page_events > a->options.page_stop)
		return 0;
	if (ev->kind == KMEM_PAGE_FREE)
		return page_free(&a->accounts.page, ev);
	ret = page_alloc(&a->accounts.page, ev);
	if (ev->in_window)
		note_page_peak(a, ev->time_ns);
	return ret;
}

static int account_inside(struct kmem_accounts *a, const struct kmem_event *ev)
{
	int ret = 0;

	if (!a->last_ns)
		a->first_ns = ev->time_ns;
	a->last_ns = ev->time_ns;
	if (a->do_extfrag)
		ret = extfrag_account(&a->extfrag, ev);
	if (!ret && a->do_percpu && !kmem_kind_is_slab(ev->kind))
		ret = percpu_account(&a->percpu, ev);
	return ret;
}

static int take_event(struct kmem_analysis *a, const struct kmem_event *ev)
{
	int ret = 0;

	if (a->options.nr_windows)
		note_window_starts(a, ev->time_ns);
	a->accounts.nr_in_window += ev->in_window;
	if (kmem_kind_is_slab(ev->kind))
		ret = a->accounts.do_slab ? account_slab(a, ev) : 0;
	else if (kmem_kind_is_page(ev->kind))
		ret = a->accounts.do_page ? account_page(a, ev) : 0;
	if (!ret && ev->in_window && accounts_want_inside(&a->accounts))
		ret = account_inside(&a->accounts, ev);
	return ret;
}

static void prefetch(const struct kmem_analysis *a, const struct kmem_event *ev)
{
	if (kmem_kind_is_slab(ev->kind))
		slab_prefetch(&a->accounts.slab, ev);
	else if (a->accounts.do_page)
		page_prefetch(&a->accounts.page, ev);
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
	note_window_starts(a, source_facts_span(a->recording).stop_ns);
}
