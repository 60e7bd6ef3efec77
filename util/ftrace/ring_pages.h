/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct ring_pages: the pages of one CPU's ring buffer, oldest first.
 *
 * Filled in by a source of events. read() copies page number i (0 to nr - 1) and may be called in
 * any order. ctx is owned by the source, which outlives the readers of its pages.
 */
#ifndef FTRACE_RING_PAGES_H
#define FTRACE_RING_PAGES_H

#include <stdint.h>
#include <sys/types.h>

struct ring_pages {
	uint64_t nr;
	/*
	 * Returns the number of bytes copied, or -errno, which stops reading. The number is less
	 * than page_size for an incomplete page, and 0 for an unreadable one.
	 */
	ssize_t (*read)(void *ctx, uint64_t i, uint8_t *page, uint32_t page_size);
	void *ctx;
};

#endif
