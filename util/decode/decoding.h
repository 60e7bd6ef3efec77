/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_decoding: turns a source's samples, events and rows into self-contained events for
 * the accounts.
 *
 * Everything that involves the record, names or options is done here: times, call sites, thread
 * names, the filter. Values that the accounts do not need are not determined, and events that no
 * account takes are dropped.
 */
#ifndef DECODE_DECODING_H
#define DECODE_DECODING_H

#include "util/base/handoff.h"
#include "util/decode/callsite.h"
#include "util/decode/completion.h"
#include "util/decode/filter_tally.h"
#include "util/decode/windows.h"
#include "util/event/known_events.h"
#include "util/event/naming.h"
#include "util/source/complete_event.h"
#include "util/tracepoint/event_format.h"

struct kmem_filter;

/* The options. Pointers are borrowed and must outlive the decoding. */
struct decoding_options {
	const struct time_window *windows; /* none: the whole time */
	size_t nr_windows;
	const struct kmem_filter *filter; /* may be NULL */
	const char *const *skip_callsites;
	size_t nr_skip_callsites;
	bool user_stacks;	/* KEY_STACK continues into user space */
	unsigned int max_stack; /* limit of frames of KEY_STACK; 0: MAX_STACK_DEFAULT */
	struct own_tracepoint tracepoints[OWN_TRACEPOINTS_MAX]; /* which it decodes, too */
	size_t nr_tracepoints;
};

/* The accounts' needs: bits of kinds, and of keys. */
struct decoding_needs {
	uint32_t kinds;	    /* delivered; others are dropped */
	uint32_t completed; /* with names, node, call site (completion.h) */
	uint32_t callers;   /* with the call site from the callchain */
	uint32_t late;	    /* delivered for a moment after all time windows, too */
	uint32_t filtered;  /* filtered by their own values, besides the completed ones */
	uint32_t named;	    /* with the keys of `context`; of single accounts: and the call site */
	key_mask_t keys;    /* of completed kinds */
	key_mask_t context; /* of named and completed kinds, if the source has them */
	size_t event_size;  /* bytes of each event that are used: kmem_event_extent() */
};

struct kmem_decoding {
	_Alignas(CACHE_LINE) struct handoff handoff; /* of decoded events, to the accounts */
	struct trace trace;
	char *kallsyms; /* text from the source, until the symbols are made from it; may be NULL */
	size_t kallsyms_len;
	bool has_trace, has_symbols, has_accounts;
	struct decoding_options options;
	const struct source_facts *facts;
	struct naming *naming;
	bool has_filter;
	struct decoding_needs needs;
	uint8_t handling[KMEM_KINDS];	/* enum handling, from the needs */
	struct kmem_decoder **decoders; /* by event index; NULL if it is not a kmem event */
	size_t nr_decoders;		/* number of events examined */
	size_t nr_unusable_events;	/* number of kmem events that lack a required field */
	struct callsite_finder callsites;
	struct callsite_finder inside_callsites; /* for frees and fallbacks */
	struct callsite_finder *own_callsites; /* for kinds of single accounts; made when needed */
	struct callsite_finder *areas;	       /* for vmalloc; NULL: not needed */
	struct event_completer completer;
	struct filter_tally tally; /* of options.filter */
	struct sample complete;	   /* scratch for a complete event, most of which stays 0 */
	/* of all events in the time windows, for any account */
	uint64_t nr_in_window, first_ns, last_ns;
	uint64_t nr_rows; /* number of rows, which have no events */
};

/*
 * Errors: an invalid regular expression in the options, -ENOMEM; decoding_deinit() is needed in any
 * case. naming and facts must outlive it.
 */
int decoding_init(struct kmem_decoding *d, const struct decoding_options *options,
		  struct naming *naming, const struct source_facts *facts, struct error *err);
void decoding_deinit(struct kmem_decoding *d);

/* Called when the formats have arrived. Errors: they cannot be read, -ENOMEM. */
int decoding_take_formats(struct kmem_decoding *d, const struct tracing_data *formats,
			  struct error *err);

/*
 * Find the decoder of the source's next event that was not examined. Events arrive one by one, late
 * in a pipe. One that lacks a required field is ignored, with a warning. Errors: -ENOMEM.
 */
int decoding_bind_next(struct kmem_decoding *d, struct error *err);

/* The type of an examined event; its kind is KMEM_OTHER if it is not a kmem event. */
struct event_type decoding_event(const struct kmem_decoding *d, size_t index);

/* Called once before the first event, with the accounts' needs. */
void decoding_set_needs(struct kmem_decoding *d, const struct decoding_needs *needs);

/* Bits of the kinds of all events. */
uint32_t decoding_kinds(const struct kmem_decoding *d);

/*
 * Decodes samples, and adds them to the handoff. Samples of other events, or outside of the time
 * windows, are dropped, and so are broken ones, which are counted. The samples' events must be
 * bound. Returns nr. Errors: -ENOMEM, those of the handoff.
 */
int decoding_take_samples(struct kmem_decoding *d, const struct sample *samples, size_t nr);

/*
 * A complete event, which may already be in *ret_event. Values that it has are not determined
 * again. Returns 1 if *ret_event is for the accounts, else 0. Errors: -ENOMEM.
 */
int decoding_take_complete(struct kmem_decoding *d, const struct complete_event *event,
			   struct kmem_event *ret_event);

/* The same for the keys of a row. A row outside of the time windows is not for the accounts. */
int decoding_take_row(struct kmem_decoding *d, const struct complete_event *keys,
		      const struct source_figures *figures, struct kmem_event *ret_keys);

/*
 * Forget names that came with events and are unused: commands and callchains that no thread and no
 * filter's tally uses and that mark() does not mark; and the names of threads that have ended. No
 * event may be on its way to the accounts. Names stored in a cache or for a call site were interned
 * permanently. Errors: -ENOMEM.
 */
int decoding_sweep_names(struct kmem_decoding *d, void (*mark)(void *ctx, struct key_marks *marks),
			 void *ctx);

#endif
