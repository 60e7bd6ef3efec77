/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of an event's format, made safe for libtraceevent.
 *
 * libtraceevent (1.7.1) dereferences NULL on hostile text, in its parser of fields and in
 * that of print fmts (found by tests/fuzz/fuzz_trace.c), and a recording may be hostile.  So
 * it gets a text written anew: name, ID and the field lines of the kernel's own form
 * ("field:TYPE NAME;\toffset:N;\tsize:N;[\tsigned:N;]"), and a print fmt of nothing.  A
 * line of any other form is left out; flag names are read by print_flags.h.
 */
#ifndef TRACEPOINT_FORMAT_TEXT_H
#define TRACEPOINT_FORMAT_TEXT_H

#include "util/base/strbuf.h"
#include "util/tracepoint/tracing_data.h"

/* Replace the content of sb. Errors: -EINVAL when there is no name or ID; -ENOMEM. */
int format_text_rewrite(struct strbuf *sb, const struct trace_text *text);

#endif
