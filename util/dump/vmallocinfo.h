/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source that reads /proc/vmallocinfo, or a copy of it: the areas of vmalloc space.
 *
 * Each line becomes a row of the account of vmalloc. Areas that have been freed and wait to be
 * purged are not live.
 */
#ifndef DUMP_VMALLOCINFO_H
#define DUMP_VMALLOCINFO_H

#include "util/source/event_source.h"

/* The keys that it reports, as in the facts. */
#define VMALLOCINFO_KEYS "callsite purpose module size"

extern const struct event_source_ops event_source_vmallocinfo;

#endif
