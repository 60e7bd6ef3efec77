// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/decoding.h"

#include "util/kmem/filter.h"

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

/* After all windows; what comes a moment after them may still belong to something in them. */
static bool is_late(const struct kmem_options *o, uint64_t time_ns)
{
	return o->nr_windows && is_over(o, time_ns);
}

static bool is_too_late(const struct kmem_options *o, uint64_t time_ns)
{
	return time_ns > TRACE_PAIR_NS && is_over(o, time_ns - TRACE_PAIR_NS);
}

/*
 * Is the event wanted, and what for?  Of a sample, the decoder finds the name of the cache; of an
 * event that was complete, the names are told.  A part of its callers, for speed.
 */
static inline __attribute__((always_inline)) int
finish(struct kmem_decoding *d, const struct sample *sample, const struct kmem_decoder *decoder,
       const struct complete_event *whole, bool late, struct kmem_event *ev)
{
	const struct kmem_options *o = d->options;
	const char *cache = whole ? whole->cache : NULL;
	int ret;

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
	if (!(d->needs.completed >> ev->kind & 1)) {
		if (d->needs.callers >> ev->kind & 1)
			ev->call_site = callsite_find(&d->inside_callsites, sample);
		return 1;
	}
	if (decoder && event_completer_wants(&d->completer, KEY_CACHE))
		cache = kmem_decoder_cache(decoder, sample);
	ret = event_completer_fill(&d->completer, sample, whole ? whole->comm : NULL, cache, ev);
	if (!ret && d->has_filter)
		ev->filtered_out = !kmem_filter_matches(d->options->filter, d->naming, ev,
							ev->in_window ? &d->tally : NULL);
	return ret ? ret : 1;
}

int decoding_take(struct kmem_decoding *d, const struct sample *sample,
		  struct kmem_event *ret_event)
{
	const struct kmem_decoder *decoder = d->decoders[sample->event->index];
	bool late = is_late(d->options, sample->time_ns);

	if (!decoder || (late && is_too_late(d->options, sample->time_ns)))
		return 0;
	if (kmem_decoder_decode(decoder, sample, ret_event)) {
		sample->event->nr_bad++;
		return 0;
	}
	return finish(d, sample, decoder, NULL, late, ret_event);
}

int decoding_take_complete(struct kmem_decoding *d, const struct complete_event *event,
			   struct kmem_event *ret_event)
{
	const struct sample sample = {
		.event = event->source,
		.time_ns = event->event->time_ns,
		.callchain = (const uint8_t *)event->callchain,
		.nr_callchain = event->nr_callchain,
	};
	bool late = is_late(d->options, sample.time_ns);

	if (late && is_too_late(d->options, sample.time_ns))
		return 0;
	*ret_event = *event->event;
	ret_event->in_window = true;
	ret_event->late = ret_event->filtered_out = ret_event->cross_node = false;
	if (!kmem_event_is_sound(ret_event)) {
		event->source->nr_bad++;
		return 0;
	}
	return finish(d, &sample, NULL, event, late, ret_event);
}

static bool is_sum_of(const struct source_figures *f)
{
	return f->live_hits <= f->hits && f->live_bytes <= f->bytes_alloc &&
	       f->live_bytes_req <= f->bytes_req;
}

int decoding_take_row(struct kmem_decoding *d, const struct complete_event *keys,
		      const struct source_figures *figures, struct kmem_event *ret_keys)
{
	int ret;

	if (!is_sum_of(figures) || !(KMEM_ALLOCATIONS >> keys->event->kind & 1)) {
		keys->source->nr_bad++;
		return 0;
	}
	d->nr_rows++;
	ret = decoding_take_complete(d, keys, ret_keys);
	return ret > 0 ? ret_keys->in_window : ret;
}
