/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counting source: the kernel counts the events, and only the counts are read.
 *
 * They are read once at the end, or their growth every options.every_ns. Otherwise it is like the
 * live source (live_source.h). It delivers rows: allocations by call site and cache; frees by the
 * freeing function and the cache, if the event has it. Frees by kfree() have COUNT_SOURCE_KFREE.
 * Frees cannot be matched to allocations, so live memory is unknown.
 */
#ifndef WATCH_COUNT_SOURCE_H
#define WATCH_COUNT_SOURCE_H

#include "util/watch/live_base.h"

/* The cache of objects freed by kfree(). */
#define COUNT_SOURCE_KFREE "[kfree]"

/* Only slab kinds of options.capture are counted. Errors: the reason why BPF cannot be used. */
int count_source_open(const struct live_options *options, struct event_source **ret_source,
		      struct error *err);

#endif
