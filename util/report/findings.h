/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the reports of accounts with tables of their own share: findings, which are a few sentences
 * with what matters; rows in the order of the report; and columns.
 *
 * Pointers into the accounts stay as they are: the document must not outlive them.
 */
#ifndef REPORT_FINDINGS_H
#define REPORT_FINDINGS_H

#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/base/units.h"
#include "util/document/document.h"
#include "util/report/report.h"

/*
 * A copy of the table's rows in a different order, owned by the document.  NULL: no rows, or no
 * memory, which the document remembers.
 */
void *findings_sorted(struct document *d, const struct table *table,
		      int (*compare)(const void *a, const void *b));

/* part as a percentage of whole; 0 if that is 0. */
double findings_percent(uint64_t part, uint64_t whole);

/* The seconds that the figures refer to; never 0. */
double findings_seconds(const struct report_context *c);

/* Its start and end, as figures for programs. */
void findings_add_time(struct document_section *in, const struct report_context *c);

/* A kernel address, and what is known about it. */
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

/* Sentences being written. */
struct findings {
	const struct report_context *c;
	struct strbuf text;
};

/* "1,234", as the report groups digits; buf of UNITS_BUF bytes. */
const char *findings_number(const struct findings *f, char *buf, uint64_t v);

/* "vfree+52" or "0xffff..." */
void findings_add_callsite(struct findings *f, uint64_t address);

/* " (12.3 %MORE)"; nothing if the part is 0, which the sentence says itself. */
void findings_add_share(struct findings *f, uint64_t part, uint64_t whole, const char *more);

/* Add them as a note of the section; f is empty afterwards. */
void findings_finish(struct findings *f, struct document_section *in);

#endif
