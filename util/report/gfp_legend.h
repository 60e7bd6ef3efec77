/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The legend of the short codes of gfp flags in the page tables, in text output.
 */
#ifndef REPORT_GFP_LEGEND_H
#define REPORT_GFP_LEGEND_H

#include "util/report/report.h"

/* Add the legend. Returns the width of the longest code. Returns 0 and adds no legend if no table
 * shows codes. */
int gfp_legend_add(struct document_section *in, const struct report_context *c);

#endif
