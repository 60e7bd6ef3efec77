/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct page_map: the live block that each page belongs to.
 *
 * A page is a pfn; a block is a number other than 0, chosen by the user. Pages are kept
 * individually (in leaves of 64, found through a hash index), because a block may be freed in
 * pieces of any order: a split huge page, alloc_pages_exact().
 *
 * 512 pages that start at a multiple of 512 and all belong to one block are a single small entry
 * instead, until a part of them changes. Otherwise a hostile recording could claim much memory with
 * few bytes. A leaf without live pages is removed, so memory use follows the number of live pages.
 */
#ifndef ACCOUNTS_PAGE_MAP_H
#define ACCOUNTS_PAGE_MAP_H

#include <stdint.h>

#include "util/base/table.h"

struct page_map {
	struct table leaves;
	struct table chunks;
};

void page_map_init(struct page_map *m);
void page_map_deinit(struct page_map *m);

/*
 * Give the pages [pfn, pfn + nr) to `block` (0: to none). For pages that belonged to a block,
 * taken() is called with that block. Returns 0, or -ENOMEM.
 */
int page_map_set(struct page_map *m, uint64_t pfn, uint64_t nr, uint32_t block,
		 void (*taken)(void *ctx, uint32_t block, uint32_t pages), void *ctx);

/* Pages are kept by areas of this many, aligned. */
#define PAGE_MAP_AREA_BITS 6

/* The areas that have individual pages, as pfn >> PAGE_MAP_AREA_BITS, on the heap. NULL if out of
 * memory. */
uint64_t *page_map_areas(const struct page_map *m, uint32_t *ret_nr);

/* The block of an individual page; 0 if it has none. */
uint32_t page_map_block(const struct page_map *m, uint64_t pfn);

/* Prefetch for a page that will change soon: first its slot in the index, then the entry found
 * there. Both take the page's hash. */
uint32_t page_map_hash(const struct page_map *m, uint64_t pfn);
void page_map_prefetch_index(const struct page_map *m, uint32_t hash);
void page_map_prefetch_entry(const struct page_map *m, uint64_t pfn, uint32_t hash);

#endif
