/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct vmalloc_line: a line of /proc/vmallocinfo, which is an area of vmalloc space.
 *
 * mm/vmalloc.c: vmalloc_info_show() prints them:
 *
 *	0x..-0x..   20480 kernel_clone+0xb8/0x400 pages=4 vmalloc N0=4
 *	0x..-0x..    8192 acpi_os_map_iomem+0x1bc/0x1e0 phys=0x.. ioremap
 *	0x..-0x..    8192 unpurged vm_area
 *
 * The addresses may be hashed. The size includes the guard page.
 */
#ifndef DUMP_VMALLOC_LINE_H
#define DUMP_VMALLOC_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/event/area_use.h"

struct vmalloc_line {
	uint64_t bytes;
	uint64_t pages;	    /* that it owns; 0: none */
	const char *caller; /* as printed, with its module; no NUL at its end */
	size_t caller_len;  /* 0: none is known */
	enum area_use use;  /* as its flags show it */
};

/* The text ends with NUL. Returns false for other lines. */
bool vmalloc_line_parse(const char *text, struct vmalloc_line *ret_line);

/* Whether the text begins with the addresses of an area. The text need not end with NUL. */
bool vmalloc_line_begins(const char *text, size_t len);

#endif
