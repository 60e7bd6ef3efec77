/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live source: delivers the events of this machine until the caller stops it.
 *
 * An event source like the others, but opened by live_source_open(), not by a path. It runs in
 * rounds, twenty times a second, or up to two hundred times with many events. A round reads the
 * rings of a bpf_capture, merges the CPUs, and delivers complete events in time order, including
 * names and ends of tasks, and then a tick. Events stay in the rings until they have been
 * delivered: two rounds.
 *
 * A round ends with the start of the previous drain, or earlier if a ring may still get an older
 * event (bpf_capture_complete_ns()). Times are CLOCK_MONOTONIC.
 */
#ifndef WATCH_LIVE_SOURCE_H
#define WATCH_LIVE_SOURCE_H

#include "util/watch/live_base.h"

/* Load the programs; capturing starts with reading. Errors: the reason why BPF cannot be used. */
int live_source_open(const struct live_options *options, struct event_source **ret_source,
		     struct error *err);

/* The maximum share of a ring that was used, 0 to 1. */
double live_source_fill(const struct event_source *source);

#endif
