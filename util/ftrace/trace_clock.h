/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the trace clock of a ring buffer means for its events' times.
 *
 * Facts: Documentation/trace/ftrace.rst, trace_clock.
 */
#ifndef FTRACE_TRACE_CLOCK_H
#define FTRACE_TRACE_CLOCK_H

/* Log what the user should know about it; clock: "local", NULL: unknown. */
void trace_clock_note(const char *path, const char *clock);

#endif
