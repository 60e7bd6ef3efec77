/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The formats of kmem events, for a source without formats.
 *
 * A source whose events need none sets its page size (facts->page_size). For others the formats
 * come from a tracefs: one that the user names, a copy of the recorded kernel's, or the running
 * kernel's, if that is the recorded one.
 *
 * Also the names of a recording's events, "kmem:kmalloc", from their formats: a pipe has the
 * formats of its tracepoints, but no list of names.
 */
#ifndef DECODE_FORMATS_H
#define DECODE_FORMATS_H

#include "util/base/error.h"
#include "util/source/facts.h"
#include "util/tracepoint/tracing_data.h"

struct tep_event;
struct trace;

/*
 * The caller deinits the result. tracefs_dir: the user's; may be NULL. Errors: the reason why there
 * are none; -ENOMEM.
 */
int formats_find(struct tracing_data *ret_formats, const struct source_facts *facts,
		 const char *tracefs_dir, struct error *err);

/* Name the event, unless it has a name. format: NULL if there is none. Errors: -ENOMEM. */
int event_names_add(struct source_event *ev, const struct tep_event *format);

/* Name all unnamed tracepoints of the facts. Errors: -ENOMEM. */
int event_names_from_formats(struct source_facts *facts, const struct trace *trace);

#endif
