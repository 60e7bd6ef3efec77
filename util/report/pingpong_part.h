/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which CPU freed what was allocated on which (util/table/cpu_pairs.h): the section "pingpong" of
 * an allocator.  Programs get each pair of CPUs, and of NUMA nodes if there are several; people a
 * matrix of CPUs or, where that would be too wide, one of nodes and the pairs with the most frees.
 */
#ifndef REPORT_PINGPONG_PART_H
#define REPORT_PINGPONG_PART_H

#include "util/document/document.h"
#include "util/report/report.h"

/* Does nothing if it was not asked for, or the source does not tell what was freed. */
void pingpong_part_add(struct document_section *in, const struct report_context *c,
		       const struct allocator_accounts *a, const char *title);

#endif
