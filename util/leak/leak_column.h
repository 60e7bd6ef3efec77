/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns of a leak's rows: their keys, and the figures of the table in leak_column.c, one per
 * line; and the order requested with --sort, which uses the same lines.
 */
#ifndef LEAK_LEAK_COLUMN_H
#define LEAK_LEAK_COLUMN_H

#include "util/document/document.h"
#include "util/leak/leak.h"
#include "util/report/report.h"

struct leak_column;

/* All columns of these rows, for the audience of the document; the table's context is this
 * struct. */
void leak_columns_init(struct document_columns *columns, struct document *d,
		       const struct report_context *context, const struct leak_rows *rows);

/* A list of figures, or keys, to sort by: largest first, "-name" smallest first. */
#define LEAK_SORT_MAX 8

struct leak_sort {
	struct leak_sort_key {
		const struct leak_column *column; /* NULL: the key */
		enum kmem_key key;
		bool ascending;
	} v[LEAK_SORT_MAX];
	unsigned int nr; /* 0: the order described in leak.h */
};

/* "growth,-oldest". Errors: -EINVAL, with the bad name and the valid ones. */
int leak_sort_parse(struct leak_sort *sort, const char *text, struct error *err);

/* Sort the rows; keys that they are not grouped by are ignored. */
void leak_sort_rows(struct leak_rows *rows, const struct leak_sort *sort,
		    const struct naming *naming);

/* Can rows grouped by these keys be sorted like this? Errors: -EINVAL, names the key. */
int leak_sort_check(const struct leak_sort *sort, const enum kmem_key *by, unsigned int nr_by,
		    struct error *err);

#endif
