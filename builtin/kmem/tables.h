/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables requested by options: --caller, --alloc, --by, and -s and -l for the table given
 * before them, or for all.
 */
#ifndef BUILTIN_KMEM_TABLES_H
#define BUILTIN_KMEM_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "builtin/kmem-config.h"
#include "util/cli/options.h"
#include "util/kmem/pipeline.h"
#include "util/report/report.h"

enum table_kind { TABLE_CALLER, TABLE_ALLOC, TABLE_PICTURES, TABLE_BY };

/* A table as it was requested; each allocator that has its keys gets one. */
struct kmem_table {
	enum table_kind kind;
	enum kmem_key by[STAT_KEYS_MAX]; /* for TABLE_BY */
	unsigned int nr_by;
	struct kmem_sort sort;
	uint64_t lines;
	bool has_lines;
	bool is_wish; /* of the form, so keys that the source does not tell are unknown, no error */
};

struct kmem_tables {
	struct kmem_table v[TABLES_MAX];
	unsigned int nr;
	struct kmem_table *scope; /* what -s and -l refer to; NULL: all */
	struct kmem_sort sort;	  /* for all tables */
	uint64_t lines;
	bool stacks;	  /* group each by callchain as well */
	bool user_stacks; /* callchains go on into user space */
	uint64_t max_stack;
	unsigned int selected; /* allocators that alone have a key; bits */
};

/* For a struct kmem_tables: options of stat, leak and diff. */
extern const struct option kmem_table_options[];

/* kind TABLE_BY: by these keys. */
int kmem_tables_add(struct kmem_tables *t, enum table_kind kind, const char *by, struct error *err);

/* The tables that a form wishes for: bits of enum form_wish. */
int kmem_tables_grant(struct kmem_tables *t, unsigned int wishes, struct error *err);

int kmem_tables_sort(struct kmem_tables *t, const char *keys, struct error *err);
void kmem_tables_limit(struct kmem_tables *t, uint64_t lines);

/* The maximum number of rows in the only table that leak and diff make. */
uint64_t kmem_tables_lines(const struct kmem_tables *t);

/*
 * When all options are known: make the tables of the accounts and the report.  -EINVAL if a column
 * of --fields or --sort is a key that no rows are grouped by.  If only the tables of one allocator
 * have it, and none was selected, that allocator is.
 */
int kmem_tables_build(const struct kmem_tables *t, const struct kmem_config *config,
		      struct kmem_options *kmem, struct report_options *report, struct error *err);

#endif
