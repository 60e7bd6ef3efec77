/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys of rows, as values and as columns of a document.
 *
 * util/event/key_list.h names each key's look; this unit defines the looks.
 */
#ifndef REPORT_KEY_COLUMN_H
#define REPORT_KEY_COLUMN_H

#include "util/document/document.h"
#include "util/event/naming.h"

/* A key's value as shown in text. Composed text is stored in the scratch. */
struct value key_value(const struct naming *n, enum kmem_key key, uint64_t v,
		       struct strbuf *scratch);

/* A kernel address with its symbol and module. */
struct value_callsite naming_callsite(const struct naming *n, uint64_t address);

/* The other names of a merged cache (a value of KEY_CACHE). Absent if there are none. */
struct value key_cache_aliases(const struct naming *n, uint64_t cache, struct strbuf *scratch);

/*
 * Like kmem_key_compare(), but callchains, which have no order of their own, are compared by the
 * names of their functions, starting at the call site. This sorts callchains with common frames
 * next to each other.
 */
int key_compare_by_name(const struct naming *n, enum kmem_key key, uint64_t a, uint64_t b);

/*
 * Add a column for each key, for one audience. In JSON some keys have several members. The first
 * member of each row must be a `const uint64_t *key`: the values in the order of `by`.
 */
void key_columns_add(struct document_columns *columns, const struct naming *n,
		     const enum kmem_key *by, unsigned int nr_by, enum document_audience audience);

/* The column of the i-th key of the rows, for all audiences except FOR_PROGRAMS. */
struct document_column key_column(const struct naming *n, enum kmem_key key, unsigned int i);

#endif
