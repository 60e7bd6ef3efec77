/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses a page_owner dump (/sys/kernel/debug/page_owner) line by line.
 *
 * Each allocation is a block of lines (print_page_owner() in mm/page_owner.c):
 *
 *	Page allocated via order N, mask 0xX(FLAGS)[, pid N][, tgid N (COMM)][, ts N ns]
 *		[, free_ts N ns]
 *	PFN N type TYPE Block N type TYPE Flags 0xX(FLAGS)
 *	 symbol+0xX/0xX [module]
 *	handle: N
 *	Page has been migrated, last migrate reason: REASON
 *	Slab cache page
 *	Charged [(via objcg) ]to [offline ]memcg NAME
 *
 * and an empty line. Since 4.6 each kernel writes a part of it. 4.6 to 5.10 end the first line
 * after the mask. 5.11 adds pid and ts, 5.13 free_ts, 5.18 tgid, COMM and the line about the memcg.
 * 6.8 has a hexadecimal PFN, and no free_ts. Kernels after 7.0 print the handle instead of the
 * stack or after it, if so configured. COMM may contain anything, including newlines and text that
 * looks like the rest of the line. Results point into the lines.
 */
#ifndef DUMP_PAGE_OWNER_TEXT_H
#define DUMP_PAGE_OWNER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE_OWNER_HEADER "Page allocated via order "

/* The first line. */
struct page_owner_header {
	uint32_t order;
	uint32_t gfp_flags;
	const char *gfp_names; /* "GFP_KERNEL|__GFP_ZERO" */
	size_t gfp_names_len;
	bool has_pid, has_comm, has_ts, has_free_ts;
	int32_t pid;  /* of the thread */
	int32_t tgid; /* of the process; pid if it is not in the dump */
	const char *comm;
	size_t comm_len;
	uint64_t ts_ns, free_ts_ns; /* since boot */
};

/* The second line. */
struct page_owner_place {
	uint64_t pfn, block;
	int32_t migratetype, block_migratetype; /* index in PAGE_OWNER_MIGRATETYPES; -1: unknown */
	int32_t node, zone;			/* numbers; -1: unknown */
};

/* The kernel's order since 4.4, with all optional types. */
#define PAGE_OWNER_MIGRATETYPES "Unmovable Movable Reclaimable HighAtomic CMA Isolate"

enum page_owner_line {
	PAGE_OWNER_FIRST,
	PAGE_OWNER_PLACE,
	PAGE_OWNER_FRAME,
	PAGE_OWNER_MIGRATED,
	PAGE_OWNER_SLAB,
	PAGE_OWNER_CHARGED,
	PAGE_OWNER_END,
	PAGE_OWNER_OTHER,
};

enum page_owner_line page_owner_line_of(const char *line, size_t len);

/* Returns 0; -EAGAIN if the line may continue after a newline inside COMM; or -EINVAL. */
int page_owner_parse_header(const char *line, size_t len, struct page_owner_header *ret_header);

/* Returns 0, or -EINVAL. */
int page_owner_parse_place(const char *line, size_t len, struct page_owner_place *ret_place);

/* The pageblock order that yields this block for this pfn; 0 if none does, or (in block 0)
 * several. */
uint32_t page_owner_pageblock_order(const struct page_owner_place *place);

/* The text after "reason: "; the control group. NULL if the line has none. */
const char *page_owner_reason(const char *line, size_t len, size_t *ret_len);
const char *page_owner_memcg(const char *line, size_t len, size_t *ret_len, bool *ret_offline);

#endif
