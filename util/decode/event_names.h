/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for a recording's events, from their formats: "kmem:kmalloc". A pipe has the formats of its
 * tracepoints, but no list of names.
 */
#ifndef DECODE_EVENT_NAMES_H
#define DECODE_EVENT_NAMES_H

struct source_event;
struct source_facts;
struct tep_event;
struct trace;

/* Name the event, unless it has a name. format: NULL if there is none. Errors: -ENOMEM. */
int event_names_add(struct source_event *ev, const struct tep_event *format);

/* Name all unnamed tracepoints of the facts. Errors: -ENOMEM. */
int event_names_from_formats(struct source_facts *facts, const struct trace *trace);

#endif
