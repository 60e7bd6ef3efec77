// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/internals.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/render/value_text.h"
#include "util/report/key_column.h"

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_cpu(const void *x, const void *y)
{
	const struct percpu_cpu *a = x, *b = y;

	return compare_i64(a->cpu, b->cpu);
}

static int by_single(const void *x, const void *y)
{
	const struct percpu_caller *a = x, *b = y;
	int ret = compare_u64(b->frees - b->batched, a->frees - a->batched);

	if (!ret)
		ret = compare_u64(b->frees, a->frees);
	return ret ? ret : compare_u64(a->callsite, b->callsite);
}

static int by_fragmenting(const struct extfrag_counts *a, const struct extfrag_counts *b)
{
	int ret = compare_u64(b->fragmenting, a->fragmenting);

	return ret ? ret : compare_u64(b->fallbacks, a->fallbacks);
}

static int by_kind(const void *x, const void *y)
{
	const struct extfrag_kind *a = x, *b = y;
	int ret = by_fragmenting(&a->counts, &b->counts);

	if (!ret)
		ret = compare_i64(a->alloc_migratetype, b->alloc_migratetype);
	if (!ret)
		ret = compare_i64(a->fallback_migratetype, b->fallback_migratetype);
	if (!ret)
		ret = compare_u64(a->alloc_order, b->alloc_order);
	return ret ? ret : compare_u64(a->fallback_order, b->fallback_order);
}

static int by_faller(const void *x, const void *y)
{
	const struct extfrag_caller *a = x, *b = y;
	int ret = by_fragmenting(&a->counts, &b->counts);

	return ret ? ret : compare_u64(a->callsite, b->callsite);
}

/* A copy that the document owns; NULL: no row, or no memory. */
static void *sorted(struct document *d, const struct table *table,
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

struct percpu_cpu *internals_cpus(struct document *d, const struct percpu *p)
{
	return sorted(d, &p->cpus, by_cpu);
}

struct percpu_caller *internals_freers(struct document *d, const struct percpu *p)
{
	return sorted(d, &p->callers, by_single);
}

struct extfrag_kind *internals_kinds(struct document *d, const struct extfrag *x)
{
	return sorted(d, &x->kinds, by_kind);
}

struct extfrag_caller *internals_fallers(struct document *d, const struct extfrag *x)
{
	return sorted(d, &x->callers, by_faller);
}

double internals_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

double internals_seconds(const struct report_context *c)
{
	uint64_t ns = c->length_ns;

	return ns ? (double)ns / 1e9 : 1e-9;
}

struct extfrag_rate internals_extfrag_rate(const struct report_context *c)
{
	return extfrag_rate(extfrag_of(c), c->span, c->length_ns, extfrag_of(c)->page_allocations);
}

void internals_add_time(struct document_section *in, const struct report_context *c)
{
	document_add_figure(in, "first_ns", value_u64(c->first_ns), FOR_PROGRAMS);
	document_add_figure(in, "last_ns", value_u64(c->last_ns), FOR_PROGRAMS);
}

struct value internals_callsite(const struct report_context *c, uint64_t address)
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

void findings_finish(struct findings *f, struct document_section *in)
{
	if (in)
		in->document->failed |= f->text.failed;
	document_add_note(in, f->text.buf);
	strbuf_deinit(&f->text);
}
