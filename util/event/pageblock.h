/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pageblock order of the recorded kernel: pages of one migrate type are kept together in blocks
 * of 2^order pages.
 *
 * No event has it, but the print fmt of mm_page_alloc_extfrag compares fallback_order with it, and
 * the kernel prints its value there as a C expression. If it is a variable
 * (CONFIG_HUGETLB_PAGE_SIZE_VARIABLE), the text has only its name, and the order is unknown.
 */
#ifndef EVENT_PAGEBLOCK_H
#define EVENT_PAGEBLOCK_H

#include "util/tracepoint/tracing_data.h"

#define PAGEBLOCK_ORDER_UNKNOWN (-1)

/* PAGEBLOCK_ORDER_UNKNOWN if no format has it. */
int pageblock_order_of(const struct tracing_data *formats);

#endif
