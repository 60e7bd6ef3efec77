/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The document of a series of snapshots: what grows steadily, and which processes grow with it.
 */
#ifndef SERIES_SERIES_REPORT_H
#define SERIES_SERIES_REPORT_H

#include "util/document/document.h"
#include "util/where/advice.h"
#include "util/series/series_input.h"

struct series_report {
	const struct series_input *input;
	uint64_t lines; /* limit of rows in text; UINT64_MAX: a default */
	bool header;
	struct advice_options advice;
};

/* Build the document; ctx is a struct series_report, which must outlive it. */
void series_report_build(struct document *d, void *ctx);

#endif
