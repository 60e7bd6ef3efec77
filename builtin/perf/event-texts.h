/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct event_texts: the text of a tracepoint's samples by its print fmt, for script and report.
 *
 * Fed with the formats, which precede the samples. An event without a format has no text. Errors:
 * -ENOMEM.
 */
#ifndef BUILTIN_PERF_EVENT_TEXTS_H
#define BUILTIN_PERF_EVENT_TEXTS_H

#include <stdbool.h>

#include "util/source/event_source.h"
#include "util/tracepoint/event_format.h"
#include "util/tracepoint/print_fmt.h"

struct event_texts {
	struct source_facts *facts;
	struct trace trace;
	bool has_trace;
	struct trace_text *formats; /* owned, by id */
	uint64_t *format_ids;
	size_t nr_formats;
	struct event_text *events; /* by index */
	size_t nr_events;
};

void event_texts_init(struct event_texts *t, struct source_facts *facts);
void event_texts_deinit(struct event_texts *t);

/* Add formats, and name the events by them. Errors: also invalid formats. */
int event_texts_take_formats(struct event_texts *t, const struct tracing_data *formats,
			     struct error *err);

/* Append the text of a sample. `symbol` names addresses of functions. */
int event_texts_add(struct event_texts *t, struct strbuf *out, const struct sample *sample,
		    print_fmt_symbol_fn symbol, void *ctx);

#endif
