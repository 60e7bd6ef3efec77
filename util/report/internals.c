// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/internals.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/units.h"

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

static void *sorted(const struct table *table, int (*compare)(const void *a, const void *b))
{
	void *v = table->nr ? reallocarray(NULL, table->nr, table->row_size) : NULL;

	if (!v)
		return NULL;
	memcpy(v, table->rows, table->nr * table->row_size);
	qsort(v, table->nr, table->row_size, compare);
	return v;
}

struct percpu_cpu *internals_cpus(const struct percpu *p)
{
	return sorted(&p->cpus, by_cpu);
}

struct percpu_caller *internals_freers(const struct percpu *p)
{
	return sorted(&p->callers, by_single);
}

struct extfrag_kind *internals_kinds(const struct extfrag *x)
{
	return sorted(&x->kinds, by_kind);
}

struct extfrag_caller *internals_fallers(const struct extfrag *x)
{
	return sorted(&x->callers, by_faller);
}

const char *internals_number(const struct text_context *t, char *buf, uint64_t v)
{
	return units_group(buf, UNITS_BUF, v, t->o->thousands_sep);
}

double internals_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

double internals_seconds(const struct kmem_analysis *a)
{
	uint64_t ns = kmem_analysis_length_ns(a);

	return ns ? (double)ns / 1e9 : 1e-9;
}

struct extfrag_rate internals_extfrag_rate(const struct kmem_analysis *a)
{
	return extfrag_rate(&a->internals.extfrag, kmem_analysis_span(a),
			    kmem_analysis_length_ns(a), a->internals.page_allocations);
}

void internals_add_callsite(struct strbuf *sb, const struct text_context *t, uint64_t address,
			    size_t width)
{
	const struct symbol *sym = t->o->raw_ip ? NULL : symbols_find(&t->a->symbols, address);
	size_t start = sb->len;

	if (address == CALLSITE_UNKNOWN)
		strbuf_addstr(sb, "unknown");
	else if (sym)
		strbuf_addf(sb, "%s+%" PRIx64, sym->name, address - sym->start);
	else
		strbuf_addf(sb, "0x%" PRIx64, address);
	if (width && sb->len - start > width) {
		strbuf_setlen(sb, start + width - 2);
		strbuf_addstr(sb, "..");
	}
}

void internals_json_callsite(struct json *j, const struct kmem_analysis *a, uint64_t address)
{
	const struct symbol *sym = address ? symbols_find(&a->symbols, address) : NULL;

	json_hex(j, "callsite", address);
	json_string(j, "symbol", sym ? sym->name : NULL);
	json_u64(j, "offset", sym ? address - sym->start : 0);
	json_string(j, "module", sym ? sym->module : NULL);
}

const char *internals_migratetype(const struct kmem_analysis *a, int64_t number, char *buf,
				  size_t n)
{
	const char *name = migratetype_name(migratetype_of(&a->migratetypes, (uint64_t)number));

	if (name)
		return name;
	snprintf(buf, n, "%" PRId64, number);
	return buf;
}
