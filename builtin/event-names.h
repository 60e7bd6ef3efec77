/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for a recording's events, if it has none: a pipe has the formats of its tracepoints, but no
 * list of names.
 */
#ifndef BUILTIN_EVENT_NAMES_H
#define BUILTIN_EVENT_NAMES_H

struct source_facts;
struct trace;

/* Name the unnamed tracepoints of the facts by their formats. Errors: -ENOMEM. */
int event_names_from_formats(struct source_facts *facts, const struct trace *trace);

#endif
