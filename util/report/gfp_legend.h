/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the short codes of gfp flags in the page tables mean, for people.
 */
#ifndef REPORT_GFP_LEGEND_H
#define REPORT_GFP_LEGEND_H

#include "util/report/report.h"

/* Returns the width of the longest code; 0: no table shows any, and there is no legend. */
int gfp_legend_add(struct document_section *in, const struct report_context *c);

#endif
