/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pageblock order of the recorded kernel: pages of one migrate type lie together in blocks of
 * 2^order pages.
 *
 * No event carries it, but the print fmt of mm_page_alloc_extfrag compares fallback_order with
 * it, and there the kernel left its value as a C expression.  Where it is a variable
 * (CONFIG_HUGETLB_PAGE_SIZE_VARIABLE) the text only names it: then it is not known.
 */
#ifndef KMEM_PAGEBLOCK_H
#define KMEM_PAGEBLOCK_H

#include "util/tracepoint/tracing_data.h"

#define PAGEBLOCK_ORDER_UNKNOWN (-1)

/* PAGEBLOCK_ORDER_UNKNOWN when no format tells. */
int pageblock_order_of(const struct tracing_data *formats);

#endif
