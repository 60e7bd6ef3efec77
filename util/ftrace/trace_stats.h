/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * per_cpu/cpuN/stats of a tracefs, and its copy in a trace.dat: lines "NAME: NUMBER".
 *
 * Facts: tracing_stats_read() in kernel/trace/trace.c.
 */
#ifndef FTRACE_TRACE_STATS_H
#define FTRACE_TRACE_STATS_H

#include <stdint.h>

/* Number of events missing from the buffer: overwritten by later ones, or dropped because it was
 * full. */
uint64_t trace_stats_lost(const char *text);

/* Only the dropped ones. The text of `trace` counts the overwritten events, but not these. */
uint64_t trace_stats_dropped(const char *text);

/*
 * The meaning of a ring buffer's trace clock for its events' times.
 *
 * Facts: Documentation/trace/ftrace.rst, trace_clock.
 */

/* Log the clock's properties that matter to the user. clock: for example "local"; NULL if
 * unknown. */
void trace_clock_note(const char *path, const char *clock);

#endif
