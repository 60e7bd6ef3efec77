/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tracefs, one of its instances, or a copy of either, as a source of events.
 *
 * It contains the events that the kernel traced, even before user space started, if the kernel's
 * command line enabled them. Nothing is removed from the buffers (ring_map.h). If the kernel cannot
 * map them (before 6.10), the text of `trace` is read instead, which has names of functions and no
 * raw fields.
 *
 * A copy has per_cpu/cpuN/trace_pipe_raw (or snapshot_raw) as files with pages, and events/. Other
 * files are used if they exist: saved_cmdlines, trace_clock, per_cpu/cpuN/stats, and kallsyms.
 *
 * Buffers may be written to while they are copied: the copy is the state at some moment.
 */
#ifndef FTRACE_TRACEFS_SOURCE_H
#define FTRACE_TRACEFS_SOURCE_H

#include "util/source/event_source.h"

/*
 * Open the raw pages, emptying the buffers (*ret_emptied) if the kernel cannot map them. Errors: it
 * cannot be read, has no formats of kmem events, -ENOMEM.
 */
int tracefs_source_open_raw(const char *path, const struct source_options *options,
			    struct event_source **ret_source, bool *ret_emptied, struct error *err);

extern const struct event_source_ops event_source_tracefs;

#endif
