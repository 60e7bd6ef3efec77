/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of an event's format, made safe for libtraceevent.
 *
 * libtraceevent (1.7.1) dereferences NULL on hostile text, both when parsing fields and when
 * parsing print fmts (found by tests/fuzz/fuzz_trace.c), and a recording may be hostile.  So it
 * gets a rewritten text: name, ID and the field lines in the kernel's format ("field:TYPE
 * NAME;\toffset:N;\tsize:N;[\tsigned:N;]"), and an empty print fmt.  A line in any other format is
 * dropped; flag names are read by print_flags.h.
 */
#ifndef TRACEPOINT_FORMAT_TEXT_H
#define TRACEPOINT_FORMAT_TEXT_H

#include "util/base/strbuf.h"
#include "util/tracepoint/tracing_data.h"

/* Replace the content of sb. Errors: -EINVAL if there is no name or ID; -ENOMEM. */
int format_text_rewrite(struct strbuf *sb, const struct trace_text *text);

#endif
