/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reports of the page allocator's inside, --percpu and --extfrag, as sections of a document.
 *
 * Two to five sentences with what matters, then tables; or one line that says how to record what is
 * missing.  What points into the analysis stays there: the document must not outlive it.
 */
#ifndef REPORT_INTERNALS_H
#define REPORT_INTERNALS_H

#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/document/document.h"
#include "util/kmem/extfrag.h"
#include "util/kmem/percpu.h"
#include "util/report/report.h"

void report_percpu(struct document_section *in, const struct report_context *c);
void report_extfrag(struct document_section *in, const struct report_context *c);

static inline const struct percpu *percpu_of(const struct report_context *c)
{
	return c->accounts->v[ACCOUNT_percpu].state;
}

static inline const struct extfrag *extfrag_of(const struct report_context *c)
{
	return c->accounts->v[ACCOUNT_extfrag].state;
}

/* What the two share. */

/*
 * Copies of a table's rows in the order of a report, which the document owns: by CPU; callers with
 * the most single frees first; what fragments most first.  NULL: no row, or no memory, which the
 * document remembers.
 */
struct percpu_cpu *internals_cpus(struct document *d, const struct percpu *p);
struct percpu_caller *internals_freers(struct document *d, const struct percpu *p);
struct extfrag_kind *internals_kinds(struct document *d, const struct extfrag *x);
struct extfrag_caller *internals_fallers(struct document *d, const struct extfrag *x);

/* part of whole; 0 of nothing. */
double internals_percent(uint64_t part, uint64_t whole);

/* The seconds that the figures are of; never 0. */
double internals_seconds(const struct report_context *c);

struct extfrag_rate internals_extfrag_rate(const struct report_context *c);

/* Both ends of it, as figures for programs. */
void internals_add_time(struct document_section *in, const struct report_context *c);

/* An address in the kernel, and what is known of it. */
struct value internals_callsite(const struct report_context *c, uint64_t address);

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
