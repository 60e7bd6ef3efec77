// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/decoding.h"

#include "util/kmem/filter.h"

static int complete(struct kmem_decoding *d, const struct kmem_decoder *decoder,
		    const struct sample *sample, struct kmem_event *ev)
{
	const char *cache = NULL;
	int ret;

	if (fact_maker_wants(&d->facts, KEY_CACHE))
		cache = kmem_decoder_cache(decoder, sample);
	ret = fact_maker_fill(&d->facts, sample, cache, ev);
	if (!ret && d->has_filter)
		ev->filtered_out = !kmem_filter_matches(d->options->filter, d->naming, ev,
							ev->in_window ? &d->tally : NULL);
	return ret;
}

static bool is_over(const struct kmem_options *o, uint64_t time_ns)
{
	return windows_before(o->windows, o->nr_windows, time_ns);
}

static void note_in_window(struct kmem_decoding *d, uint64_t time_ns)
{
	d->nr_in_window++;
	if (!d->last_ns)
		d->first_ns = time_ns;
	d->last_ns = time_ns;
}

int decoding_take(struct kmem_decoding *d, const struct sample *sample,
		  struct kmem_event *ret_event)
{
	const struct kmem_decoder *decoder = d->decoders[sample->event->index];
	const struct kmem_options *o = d->options;
	struct kmem_event *ev = ret_event;
	bool late = o->nr_windows && is_over(o, sample->time_ns);
	int ret = 0;

	if (!decoder || (late && sample->time_ns > TRACE_PAIR_NS &&
			 is_over(o, sample->time_ns - TRACE_PAIR_NS)))
		return 0;
	if (kmem_decoder_decode(decoder, sample, ev)) {
		sample->event->nr_bad++;
		return 0;
	}
	if (late) {
		ev->in_window = false;
		ev->late = true;
		return d->needs.late >> ev->kind & 1;
	}
	if (o->nr_windows)
		ev->in_window = windows_have(o->windows, o->nr_windows, sample->time_ns);
	if (ev->in_window)
		note_in_window(d, sample->time_ns);
	if (!(d->needs.kinds >> ev->kind & 1))
		return 0;
	if (d->needs.facts >> ev->kind & 1)
		ret = complete(d, decoder, sample, ev);
	else if (d->needs.callers >> ev->kind & 1)
		ev->call_site = callsite_find(&d->inside_callsites, sample);
	return ret ? ret : 1;
}
