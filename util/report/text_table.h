/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct text_context: a text report of leak while it is printed.
 */
#ifndef REPORT_TEXT_TABLE_H
#define REPORT_TEXT_TABLE_H

#include <stdio.h>

#include "util/base/strbuf.h"
#include "util/report/report.h"

struct text_context {
	FILE *out;
	const struct kmem_analysis *a;
	const struct report_options *o;
	struct strbuf line; /* scratch */
};

#endif
