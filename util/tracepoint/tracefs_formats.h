/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats from a tracefs, for recordings that hold none: DIR/events/kmem/NAME/format.
 *
 * DIR is a tracefs (/sys/kernel/tracing) or a copy of one, of the kernel that was recorded.  Its
 * events/header_page also tells the size of a long and of a page; where that file is
 * missing the given ones count.  Byte order is the recording's.
 */
#ifndef TRACEPOINT_TRACEFS_FORMATS_H
#define TRACEPOINT_TRACEFS_FORMATS_H

#include "util/source/facts.h"
#include "util/tracepoint/event_format.h"

/* Errors: DIR has no kmem events, or they cannot be read; -ENOMEM. */
int trace_init_tracefs(struct trace *t, const char *dir, const struct source_facts *recording,
		       struct error *err);

/* From the running kernel, when the recording is of it. Errors: it is not; no right to read. */
int trace_init_running(struct trace *t, const struct source_facts *recording, struct error *err);

#endif
