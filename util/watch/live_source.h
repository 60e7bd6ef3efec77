/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live source: what happens on this machine, from now on until the caller has seen enough.
 *
 * An event source like any other, but not a file: it is opened by live_source_open(), not by its
 * path, and reading it takes as long as the caller wants.  Twenty times a second, or up to two
 * hundred times where there are many events, it looks at what the rings of a bpf_capture have got,
 * merges the CPUs and hands over complete events in time order, names and ends of tasks among them,
 * and a tick after each round.  Events stay in the rings until they have been handed over: two
 * rounds.
 *
 * A round ends with the start of the drain before, or earlier if a ring may still get an older
 * event (bpf_capture_complete_ns()).  Times are CLOCK_MONOTONIC.
 */
#ifndef WATCH_LIVE_SOURCE_H
#define WATCH_LIVE_SOURCE_H

#include "util/watch/live_base.h"

/* Load the programs; nothing is captured before it is read. Errors: why BPF cannot be used. */
int live_source_open(const struct live_options *options, struct event_source **ret_source,
		     struct error *err);

/* The share of a ring that was used at most, 0 to 1. */
double live_source_fill(const struct event_source *source);

#endif
