/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call sites of pages that no counter has, where the kernel tracks who allocated each page.
 *
 * page_owner_stacks has a stack for each page, so that pages of known lines (slab, page cache, page
 * tables, ...) are recognised by a function in it. Other pages are divided by the first
 * function that is not the page allocator's own.
 */
#ifndef WHERE_PAGE_SITES_H
#define WHERE_PAGE_SITES_H

#include "util/where/balance.h"
#include "util/where/texts.h"

/* Add the call sites of page_owner_stacks below the line "unaccounted". */
void page_sites_add(struct balance *b, uint32_t unaccounted, const struct where_texts *texts);

#endif
