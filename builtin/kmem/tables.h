/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_tables: the tables requested by options.
 *
 * --caller, --alloc and --by request one; -s and -l apply to the table given before them, or to
 * all.
 */
#ifndef BUILTIN_KMEM_TABLES_H
#define BUILTIN_KMEM_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "builtin/kmem-config.h"
#include "util/cli/options.h"
#include "util/kmem/pipeline.h"
#include "util/report/report.h"

enum table_kind { TABLE_CALLER, TABLE_ALLOC, TABLE_PICTURES, TABLE_OVERVIEW, TABLE_BY };

/* A requested table. Each allocator that has its keys gets one. */
struct kmem_table {
	enum table_kind kind;
	unsigned int number;		 /* for TABLE_OVERVIEW: which one */
	enum kmem_key by[STAT_KEYS_MAX]; /* for TABLE_BY */
	unsigned int nr_by;
	struct kmem_sort sort;
	uint64_t lines;
	bool has_lines;
	bool is_form_default; /* a default of the format: keys that the source lacks are unknown,
			 not an error */
};

struct kmem_tables {
	struct kmem_table v[TABLES_MAX];
	unsigned int nr;
	struct kmem_table *scope; /* the table that -s and -l refer to; NULL: all */
	struct kmem_sort sort;	  /* for all tables */
	uint64_t lines;
	bool stacks;	  /* group each table by callchain as well */
	bool user_stacks; /* callchains continue into user space */
	uint64_t max_stack;
	unsigned int selected;	   /* bits: allocators that a key applies to exclusively */
	unsigned int selected_any; /* bits: allocators that share such a key */
};

/* Options for a struct kmem_tables, in stat, leak and diff. */
extern const struct option kmem_table_options[];

/* Add a table of kind TABLE_BY with these keys. */
int kmem_tables_add(struct kmem_tables *t, enum table_kind kind, const char *by, struct error *err);

/* The tables that a form wants for: bits of enum form_want. */
int kmem_tables_add_defaults(struct kmem_tables *t, unsigned int wants, struct error *err);

/* The tables of stat without options; people (bits of enum document_audience) get a few rows. */
void kmem_tables_add_overview(struct kmem_tables *t, unsigned int audience);
bool kmem_tables_are_overview(const struct kmem_tables *t);

int kmem_tables_sort(struct kmem_tables *t, const char *keys, struct error *err);
void kmem_tables_limit(struct kmem_tables *t, uint64_t lines);

/* The limit of rows of the single table of leak and diff. */
uint64_t kmem_tables_lines(const struct kmem_tables *t);

/*
 * When all options are known: make the tables of the accounts and the report. -EINVAL if a column
 * of --fields or --sort is a key that no rows are grouped by. If only the tables of one allocator
 * have it, and none was selected, that one is selected.
 */
int kmem_tables_build(const struct kmem_tables *t, const struct kmem_config *config,
		      struct kmem_options *kmem, struct report_options *report, struct error *err);

#endif
