/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A format's text, rewritten so that libtraceevent can parse it safely.
 *
 * libtraceevent (1.7.1) dereferences NULL on hostile text, both in fields and in print fmts (found
 * by tests/fuzz/fuzz_trace.c), and a recording may be hostile. The rewritten text has the name, the
 * ID, the field lines in the kernel's format ("field:TYPE NAME;\toffset:N;\tsize:N;[\tsigned:N;]"),
 * and an empty print fmt. Other lines are dropped; print_flags.h reads flag names.
 */
#ifndef TRACEPOINT_FORMAT_TEXT_H
#define TRACEPOINT_FORMAT_TEXT_H

#include "util/base/strbuf.h"
#include "util/tracepoint/tracing_data.h"

/* Replace the contents of sb. Errors: -EINVAL if there is no name or ID; -ENOMEM. */
int format_text_rewrite(struct strbuf *sb, const struct trace_text *text);

#endif
