// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem: its subcommands and its options. */
#include "builtin-kmem.h"

#include <errno.h>
#include <stdlib.h>

#include "builtin.h"
#include "util/base/timespan.h"
#include "util/base/units.h"
#include "util/cli/subcommand.h"
#include "util/cli/terminal.h"

/* A new subcommand is one line here, and a file of its own. */
static const struct subcommand subcommands[] = {
	{"record", 3, NULL, kmem_record, "record the kernel's slab and page allocator events"},
	{"stat", 0, NULL, kmem_stat, "report who allocated what from a recording"},
	{0},
};

static int opt_caller(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	struct kmem_cli *cli = opt->data;

	(void)arg, (void)unset, (void)err;
	cli->analysis.by_caller = true;
	cli->scope = SCOPE_CALLER;
	return 0;
}

static int opt_alloc(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	struct kmem_cli *cli = opt->data;

	(void)arg, (void)unset, (void)err;
	cli->analysis.by_alloc = true;
	cli->scope = SCOPE_ALLOC;
	return 0;
}

/* A key that only one allocator knows selects that allocator. */
static int opt_sort(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	struct kmem_cli *cli = opt->data;
	enum allocator allocators;
	int ret = kmem_cli_sort(cli, arg, &allocators, err);

	(void)unset;
	if (ret)
		return ret;
	cli->analysis.slab |= allocators == ALLOCATOR_SLAB;
	cli->analysis.page |= allocators == ALLOCATOR_PAGE;
	return 0;
}

static int opt_lines(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	uint64_t lines;

	(void)unset;
	if (units_parse_u64(arg, &lines))
		return error_set(err, EINVAL, "'%s' is no number of lines", arg);
	kmem_cli_lines(opt->data, lines);
	return 0;
}

static int opt_time(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	struct kmem_options *o = opt->data;

	(void)unset;
	if (timespan_parse(arg, &o->start_ns, &o->stop_ns))
		return error_set(err, EINVAL,
				 "'%s' is no time span (START,STOP in seconds, either may be "
				 "left out)",
				 arg);
	return 0;
}

static int opt_skip_callsite(const struct option *opt, const char *arg, bool unset,
			     struct error *err)
{
	(void)unset;
	return kmem_cli_skip_callsite(opt->data, arg, err);
}

static int opt_format(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	struct kmem_cli *cli = opt->data;

	(void)unset;
	if (!report_format(arg))
		return error_set(err, EINVAL, "'%s' is no output format (one of %s)", arg,
				 report_format_names());
	cli->format = arg;
	return 0;
}

/* Parse the options before or behind the subcommand; -1: go on, else the exit status. */
static int parse(struct kmem_cli *cli, bool before, int *argc, const char **argv)
{
	const struct option table[] = {
		OPT_GROUP("What to report"),
		OPT_BOOL(0, "slab", &cli->analysis.slab, "the slab allocator (the default)"),
		OPT_BOOL(0, "page", &cli->analysis.page, "the page allocator"),
		OPT_FLAG_CALLBACK(0, "caller", cli, "a table by call site", opt_caller),
		OPT_FLAG_CALLBACK(0, "alloc", cli, "a table by object or page", opt_alloc),
		OPT_BOOL(0, "live", &cli->report.live, "only what is still allocated at the end"),
		OPT_CALLBACK(0, "time", &cli->analysis, "<start>,<stop>",
			     "only this time span, in seconds", opt_time),
		OPT_GROUP("How to show it"),
		OPT_CALLBACK('s', "sort", cli, "<key>[,<key>...]",
			     "sort by: ptr, callsite, bytes, hit, frag, pingpong (slab); page, "
			     "callsite, bytes, hit, order, migtype, gfp (page)",
			     opt_sort),
		OPT_CALLBACK('l', "line", cli, "<n>", "print at most n rows of a table", opt_lines),
		OPT_BOOL(0, "raw-ip", &cli->report.raw_ip, "addresses instead of names"),
		OPT_CALLBACK(0, "skip-callsite", cli, "<regex>",
			     "look through these functions for the call site of a page",
			     opt_skip_callsite),
		OPT_CALLBACK(0, "format", cli, "<format>", "text or json", opt_format),
		OPT_STRING('o', "output", &cli->output, "<file>", "write the report to a file"),
		OPT_GROUP("The recording"),
		OPT_STRING('i', "input", &cli->input, "<file>",
			   "the recording to read (perf.data; - for a pipe)"),
		OPT_BOOL('f', "force", &cli->force, "read it although it is someone else's"),
		OPT_STRING(0, "kallsyms", &cli->analysis.kallsyms_path, "<file>",
			   "kernel symbols, as /proc/kallsyms of the recorded boot has them"),
		OPT_COUNT('v', "verbose", &cli->verbose, "tell more"),
		OPT_END(),
	};
	static const char *const usage[] = {
		"perf kmem [<options>] record [<record options>] [--] [<command>]",
		"perf kmem [<options>] stat [<options>]",
		NULL,
	};
	const struct options options = {before ? "perf kmem" : "perf kmem stat", usage, table};
	int ret = builtin_options(&options, argc, argv, before ? OPTIONS_STOP_AT_NON_OPTION : 0);

	if (ret >= 0 || *argc || !before)
		return ret;
	ret = builtin_usage(&options);
	fputs("\nSubcommands:\n", stderr);
	subcommand_list(subcommands, stderr, terminal_columns(2));
	return ret;
}

int kmem_parse_options(struct kmem_cli *cli, int *argc, const char **argv)
{
	return parse(cli, false, argc, argv);
}

int cmd_kmem(int argc, const char **argv)
{
	static const struct kmem_cli defaults = {
		.analysis = {.stop_ns = UINT64_MAX},
		.report = {.thousands_sep = ""},
		.input = "perf.data",
		.format = "text",
	};
	struct kmem_cli cli = defaults;
	const struct subcommand *cmd;
	struct error err = ERROR_INIT;
	int status;

	kmem_cli_lines(&cli, LINES_ALL);
	if (kmem_cli_load_config(&cli, &err)) {
		status = builtin_error("perf kmem", &err);
		goto out;
	}
	status = parse(&cli, true, &argc, argv);
	if (status >= 0)
		goto out;
	cmd = subcommand_find(subcommands, argv[0]);
	if (!cmd) {
		subcommand_unknown(subcommands, "subcommand", argv[0], &err);
		builtin_error("perf kmem", &err);
		status = EXIT_USAGE;
		goto out;
	}
	status = subcommand_run(cmd, argc, argv, &cli);
out:
	free(cli.skip_callsites);
	config_deinit(&cli.config);
	return status;
}
