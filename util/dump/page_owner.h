/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source that reads page_owner dumps (/sys/kernel/debug/page_owner, or a copy of it).
 *
 * Each allocation becomes a row with its time, page and stack, in the order of pages, in constant
 * memory. All are live, except those with a later free time in the dump. The dump lacks the page
 * size; the default is 4 KiB. Times are since boot.
 */
#ifndef DUMP_PAGE_OWNER_H
#define DUMP_PAGE_OWNER_H

#include "util/source/event_source.h"

/* The keys that it reports, as in struct source_facts. */
#define PAGE_OWNER_KEYS                                                                            \
	"callsite stack page comm pid tid node module gfp order migtype accounted size memcg "     \
	"block_migtype migrate_reason age"

extern const struct event_source_ops event_source_page_owner;

#endif
