/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tracefs, one of its instances, or a copy of either, as a source of events.
 *
 * It holds what the kernel traced: also before there was user space, if the kernel's command line
 * said so.  Nothing is taken out of the buffers (ring_map.h); where a kernel cannot map them
 * (before 6.10), the text of `trace` is read instead, which has names of functions and no raw
 * fields.  A copy has per_cpu/cpuN/trace_pipe_raw (or snapshot_raw) as files with pages, and
 * events/; what else of a tracefs it has is used: saved_cmdlines, trace_clock, per_cpu/cpuN/stats,
 * and the file kallsyms.
 *
 * Buffers may be written to while they are copied: what is read is what was there at some moment.
 */
#ifndef FTRACE_TRACEFS_SOURCE_H
#define FTRACE_TRACEFS_SOURCE_H

#include "util/source/event_source.h"

/*
 * The raw pages, even where that empties the buffers because the kernel cannot map them
 * (*ret_emptied). Errors: it cannot be read, has no formats of kmem events, -ENOMEM.
 */
int tracefs_source_open_raw(const char *path, const struct source_options *options,
			    struct event_source **ret_source, bool *ret_emptied, struct error *err);

extern const struct event_source_ops event_source_tracefs;

#endif
