/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * per_cpu/cpuN/stats of a tracefs, and what trace-cmd keeps of it: lines "NAME: NUMBER".
 *
 * Facts: tracing_stats_read() in kernel/trace/trace.c.
 */
#ifndef FTRACE_TRACE_STATS_H
#define FTRACE_TRACE_STATS_H

#include <stdint.h>

/* Events that are not in the buffer: overwritten by later ones, or without room. */
uint64_t trace_stats_lost(const char *text);

/* Only those without room.  The text of `trace` counts what was overwritten, but not these. */
uint64_t trace_stats_dropped(const char *text);

/*
 * What the trace clock of a ring buffer means for its events' times.
 *
 * Facts: Documentation/trace/ftrace.rst, trace_clock.
 */

/* Log what the user should know about it; clock: "local", NULL: unknown. */
void trace_clock_note(const char *path, const char *clock);

#endif
