/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the reports of accounts with tables of their own share: findings, a few sentences with what
 * matters, rows in the order of the report, and columns.
 *
 * What points into the accounts stays there: the document must not outlive them.
 */
#ifndef REPORT_FINDINGS_H
#define REPORT_FINDINGS_H

#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/base/units.h"
#include "util/document/document.h"
#include "util/report/report.h"

/*
 * A copy of the table's rows in another order, which the document owns.  NULL: no row, or no
 * memory, which the document remembers.
 */
void *findings_sorted(struct document *d, const struct table *table,
		      int (*compare)(const void *a, const void *b));

/* part of whole; 0 of nothing. */
double findings_percent(uint64_t part, uint64_t whole);

/* The seconds that the figures are of; never 0. */
double findings_seconds(const struct report_context *c);

/* Both ends of it, as figures for programs. */
void findings_add_time(struct document_section *in, const struct report_context *c);

/* An address in the kernel, and what is known of it. */
struct value findings_callsite(const struct report_context *c, uint64_t address);

/* The function of a column: r is the row, c the report's context. */
#define COLUMN_FN(name, type, expression)                                                          \
	static struct value name(const struct document_cell *cell)                                 \
	{                                                                                          \
		const type *r = cell->row;                                                         \
		const struct report_context *c = cell->context;                                    \
                                                                                                   \
		(void)c;                                                                           \
		return expression;                                                                 \
	}

/* Sentences while they are written. */
struct findings {
	const struct report_context *c;
	struct strbuf text;
};

/* "1,234", as the report groups digits; buf of UNITS_BUF bytes. */
const char *findings_number(const struct findings *f, char *buf, uint64_t v);

/* "vfree+52" or "0xffff..." */
void findings_add_callsite(struct findings *f, uint64_t address);

/* As a note of the section; f is empty afterwards. */
void findings_finish(struct findings *f, struct document_section *in);

#endif
