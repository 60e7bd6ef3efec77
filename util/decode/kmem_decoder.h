/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_decoder: turns samples of one tracepoint into kmem_events.
 *
 * It is made once for each event of the recording, by the fields that the event has
 * (include/trace/events/kmem.h changed them often). Decoding a sample then takes a handful of
 * loads.
 */
#ifndef DECODE_KMEM_DECODER_H
#define DECODE_KMEM_DECODER_H

#include "util/event/kmem_event.h"
#include "util/source/sample.h"
#include "util/tracepoint/event_format.h"

struct kmem_decoder;

/*
 * The decoder of an event; *ret_decoder is NULL if it is not a kmem event. Errors: -EINVAL if a
 * kmem event lacks a required field; -ENOMEM.
 */
int kmem_decoder_new(const struct trace *trace, const struct tep_event *event,
		     struct kmem_decoder **ret_decoder, struct error *err);
/*
 * The same for tracepoint number `own` of an account's own, whose events are of this kind. Errors:
 * -EINVAL if it lacks a required field; -ENOMEM.
 */
int kmem_decoder_new_own(const struct trace *trace, const struct tep_event *event,
			 const struct kmem_tracepoint *tracepoint, unsigned int kind,
			 unsigned int own, struct kmem_decoder **ret_decoder, struct error *err);
void kmem_decoder_free(struct kmem_decoder *d);

/* The kind of its events. */
unsigned int kmem_decoder_kind(const struct kmem_decoder *d);

/* Whether the event identifies pages by pfn (since 4.1), not by the address of struct page. */
bool kmem_decoder_has_pfn(const struct kmem_decoder *d);

/*
 * Errors: -EINVAL if the raw data are too short for the fields, or a value is impossible.
 */
int kmem_decoder_decode(const struct kmem_decoder *d, const struct sample *sample,
			struct kmem_event *ret_event);

/* The name of the cache, inside the sample. NULL if unknown. */
const char *kmem_decoder_cache(const struct kmem_decoder *d, const struct sample *sample);

#endif
