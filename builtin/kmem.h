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

/* A table as the command line asks for it; each allocator that knows its keys gets one. */
enum table_kind { TABLE_CALLER, TABLE_ALLOC, TABLE_BY };

struct cli_sort {
	struct sort_keys slab, page;
};

struct cli_table {
	enum table_kind kind;
	enum kmem_key by[STAT_KEYS_MAX]; /* of TABLE_BY */
	unsigned int nr_by;
	struct cli_sort sort;
	uint64_t lines;
	bool has_lines;
};

/* Tables: what is asked for, and what -s and -l said when they spoke of all of them. */
struct cli_tables {
	struct cli_table v[TABLES_MAX];
	unsigned int nr;
	struct cli_table *scope; /* what -s and -l speak of; NULL: all */
	struct cli_sort all_sort, config_sort;
	uint64_t all_lines;
};

/* Of diff: the old recording's and the new one's. */
#define KALLSYMS_MAX 2

struct kmem_cli {
	struct kmem_options analysis;
	struct report_options report;
	struct cli_tables tables;
	struct kmem_filter filter;
	struct config config;
	const char *input;		    /* "perf.data" */
	const char *output;		    /* NULL: stdout */
	const char *kallsyms[KALLSYMS_MAX]; /* one for each recording; "": none */
	unsigned int nr_kallsyms;
	const char *format;
	bool force;
	bool stacks; /* each table also by callchain */
	bool peak;
	bool per_second;
	uint64_t min_age_ns;
	const char *leak_sort;	 /* --sort, as leak understands it; NULL: not given */
	struct error sort_error; /* what stat has against it */
	uint64_t max_stack;
	uint64_t jobs; /* 0: as many threads as the CPUs allow */
	bool show_version;
	int verbose;
	bool quiet;
	int signal;			  /* that ended the reading; 0: none did */
	enum allocator default_allocator; /* kmem.default; 0: not set */
	struct time_window *windows;	  /* analysis.windows, while they grow */
	const char **skip_callsites;
	char *thousands_sep; /* of the locale; report.thousands_sep may point to it */
};

/* Subcommands: argv[0] is their name; they return the exit status. */
int kmem_record(int argc, const char **argv, void *cli);
int kmem_stat(int argc, const char **argv, void *cli);
int kmem_leak(int argc, const char **argv, void *cli);
int kmem_diff(int argc, const char **argv, void *cli);

/* Parse the options behind a subcommand; -1: go on with what is left, else the exit status. */
int kmem_parse_options(struct kmem_cli *cli, const char *command, int *argc, const char **argv);

/* builtin/kmem-tables.c: tables from options and configuration. Errors: with err filled. */
int kmem_cli_add_table(struct kmem_cli *cli, enum table_kind kind, const char *by,
		       struct error *err);
int kmem_cli_sort(struct kmem_cli *cli, const char *keys, struct error *err);
void kmem_cli_lines(struct kmem_cli *cli, uint64_t lines);

/* When all options are known: the tables of the analysis and the report. */
int kmem_cli_build_tables(struct kmem_cli *cli, struct error *err);

/* A key or filter that only one allocator knows selects that allocator. */
void kmem_cli_select(struct kmem_cli *cli, enum allocator allocators);

/* When no option selected an allocator: what kmem.default says, if it says anything. */
void kmem_cli_select_default(struct kmem_cli *cli);

/* builtin/kmem-config.c: kmem.default, kmem.sort, kmem.lines, kmem.style, kmem.skip-callsite. */
int kmem_cli_load_config(struct kmem_cli *cli, struct error *err);
int kmem_cli_skip_callsite(struct kmem_cli *cli, const char *regex, struct error *err);
int kmem_cli_style(struct kmem_cli *cli, const char *name); /* -EINVAL: no style's */

/* builtin/kmem-check.c: -EINVAL when an option was given that the subcommand has no use for. */
enum kmem_command { KMEM_STAT = 1, KMEM_LEAK = 2, KMEM_DIFF = 4 };

int kmem_cli_check(const struct kmem_cli *cli, enum kmem_command command, struct error *err);

/*
 * -EINVAL when a column of --fields or --sort is a key that no row is grouped by. When only the
 * tables of one allocator have it, and none was selected, that one is.
 */
int kmem_cli_check_columns(struct kmem_cli *cli, struct error *err);

/* builtin/kmem-run.c: what subcommands that read a recording share. */

/* Read the recording `path` into *a; the source must be freed after it. Errors: as they come. */
int kmem_cli_analyse(struct kmem_cli *cli, const char *path, struct event_source **ret_source,
		     struct kmem_analysis *a, struct error *err);

/* Call print with the stream that the report goes to: a file, stdout, or a pager. */
int kmem_cli_print(struct kmem_cli *cli, int (*print)(FILE *out, struct kmem_cli *cli, void *ctx),
		   void *ctx, struct error *err);

/*
 * builtin/kmem-reading.c: kmem_cli_analyse() without its warnings, but with progress on a terminal.
 * SIGINT and SIGTERM end the reading, which is no error; cli->signal says so, and the
 * exit status will.  A second one ends the program.
 */
int kmem_cli_read(struct kmem_cli *cli, const char *path, struct event_source **ret_source,
		  struct kmem_analysis *a, struct error *err);

/* The symbol file of the n-th recording, the same for all when one was given; NULL: none. */
const char *kmem_cli_kallsyms(const struct kmem_cli *cli, unsigned int recording);

/* Settle what every report needs: verbosity, the locale's separator, the tables. */
int kmem_cli_prepare(struct kmem_cli *cli, struct error *err);

#endif
