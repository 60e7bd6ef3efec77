/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the reports of perf kmem (stat, leak, diff) have in common: options, and everything around a
 * report.
 *
 * A report is a struct of its own with a struct kmem_cli in it, and an option table that includes
 * those of this header and of input.h, tables.h and filters.h.
 */
#ifndef BUILTIN_KMEM_COMMON_H
#define BUILTIN_KMEM_COMMON_H

#include <stdbool.h>
#include <stdio.h>

#include "builtin/kmem-config.h"
#include "builtin/kmem/filters.h"
#include "builtin/kmem/folder.h"
#include "builtin/kmem/input.h"
#include "builtin/kmem/live.h"
#include "builtin/kmem/tables.h"
#include "util/base/out_file.h"
#include "util/cli/subcommand.h"
#include "util/kmem/pipeline.h"
#include "util/report/report.h"

/* The subcommands, as siblings of one another. */
extern const struct subcommand *const kmem_subcommands[];

struct kmem_cli {
	const struct kmem_config *config;
	struct kmem_input input;
	struct kmem_live live;
	struct kmem_tables tables;
	struct kmem_filters filters;
	struct kmem_regexes skip_callsites;
	const struct form *form;	/* --format */
	const char *output;		/* NULL: stdout, through a pager */
	struct out_file file;		/* the open `output`; top: or stdout */
	struct kmem_folder folder;	/* the open `output` if it is a folder */
	struct render_tables tables_to; /* destinations if each table is a file; --table */
	struct kmem_options kmem;	/* filled in by kmem_cli_prepare() */
	struct report_options report;
	char *thousands_sep; /* from the locale; report.thousands_sep may point to it */
};

/* For a struct kmem_options: --slab and --page, and the other accounts. */
extern const struct option kmem_allocator_options[];
extern const struct option kmem_other_account_options[];
extern const struct option kmem_compared_account_options[]; /* those that diff knows besides */

/* For a struct kmem_cli: how a report is shown; where it has stock's style, too. */
extern const struct option kmem_print_options[];
extern const struct option kmem_show_options[];

/* For a struct kmem_cli: --format, of all forms; of those for tables and profiles; of those for
 * intervals.
 */
extern const struct option kmem_format_options[];
extern const struct option kmem_sample_format_options[];
extern const struct option kmem_interval_format_options[];

/* What makes a report of them. */
struct kmem_report {
	const char *name; /* of the subcommand */
	const struct options *options;
	bool has_arguments; /* beside options; else -i names the recording */
	bool is_live;	    /* without -i it is about what happens now */
	bool takes_command; /* after "--": what to account, without a recording */
	/* Whether the command line makes sense: an error is the caller's (EXIT_USAGE). Or NULL. */
	int (*check)(void *command, int argc, const char **argv, struct error *err);
	/* From kmem_cli_prepare() to kmem_cli_print(). */
	int (*run)(void *command, const char **argv, struct error *err);
};

/*
 * Parse argv into `command`, the struct of the options, of which *cli is a part, check and run.
 * Initializes *cli and frees it. Returns the exit status.
 */
int kmem_cli_run(const struct kmem_report *report, struct kmem_cli *cli, void *command,
		 const struct kmem_config *config, int argc, const char **argv);

/* Select what kmem.default says if no option selected an allocator. */
void kmem_select_default(const struct kmem_config *config, struct kmem_options *o);

/* Set up what every report needs: verbosity, the locale's separator, the tables. */
int kmem_cli_prepare(struct kmem_cli *cli, struct error *err);

/*
 * Read what the report is about: the recording, or what happens on this machine meanwhile.  The
 * source must be freed after the pipeline.
 */
int kmem_cli_read(struct kmem_cli *cli, struct event_source **ret_source, struct kmem_pipeline *a,
		  struct error *err);

/* A form that draws what happened over time needs to know when. Errors: -ENODATA. */
int kmem_cli_check_times(const struct kmem_cli *cli, const struct kmem_pipeline *a,
			 struct error *err);

/* Errors: as of report_write(). */
typedef int (*kmem_print_fn)(FILE *out, struct kmem_cli *cli, void *ctx, struct error *err);

/* Call print with the stream that the report goes to: a file, stdout, or a pager. */
int kmem_cli_print(struct kmem_cli *cli, kmem_print_fn print, void *ctx, struct error *err);

#endif
