/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the reports of perf kmem (stat, leak, diff): options, input, output, pager.
 *
 * A report has its own struct, which contains a struct kmem_cli, and an option table that includes
 * those of this header and of input.h, tables.h and filters.h.
 */
#ifndef BUILTIN_KMEM_COMMON_H
#define BUILTIN_KMEM_COMMON_H

#include <stdbool.h>
#include <stdio.h>

#include "builtin/command.h"
#include "builtin/kmem-config.h"
#include "builtin/kmem/filters.h"
#include "builtin/kmem/folder.h"
#include "builtin/kmem/input.h"
#include "builtin/kmem/live.h"
#include "builtin/kmem/tables.h"
#include "util/base/out_file.h"
#include "util/base/out_folder.h"
#include "util/cli/subcommand.h"
#include "util/kmem/pipeline.h"
#include "util/metrics/metrics.h"
#include "util/report/report.h"

/* The subcommands, as siblings of each other. */
extern const struct subcommand *const kmem_subcommands[];

enum kmem_colours { COLOURS_AUTO, COLOURS_ALWAYS, COLOURS_NEVER };

struct kmem_cli {
	const struct kmem_config *config;
	struct kmem_input input;
	struct kmem_live live;
	struct kmem_tables tables;
	struct kmem_filters filters;
	struct kmem_regexes skip_callsites, skip_user;
	const struct form *form;	/* --format; NULL: the default */
	const char *output;		/* NULL for stdout, through a pager */
	enum kmem_colours colours;	/* --color */
	struct out_file file;		/* the open `output`; in top, possibly stdout */
	struct kmem_folder folder;	/* the open `output` if it is a folder */
	struct out_folder rows;		/* --rows, instead of an output */
	char *rows_name;		/* of its files: "leak.jsonl" */
	struct render_tables tables_to; /* for one file a table (a folder), and --table */
	struct kmem_options kmem;	/* set by kmem_cli_prepare() */
	struct report_options report;
	struct metrics metrics;	       /* for formats that have any */
	bool alerted;		       /* the condition of --alert held: EXIT_ALERT */
	char *thousands_sep;	       /* from the locale; report.thousands_sep may point to it */
	char called[BUILTIN_NAME_MAX]; /* report.command */
};

/* The file or folder that the report goes to; NULL for stdout, through a pager. */
static inline const char *kmem_cli_destination(const struct kmem_cli *cli)
{
	return cli->rows.path ? cli->rows.path : cli->output;
}

/* Options for a struct kmem_options: --slab, --page and the other accounts. */
extern const struct option kmem_allocator_options[];
extern const struct option kmem_other_account_options[];
extern const struct option
	kmem_compared_account_options[]; /* the accounts that diff supports besides */

/* Options for a struct kmem_cli: output; the first also has stock's style. */
extern const struct option kmem_print_options[];
extern const struct option kmem_show_options[];
extern const struct option kmem_rows_options[];

/* Options for a struct kmem_cli: --format with all formats, or those of a group (form.h). */
extern const struct option kmem_format_options[];
extern const struct option kmem_interval_format_options[];
extern const struct option kmem_table_format_options[];
extern const struct option kmem_pair_format_options[];

/* A report made with these options. */
struct kmem_report {
	const char *name; /* of the subcommand */
	const struct options *options;
	bool has_arguments; /* besides options; otherwise -i names the recording */
	bool is_live;	    /* without -i it reads live events, as a report at intervals does */
	bool takes_command; /* after "--": the command to account, without a recording */
	bool human;	    /* text has bytes as 1.2 MiB unless --no-human is given */
	/* Checks the command line; an error is the user's (EXIT_USAGE). May be NULL. */
	int (*check)(void *command, int argc, const char **argv, struct error *err);
	/* Does everything from kmem_cli_prepare() to kmem_cli_print(). */
	int (*run)(void *command, const char **argv, struct error *err);
};

/*
 * Parse argv into `command`, the struct of the options, which contains *cli; check and run.
 * Initializes and frees *cli. Returns the exit status.
 */
int kmem_cli_run(const struct kmem_report *report, struct kmem_cli *cli, void *command,
		 const struct kmem_config *config, int argc, const char **argv);

/* Select the allocators of kmem.default if no option selected one. */
void kmem_select_default(const struct kmem_config *config, struct kmem_options *o);

/* Whether there is such an account, whose events can be captured without a recording. */
bool kmem_has_account(const char *id);

/* Prepare for any report: verbosity, the locale's separator, the tables. */
int kmem_cli_prepare(struct kmem_cli *cli, struct error *err);

/*
 * Read the input: a recording, or live events. The source must be freed after the pipeline.
 */
int kmem_cli_read(struct kmem_cli *cli, struct event_source **ret_source, struct kmem_pipeline *a,
		  struct error *err);

/* Check that the recording has times, for formats that draw a timeline. Errors: -ENODATA. */
int kmem_cli_check_times(const struct kmem_cli *cli, const struct kmem_pipeline *a,
			 struct error *err);

/* Whether text output is to have colours. */
bool kmem_cli_wants_colours(const struct kmem_cli *cli);

/* Errors: as of report_write(). */
typedef int (*kmem_print_fn)(FILE *out, struct kmem_cli *cli, void *ctx, struct error *err);

/* Call print with the report's stream: a file, stdout, or a pager. */
int kmem_cli_print(struct kmem_cli *cli, kmem_print_fn print, void *ctx, struct error *err);

#endif
