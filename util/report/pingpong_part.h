/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The section "pingpong" of an allocator: pairs of allocating and freeing CPU
 * (util/table/cpu_pairs.h). JSON and CSV have each pair of CPUs, and of NUMA nodes if there are
 * several. Text has a matrix of CPUs or, if that would be too wide, one of nodes and the pairs with
 * the most frees.
 */
#ifndef REPORT_PINGPONG_PART_H
#define REPORT_PINGPONG_PART_H

#include "util/document/document.h"
#include "util/report/report.h"

/* Does nothing if pairs were not requested, or if the source has no frees. */
void pingpong_part_add(struct document_section *in, const struct report_context *c,
		       const struct allocator_accounts *a, const char *title);

#endif
