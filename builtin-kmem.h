/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the options of perf kmem fill, and the subcommands that read it.
 *
 * Options stand before or after the subcommand's name and mean the same there.
 */
#ifndef BUILTIN_KMEM_H
#define BUILTIN_KMEM_H

#include <stdbool.h>

#include "util/cli/config.h"
#include "util/kmem/analysis.h"
#include "util/report/report.h"

/* The tables that -s and -l speak of: all, or those of the last --caller or --alloc. */
enum table_scope { SCOPE_ALL, SCOPE_CALLER, SCOPE_ALLOC };

struct kmem_cli {
	struct kmem_options analysis;
	struct report_options report;
	const char *input;  /* "perf.data" */
	const char *output; /* NULL: stdout */
	const char *format;
	bool force;
	int verbose;
	enum table_scope scope;
	struct config config;
	bool config_sort;		  /* the sort keys are the configuration's */
	enum allocator default_allocator; /* kmem.default; 0: not set */
	const char **skip_callsites;	  /* analysis.skip_callsites, while it grows */
};

/* Subcommands: argv[0] is their name; they return the exit status. */
int kmem_stat(int argc, const char **argv, void *cli);
int kmem_record(int argc, const char **argv, void *cli);

/* Look also through functions matching the regular expression. Errors: -ENOMEM. */
int kmem_cli_skip_callsite(struct kmem_cli *cli, const char *regex, struct error *err);

/*
 * Sort the tables of cli->scope by these keys: keys that only one allocator knows
 * go to its tables. *ret_allocators: whose tables. Errors: an unknown key.
 */
int kmem_cli_sort(struct kmem_cli *cli, const char *keys, enum allocator *ret_allocators,
		  struct error *err);
void kmem_cli_lines(struct kmem_cli *cli, uint64_t lines);

/* Parse the options behind a subcommand; -1: go on with what is left, else the exit status. */
int kmem_parse_options(struct kmem_cli *cli, int *argc, const char **argv);

/* When no option selected an allocator: what kmem.default says, if it says anything. */
void kmem_cli_select_default(struct kmem_cli *cli);

/* kmem.default, kmem.sort, kmem.lines, kmem.skip-callsite. */
int kmem_cli_load_config(struct kmem_cli *cli, struct error *err);

#endif
