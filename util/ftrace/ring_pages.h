/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct ring_pages: where the pages of one CPU's ring buffer are, oldest first.
 *
 * A source of events fills it in; read() copies page number i (0 to nr - 1) and may do so in any
 * order.  ctx belongs to the source, which outlives the readers of its pages.
 */
#ifndef FTRACE_RING_PAGES_H
#define FTRACE_RING_PAGES_H

#include <stdint.h>
#include <sys/types.h>

struct ring_pages {
	uint64_t nr;
	/*
	 * Bytes copied: fewer than page_size from what ends in the middle, 0 from what cannot be
	 * read; a negative errno ends reading.
	 */
	ssize_t (*read)(void *ctx, uint64_t i, uint8_t *page, uint32_t page_size);
	void *ctx;
};

#endif
