/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables that options ask for: --caller, --alloc, --by, and -s and -l of the table that stands
 * before them, or of all.
 */
#ifndef BUILTIN_KMEM_TABLES_H
#define BUILTIN_KMEM_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "builtin/kmem-config.h"
#include "util/cli/options.h"
#include "util/kmem/analysis.h"
#include "util/report/report.h"

enum table_kind { TABLE_CALLER, TABLE_ALLOC, TABLE_BY };

/* A table as it was asked for; each allocator that knows its keys gets one. */
struct kmem_table {
	enum table_kind kind;
	enum kmem_key by[STAT_KEYS_MAX]; /* of TABLE_BY */
	unsigned int nr_by;
	struct kmem_sort sort;
	uint64_t lines;
	bool has_lines;
};

struct kmem_tables {
	struct kmem_table v[TABLES_MAX];
	unsigned int nr;
	struct kmem_table *scope; /* what -s and -l speak of; NULL: all */
	struct kmem_sort sort;	  /* of all tables */
	uint64_t lines;
	bool stacks; /* each also by callchain */
	uint64_t max_stack;
	unsigned int selected; /* allocators that alone know a key; bits */
};

/* For a struct kmem_tables: what stat, leak and diff understand. */
extern const struct option kmem_table_options[];

/* kind TABLE_BY: of these keys. */
int kmem_tables_add(struct kmem_tables *t, enum table_kind kind, const char *by, struct error *err);

int kmem_tables_sort(struct kmem_tables *t, const char *keys, struct error *err);
void kmem_tables_limit(struct kmem_tables *t, uint64_t lines);

/* Rows of the only table that leak and diff make. */
uint64_t kmem_tables_lines(const struct kmem_tables *t);

/*
 * When all options are known: the tables of the analysis and the report.  -EINVAL when a column of
 * --fields or --sort is a key that no row is grouped by.  When only the tables of one
 * allocator have it, and none was selected, that one is.
 */
int kmem_tables_build(const struct kmem_tables *t, const struct kmem_config *config,
		      struct kmem_options *analysis, struct report_options *report,
		      struct error *err);

#endif
