/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counting source: like the live one (live_source.h), but the kernel counts by itself, and only
 * the counts are read: once, at the end, or every options.every_ns what they grew by.
 *
 * It hands over rows: allocations by call site and cache, and frees by the function that frees and,
 * where the event tells it, cache; those of kfree() have COUNT_SOURCE_KFREE.  Which free belongs to
 * which allocation is not known, so neither is what is live.
 */
#ifndef WATCH_COUNT_SOURCE_H
#define WATCH_COUNT_SOURCE_H

#include "util/watch/live_base.h"

/* What stands for the cache of what kfree() frees. */
#define COUNT_SOURCE_KFREE "[kfree]"

/* Of options.capture, kinds of the slab allocator count. Errors: why BPF cannot be used. */
int count_source_open(const struct live_options *options, struct event_source **ret_source,
		      struct error *err);

#endif
