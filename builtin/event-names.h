/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of a recording's events, where it does not tell them: what came through a pipe has the
 * formats of its tracepoints, but no list of names.
 */
#ifndef BUILTIN_EVENT_NAMES_H
#define BUILTIN_EVENT_NAMES_H

struct source_facts;
struct trace;

/* Name the tracepoints of FACTS that have no name yet after their formats. Errors: -ENOMEM. */
int event_names_from_formats(struct source_facts *facts, const struct trace *trace);

#endif
