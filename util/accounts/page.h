/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct page_accounts: the events of the page allocator (mm_page_alloc and mm_page_free).
 *
 * Events are fed in time order; Documentation/figures.md defines each figure. Sizes are the
 * recording's page size << order. A free at a different order from the allocation's frees the part
 * of the live block that it covers; the rest stays live. Pages that are allocated again while live
 * were freed unseen. Events before the window only feed the live set. The accounts own their tables
 * and the live set.
 */
#ifndef ACCOUNTS_PAGE_H
#define ACCOUNTS_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/accounts/page_map.h"
#include "util/event/kmem_event.h"
#include "util/kmem/allocator_accounts.h"

struct page_summary {
	uint64_t alloc_requests; /* including failed ones */
	uint64_t alloc_bytes;
	uint64_t free_requests;
	uint64_t free_bytes;
	uint64_t matched_requests; /* frees of live pages */
	uint64_t matched_bytes;
	uint64_t alloc_only_requests; /* allocated, and not or only partly freed, in the window */
	uint64_t alloc_only_bytes;
	uint64_t free_only_requests;
	uint64_t free_only_bytes;
	uint64_t failures;
	uint64_t failed_bytes;
	uint64_t live; /* blocks with at least one live page at the window's end */
	uint64_t live_bytes;
};

struct page_accounts {
	struct page_summary summary;
	struct allocator_accounts common;
	int orders;	/* index of the table by order and migrate type, if requested */
	bool has_chain; /* mm_page_alloc was recorded with callchains */
	struct page_map map;
	struct page_block *blocks; /* [0] is unused */
	uint32_t nr_blocks, cap_blocks, free_block;
	uint32_t nr_used; /* of those */
	uint32_t page_size;
	uint64_t now_ns; /* of the current event */
	bool by_address; /* the current event identifies pages by struct page, without a pfn */
};

void page_accounts_init(struct page_accounts *p, uint32_t page_size);
void page_accounts_deinit(struct page_accounts *p);

/* Account one event; an allocation must be completed. Returns 0, or -ENOMEM. */
int page_accounts_alloc(struct page_accounts *p, const struct kmem_event *ev);
int page_accounts_free(struct page_accounts *p, const struct kmem_event *ev);

/* Builds the section of stat. */
void page_build(const void *state, const struct report_context *c, struct document_section *in);

#endif
