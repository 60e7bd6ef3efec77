/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys that rows are grouped by, as values and as columns of a document.
 *
 * The looks of keys are listed in util/event/key_list.h; this is what each look means.
 */
#ifndef REPORT_KEY_COLUMN_H
#define REPORT_KEY_COLUMN_H

#include "util/document/document.h"
#include "util/event/naming.h"

/* A key's value as shown to people; text that is composed goes into the scratch. */
struct value key_value(const struct naming *n, enum kmem_key key, uint64_t v,
		       struct strbuf *scratch);

/* A kernel address, and what is known about it. */
struct value_callsite naming_callsite(const struct naming *n, uint64_t address);

/* The other names of a merged cache, a value of KEY_CACHE; absent: there are none. */
struct value key_cache_aliases(const struct naming *n, uint64_t cache, struct strbuf *scratch);

/*
 * As kmem_key_compare(), but stacks, which have no order of their own, by the names of their
 * functions, from the call site on: those with common frames stand together.
 */
int key_compare_by_name(const struct naming *n, enum kmem_key key, uint64_t a, uint64_t b);

/*
 * Add a column for each key, for one audience: programs get some keys as several members.  The
 * first member of each row must be a `const uint64_t *key`, the values in the order of `by`.
 */
void key_columns_add(struct document_columns *columns, const struct naming *n,
		     const enum kmem_key *by, unsigned int nr_by, enum document_audience audience);

/* The column of the i-th key of the rows, for all audiences except programs. */
struct document_column key_column(const struct naming *n, enum kmem_key key, unsigned int i);

#endif
