/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct page_types: the running kernel's /proc/pagetypeinfo.
 *
 * Only root may read it; missing values are unknown.
 */
#ifndef HOST_PAGE_TYPES_H
#define HOST_PAGE_TYPES_H

#include <stdint.h>

#define PAGE_TYPES_PATH "/proc/pagetypeinfo"

struct page_types {
	uint64_t pageblock_order; /* 0: unknown */
	char *migratetypes;	  /* names in numeric order, separated by blanks; NULL: unknown */
};

/* If the file cannot be read, everything is unknown. Errors: -ENOMEM. */
int page_types_init(struct page_types *p, const char *path);
void page_types_deinit(struct page_types *p);

#endif
