/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_filters: the options that limit a report to some allocations: --time and the filters.
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
	unsigned int selected; /* bits: allocators that a filter applies to exclusively */
};

/* Options for a struct kmem_filters. */
extern const struct option kmem_filter_options[];

void kmem_filters_init(struct kmem_filters *f);
void kmem_filters_deinit(struct kmem_filters *f);

#endif
