/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source that reads /proc/slabinfo, or a copy: a row for each cache of the slab allocator.
 */
#ifndef DUMP_SLABINFO_H
#define DUMP_SLABINFO_H

#include "util/source/event_source.h"

/* The keys that it reports, as in the facts. */
#define SLABINFO_KEYS "cache size"

extern const struct event_source_ops event_source_slabinfo;

#endif
