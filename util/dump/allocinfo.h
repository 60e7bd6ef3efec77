/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source that reads /proc/allocinfo, or a copy of it: the live allocations of each line of the
 * kernel's code.
 *
 * Each line becomes a row of the slab allocator with the call site "FUNCTION@FILE:LINE". Lines
 * without live allocations are skipped.
 */
#ifndef DUMP_ALLOCINFO_H
#define DUMP_ALLOCINFO_H

#include "util/source/event_source.h"

/* The keys that it reports, as in the facts. */
#define ALLOCINFO_KEYS "callsite module size"

extern const struct event_source_ops event_source_allocinfo;

#endif
