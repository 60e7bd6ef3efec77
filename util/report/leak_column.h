/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns of a leak's rows: their keys, and the figures of one table in leak_column.c, a line
 * each with name (for --sort), heading, key in CSV, how it compares and how it is written.
 */
#ifndef REPORT_LEAK_COLUMN_H
#define REPORT_LEAK_COLUMN_H

#include "util/base/strbuf.h"
#include "util/kmem/leak.h"
#include "util/report/report.h"

/* What cells are made of. */
struct leak_cell {
	const struct kmem_analysis *a;
	const struct report_options *o;
	const struct leak_rows *rows;
};

struct leak_column {
	const char *name;    /* for --sort; NULL: nothing to sort by */
	const char *heading; /* in text; NULL: not shown there */
	const char *json;    /* in CSV; NULL: not written there */
	unsigned int cut;    /* as of a text_grid's column */
	int (*compare)(const struct leak_row *a, const struct leak_row *b);
	void (*text)(struct strbuf *sb, const struct leak_cell *c, const struct leak_row *r);
	void (*plain)(struct strbuf *sb, const struct leak_cell *c, const struct leak_row *r);
};

/* The i-th figure; NULL behind the last. */
const struct leak_column *leak_column_at(size_t i);

/* A list of figures, or keys, to sort by: largest first, "-name" smallest first. */
#define LEAK_SORT_MAX 8

struct leak_sort {
	struct leak_sort_key {
		const struct leak_column *column; /* NULL: the key */
		enum kmem_key key;
		bool ascending;
	} v[LEAK_SORT_MAX];
	unsigned int nr; /* 0: the order of leak.h */
};

/* "growth,-oldest". Errors: -EINVAL, names the bad one and the good ones. */
int leak_sort_parse(struct leak_sort *sort, const char *text, struct error *err);

/* Sort the rows; keys that they are not grouped by leave the order as it is. */
void leak_sort_rows(struct leak_rows *rows, const struct leak_sort *sort,
		    const struct kmem_analysis *a);

/* Can rows by these keys be sorted like this? Errors: -EINVAL, names the key. */
int leak_sort_check(const struct leak_sort *sort, const enum kmem_key *by, unsigned int nr_by,
		    struct error *err);

/* 16 characters, from a blank for nothing to a full block for the most. */
void leak_sparkline(struct strbuf *sb, const uint64_t live_bytes[HISTORY_MOMENTS]);

#endif
