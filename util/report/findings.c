// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/findings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/render/value_text.h"
#include "util/report/key_column.h"

void *findings_sorted(struct document *d, const struct table *table,
		      int (*compare)(const void *a, const void *b))
{
	void *v =
		table->nr ? document_own(d, reallocarray(NULL, table->nr, table->row_size)) : NULL;

	if (!v)
		return NULL;
	memcpy(v, table->rows, table->nr * table->row_size);
	qsort(v, table->nr, table->row_size, compare);
	return v;
}

double findings_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

double findings_seconds(const struct report_context *c)
{
	uint64_t ns = c->length_ns;

	return ns ? (double)ns / 1e9 : 1e-9;
}

void findings_add_time(struct document_section *in, const struct report_context *c)
{
	document_add_figure(in, "first_ns", value_u64(c->first_ns), FOR_PROGRAMS);
	document_add_figure(in, "last_ns", value_u64(c->last_ns), FOR_PROGRAMS);
}

struct value findings_callsite(const struct report_context *c, uint64_t address)
{
	return value_callsite(naming_callsite(c->naming, address));
}

const char *findings_number(const struct findings *f, char *buf, uint64_t v)
{
	return report_number(f->c, buf, v);
}

void findings_add_callsite(struct findings *f, uint64_t address)
{
	const struct value_callsite c = naming_callsite(f->c->naming, address);

	value_add_callsite(&f->text, &c, f->c->options->raw_ip);
}

/* Smaller percentages would be shown as 0.0. */
#define LEAST_PERCENT 0.05

void findings_add_share(struct findings *f, uint64_t part, uint64_t whole, const char *more)
{
	double percent = findings_percent(part, whole);

	if (part && percent < LEAST_PERCENT)
		strbuf_addf(&f->text, " (less than 0.1 %%%s)", more);
	else if (part)
		strbuf_addf(&f->text, " (%.1f %%%s)", percent, more);
}

void findings_finish(struct findings *f, struct document_section *in)
{
	if (in)
		in->document->failed |= f->text.failed;
	document_add_note(in, f->text.buf);
	strbuf_deinit(&f->text);
}
