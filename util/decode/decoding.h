/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_decoding: turns what a source hands over into events that can be accounted by
 * themselves.
 *
 * Everything that involves the record, names or options is done here: times, call sites, thread
 * names, the filter.  What the accounts do not need is not determined, and events that none of them
 * takes are not handed over.
 */
#ifndef DECODE_DECODING_H
#define DECODE_DECODING_H

#include "util/base/handoff.h"
#include "util/decode/callsite.h"
#include "util/decode/completion.h"
#include "util/decode/filter_tally.h"
#include "util/decode/windows.h"
#include "util/event/event_kinds.h"
#include "util/event/naming.h"
#include "util/source/complete_event.h"
#include "util/tracepoint/event_format.h"

struct kmem_filter;

/* What is asked of it; pointers are borrowed and must outlive it. */
struct decoding_options {
	const struct time_window *windows; /* none: the whole time */
	size_t nr_windows;
	const struct kmem_filter *filter; /* NULL: none */
	const char *const *skip_callsites;
	size_t nr_skip_callsites;
	bool user_stacks;	/* KEY_STACK goes on into user space */
	unsigned int max_stack; /* maximum frames of KEY_STACK; 0: MAX_STACK_DEFAULT */
	struct own_tracepoint tracepoints[OWN_TRACEPOINTS_MAX]; /* which it decodes, too */
	size_t nr_tracepoints;
};

/* What the accounts need from it: bits of kinds, and of keys. */
struct decoding_needs {
	uint32_t kinds;	    /* handed over; all others are dropped */
	uint32_t completed; /* with names, node, call site (completion.h) */
	uint32_t callers;   /* with the call site, found in the callchain */
	uint32_t late;	    /* for a moment after all time windows, too */
	uint32_t filtered;  /* filtered by their own values, beside the completed ones */
	uint32_t keys;
	size_t event_size; /* how much of each they look at: kmem_event_extent() */
};

struct kmem_decoding {
	_Alignas(CACHE_LINE) struct handoff handoff; /* of decoded events, to the accounts */
	struct trace trace;
	char *kallsyms; /* the source's own, until the symbols are made of it; NULL: none */
	size_t kallsyms_len;
	bool has_trace, has_symbols, has_accounts;
	struct decoding_options options;
	const struct source_facts *facts;
	struct naming *naming;
	bool has_filter;
	struct decoding_needs needs;
	struct kmem_decoder **decoders; /* by the event's index; NULL: not a kmem event */
	size_t nr_decoders;		/* number of events looked at */
	size_t nr_unusable_events;	/* kmem events that lack a required field */
	struct callsite_finder callsites;
	struct callsite_finder inside_callsites; /* for frees and fallbacks */
	struct event_completer completer;
	struct filter_tally tally; /* of options.filter */
	struct sample complete;	   /* of a complete event, which leaves most of it 0 */
	/* of all events in the time windows, whichever account takes them */
	uint64_t nr_in_window, first_ns, last_ns;
	uint64_t nr_rows; /* number of rows, which come without events */
};

/*
 * Errors: a regular expression of the options, memory; decoding_deinit() is called even then.
 * naming and facts must outlive it.
 */
int decoding_init(struct kmem_decoding *d, const struct decoding_options *options,
		  struct naming *naming, const struct source_facts *facts, struct error *err);
void decoding_deinit(struct kmem_decoding *d);

/* The formats have arrived. Errors: they cannot be read, memory. */
int decoding_take_formats(struct kmem_decoding *d, const struct tracing_data *formats,
			  struct error *err);

/*
 * Find the decoder of the source's next event, which has not been looked at; events arrive one by
 * one, late in a pipe. One that lacks a required field is ignored, with a warning. Errors: -ENOMEM.
 */
int decoding_bind_next(struct kmem_decoding *d, struct error *err);

/* What an event that was looked at is: its kind is KMEM_OTHER if it is not a kmem event. */
struct event_type decoding_event(const struct kmem_decoding *d, size_t index);

/* The kinds of all of them, as bits. */
uint32_t decoding_kinds(const struct kmem_decoding *d);

/*
 * Returns 1: *ret_event is to be accounted; 0: it is not a kmem event, or not in the time windows,
 * or broken (which is counted). The sample's event must be bound. Errors: -ENOMEM.
 */
int decoding_take(struct kmem_decoding *d, const struct sample *sample,
		  struct kmem_event *ret_event);

/* The same for a complete event, which may be *ret_event already; what it already has is not
 * determined again. */
int decoding_take_complete(struct kmem_decoding *d, const struct complete_event *event,
			   struct kmem_event *ret_event);

/* The same for the keys of a row; one outside of the time windows is not to be accounted. */
int decoding_take_row(struct kmem_decoding *d, const struct complete_event *keys,
		      const struct source_figures *figures, struct kmem_event *ret_keys);

/*
 * Forget names that came with events: commands and callchains that no thread and no filter's tally
 * has any more, nor what mark() marks; and the names of threads that have ended.  No event may be
 * on its way to the accounts.  Names that are remembered elsewhere, by a cache or a call site, were
 * added to be kept.  Errors: -ENOMEM.
 */
int decoding_sweep_names(struct kmem_decoding *d, void (*mark)(void *ctx, struct key_marks *marks),
			 void *ctx);

#endif
