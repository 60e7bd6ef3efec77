/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct findings: sentences and rows for the reports of accounts that have tables of their own.
 *
 * The sentences have the main results. The rows are sorted. The document refers to the accounts,
 * which must outlive it.
 */
#ifndef REPORT_FINDINGS_H
#define REPORT_FINDINGS_H

#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/base/units.h"
#include "util/document/document.h"
#include "util/report/report.h"

/*
 * A sorted copy of the table's rows, owned by the document. NULL if there are no rows, or if out of
 * memory, which the document remembers.
 */
void *findings_sorted(struct document *d, const struct table *table,
		      int (*compare)(const void *a, const void *b));

/* part as a percentage of whole; 0 if whole is 0. */
double findings_percent(uint64_t part, uint64_t whole);

/* The seconds that the figures cover; never 0. */
double findings_seconds(const struct report_context *c);

/* Add the start and end of that time as JSON figures. */
void findings_add_time(struct document_section *in, const struct report_context *c);

/* A kernel address with its symbol and module. */
struct value findings_callsite(const struct report_context *c, uint64_t address);

/* Define a column's value(): r is the row, c the report's context. */
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

/* Add "vfree+52" or "0xffff...". */
void findings_add_callsite(struct findings *f, uint64_t address);

/* Add " (12.3 %MORE)". Adds nothing if the part is 0, which the sentence itself contains. */
void findings_add_share(struct findings *f, uint64_t part, uint64_t whole, const char *more);

/* Add the sentences to the section as a note. f is empty afterwards. */
void findings_finish(struct findings *f, struct document_section *in);

#endif
