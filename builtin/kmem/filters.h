/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which allocations a report is about: --time and the filters, as options.
 */
#ifndef BUILTIN_KMEM_FILTERS_H
#define BUILTIN_KMEM_FILTERS_H

#include "util/cli/options.h"
#include "util/decode/filter.h"
#include "util/decode/windows.h"

struct kmem_filters {
	struct kmem_filter filter;
	struct time_window *windows;
	size_t nr_windows;
	unsigned int selected; /* allocators that alone have what is filtered by; bits */
};

/* For a struct kmem_filters. */
extern const struct option kmem_filter_options[];

void kmem_filters_init(struct kmem_filters *f);
void kmem_filters_deinit(struct kmem_filters *f);

#endif
