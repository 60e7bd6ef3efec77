/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reports of the page allocator's inside, --percpu and --extfrag, for each output format.
 *
 * Text: two to five sentences with what matters, then tables, in 80 columns; or one line that says
 * how to record what is missing.  JSON: an object, or null when nothing of it was recorded.
 * Return 0 or -ENOMEM.
 */
#ifndef REPORT_INTERNALS_H
#define REPORT_INTERNALS_H

#include <stdint.h>

#include "util/report/json.h"
#include "util/report/text_table.h"

#define INTERNALS_COLUMNS 80

int text_percpu_print(struct text_context *t);
int text_extfrag_print(struct text_context *t);
int json_percpu_write(struct json *j, const struct kmem_analysis *a,
		      const struct report_options *o);
int json_extfrag_write(struct json *j, const struct kmem_analysis *a,
		       const struct report_options *o);

/* What those four share. */

/*
 * Copies of a table's rows in the order of a report, which the caller frees: by CPU; callers with
 * the most single frees first; what fragments most first.  NULL: no memory, or no row.
 */
struct percpu_cpu *internals_cpus(const struct percpu *p);
struct percpu_caller *internals_freers(const struct percpu *p);
struct extfrag_kind *internals_kinds(const struct extfrag *x);
struct extfrag_caller *internals_fallers(const struct extfrag *x);

/* "1,234", as the report groups digits; buf of UNITS_BUF bytes. */
const char *internals_number(const struct text_context *t, char *buf, uint64_t v);

/* part of whole; 0 of nothing. */
double internals_percent(uint64_t part, uint64_t whole);

/* The seconds that the figures are of; never 0. */
double internals_seconds(const struct kmem_analysis *a);

struct extfrag_rate internals_extfrag_rate(const struct kmem_analysis *a);

/* "vfree+52", "0xffff...", "unknown"; cut to width (0: not at all). */
void internals_add_callsite(struct strbuf *sb, const struct text_context *t, uint64_t address,
			    size_t width);
void internals_json_callsite(struct json *j, const struct kmem_analysis *a, uint64_t address);

/* "Movable", or the number. */
const char *internals_migratetype(const struct kmem_analysis *a, int64_t number, char *buf,
				  size_t n);

#endif
