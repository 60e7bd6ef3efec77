/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One cell: the value of a column in a row, as text for people or for programs.
 */
#ifndef REPORT_CELL_H
#define REPORT_CELL_H

#include "util/base/strbuf.h"
#include "util/report/report.h"

/* For people: digits grouped, bytes and times with units where the options say so. */
void cell_text(struct strbuf *sb, const struct kmem_analysis *a, const struct report_options *o,
	       const struct column *c, const struct row_view *row);

/* For programs: plain numbers in bytes, ns, percent. */
void cell_plain(struct strbuf *sb, const struct kmem_analysis *a, const struct column *c,
		const struct row_view *row);

/* 1.5 ms; three significant digits. */
void cell_add_duration(struct strbuf *sb, uint64_t ns);

/* Digits grouped as the options say. */
void cell_add_grouped(struct strbuf *sb, const struct report_options *o, uint64_t v);
void cell_add_bytes(struct strbuf *sb, const struct report_options *o, uint64_t bytes);

#endif
