/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns of a leak's rows: their keys, and the figures of the table in leak_column.c. The
 * order requested with --sort uses the same table.
 */
#ifndef LEAK_LEAK_COLUMN_H
#define LEAK_LEAK_COLUMN_H

#include "util/document/document.h"
#include "util/leak/leak.h"
#include "util/report/report.h"

struct leak_column;

/* Add all columns of these rows for the document's audience; the table's context is this struct. */
void leak_columns_init(struct document_columns *columns, struct document *d,
		       const struct report_context *context, const struct leak_rows *rows);

/* Folded stacks: the live bytes of a row, below its behaviour ("leaking") or use ("page cache"). */
extern const struct document_column leak_folded_weight, leak_folded_root;

/* Bytes per second, shown with a sign and a unit. Uses the scratch. */
struct value leak_growth_value(int64_t growth, struct strbuf *scratch);

/* For memory of the kernel: ROLE_ALARM if it leaks, ROLE_CAUTION if it grows. */
enum value_role leak_behaviour_role(enum leak_behaviour b);

/* Figures or keys to sort by: largest first, or smallest first with "-name". */
#define LEAK_SORT_MAX 8

struct leak_sort {
	struct leak_sort_key {
		const struct leak_column *column; /* NULL: the key */
		enum kmem_key key;
		bool ascending;
	} v[LEAK_SORT_MAX];
	unsigned int nr; /* 0: the order described in leak.h */
};

/* Parse "growth,-oldest". Returns 0, or -EINVAL with the bad name and the valid ones. */
int leak_sort_parse(struct leak_sort *sort, const char *text, struct error *err);

/* Sort the rows; keys that do not group them are ignored. */
void leak_sort_rows(struct leak_rows *rows, const struct leak_sort *sort,
		    const struct naming *naming);

/* Check that rows grouped by these keys can be sorted like this. Returns 0, or -EINVAL with the
 * key's name. */
int leak_sort_check(const struct leak_sort *sort, const enum kmem_key *by, unsigned int nr_by,
		    struct error *err);

#endif
