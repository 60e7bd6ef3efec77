/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source that reads page_owner_stacks: a row for each stack, with its number of pages.
 *
 * The file is /sys/kernel/debug/page_owner_stacks/show_stacks or show_handles, or a copy.
 */
#ifndef DUMP_PAGE_OWNER_STACKS_H
#define DUMP_PAGE_OWNER_STACKS_H

#include "util/source/event_source.h"

/* The keys that it reports, as in the facts. */
#define PAGE_OWNER_STACKS_KEYS "callsite stack module"

extern const struct event_source_ops event_source_page_owner_stacks;

#endif
