/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source that reads /proc/allocinfo, or a copy of it: what each line of the kernel's code has
 * allocated and not freed.
 *
 * Each becomes a row of the slab allocator whose call site is named "FUNCTION@FILE:LINE".  Lines
 * that hold nothing are left out.
 */
#ifndef DUMP_ALLOCINFO_H
#define DUMP_ALLOCINFO_H

#include "util/source/event_source.h"

/* That it knows, as in the facts. */
#define ALLOCINFO_KEYS "callsite module size"

extern const struct event_source_ops event_source_allocinfo;

#endif
