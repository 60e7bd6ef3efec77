// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem: its subcommands and its options. */
#include "builtin/kmem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/command.h"
#include "util/base/timespan.h"
#include "util/base/units.h"
#include "util/cli/subcommand.h"
#include "util/cli/terminal.h"
#include "util/report/leak_column.h"

static int kmem_help(int argc, const char **argv, void *cli);

/* A new subcommand is one line here, and a file of its own. */
static const struct subcommand subcommands[] = {
	{"record", 3, NULL, kmem_record, "record the kernel's slab and page allocator events"},
	{"stat", 0, NULL, kmem_stat, "report who allocated what from a recording"},
	{"leak", 0, NULL, kmem_leak, "list what was allocated and never freed, by call site"},
	{"diff", 0, NULL, kmem_diff, "compare two recordings"},
	{"config", 0, cmd_config, NULL, "show and set what the configuration files say"},
	{"version", 0, cmd_version, NULL, "show the version and what was built in"},
	{"help", 0, NULL, kmem_help, "show this list, or the options of a subcommand"},
	{0},
};

static int opt_caller(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	(void)arg, (void)unset;
	return kmem_cli_add_table(opt->data, TABLE_CALLER, NULL, err);
}

static int opt_alloc(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	(void)arg, (void)unset;
	return kmem_cli_add_table(opt->data, TABLE_ALLOC, NULL, err);
}

static int opt_by(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	(void)unset;
	return kmem_cli_add_table(opt->data, TABLE_BY, arg, err);
}

/* leak has keys of its own; which subcommand follows is not known yet. */
static int opt_sort(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	struct leak_sort sort = {.nr = 0};
	struct kmem_cli *cli = opt->data;
	int ret = kmem_cli_sort(cli, arg, err);

	(void)unset;
	cli->leak_sort = arg;
	if (!ret || leak_sort_parse(&sort, arg, NULL))
		return ret;
	if (err)
		cli->sort_error = *err;
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

static int opt_fields(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	struct kmem_cli *cli = opt->data;

	(void)unset;
	return column_list_parse(&cli->report.fields, arg, err);
}

static int opt_weight(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	struct kmem_cli *cli = opt->data;
	const struct column *c = column_find(arg, strlen(arg));

	(void)unset;
	if (!c || (c->kind != COLUMN_BYTES && c->kind != COLUMN_COUNT))
		return error_set(err, EINVAL, "'%s' is no weight (bytes, hit, live, ...)", arg);
	cli->report.weight = c;
	return 0;
}

static int opt_time(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	struct kmem_cli *cli = opt->data;
	size_t nr = cli->analysis.nr_windows;
	struct time_window *v = reallocarray(cli->windows, nr + 1, sizeof(*v));

	(void)unset;
	if (!v)
		return error_nomem(err);
	cli->windows = v;
	cli->analysis.windows = v;
	if (timespan_parse(arg, &v[nr].start_ns, &v[nr].stop_ns))
		return error_set(err, EINVAL,
				 "'%s' is no time span (START,STOP in seconds, either may be "
				 "left out)",
				 arg);
	cli->analysis.nr_windows++;
	return 0;
}

static int opt_min_age(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	struct kmem_cli *cli = opt->data;

	(void)unset;
	if (timespan_parse_length(arg, &cli->min_age_ns))
		return error_set(
			err, EINVAL,
			"'%s' is not a length of time (seconds, or with a unit: 500ms, 1.5s, "
			"10m, 2h)",
			arg);
	return 0;
}

/* The option's long name is the filter's. */
static int opt_filter(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	struct kmem_cli *cli = opt->data;

	(void)unset;
	kmem_cli_select(cli, kmem_filter_allocators(opt->long_name));
	return kmem_filter_add(&cli->filter, opt->long_name, arg, err);
}

static int opt_skip_callsite(const struct option *opt, const char *arg, bool unset,
			     struct error *err)
{
	(void)unset;
	return kmem_cli_skip_callsite(opt->data, arg, err);
}

static int opt_kallsyms(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	struct kmem_cli *cli = opt->data;

	(void)unset;
	if (cli->nr_kallsyms == KALLSYMS_MAX)
		return error_set(err, E2BIG, "more than %d symbol files", KALLSYMS_MAX);
	cli->kallsyms[cli->nr_kallsyms++] = arg;
	return 0;
}

static int opt_format(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	struct kmem_cli *cli = opt->data;

	(void)unset;
	if (!report_format(arg))
		return error_set(err, EINVAL, "'%s' is no output format (one of:%s)", arg,
				 REPORT_FORMAT_NAMES);
	cli->format = arg;
	return 0;
}

static void list_subcommands(FILE *out)
{
	fputs("\nSubcommands:\n", out);
	subcommand_list(subcommands, out, terminal_columns(fileno(out)));
}

static int opt_style(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	(void)unset;
	if (kmem_cli_style(opt->data, arg))
		return error_set(err, EINVAL, "'%s' is not a style (default or stock)", arg);
	return 0;
}

/* Parse the options before or behind the subcommand; -1: go on, else the exit status. */
static int parse(struct kmem_cli *cli, const char *command, bool before, int *argc,
		 const char **argv)
{
	const struct option table[] = {
		OPT_GROUP("What to report"),
		OPT_BOOL(0, "slab", &cli->analysis.slab, "the slab allocator (the default)"),
		OPT_BOOL(0, "page", &cli->analysis.page, "the page allocator"),
		OPT_BOOL(0, "percpu", &cli->analysis.percpu,
			 "the per-CPU page lists: zone->lock, refills and drains, batched frees"),
		OPT_BOOL(0, "extfrag", &cli->analysis.extfrag,
			 "external fragmentation: fallbacks to other migrate types"),
		OPT_FLAG_CALLBACK(0, "caller", cli, "a table by call site", opt_caller),
		OPT_FLAG_CALLBACK(0, "alloc", cli, "a table by object or page", opt_alloc),
		OPT_CALLBACK(0, "by", cli, "<key>[,<key>...]", "a table by any of:" KMEM_KEY_NAMES,
			     opt_by),
		OPT_BOOL(0, "live", &cli->report.live, "only what is still allocated at the end"),
		OPT_BOOL(0, "peak", &cli->peak, "what was live when most bytes were"),
		OPT_BOOL(0, "lifetime", &cli->report.lifetimes, "how long freed objects lived"),
		OPT_BOOL(0, "stack", &cli->stacks, "each callchain by itself, printed"),
		OPT_U64_BOUNDED(0, "max-stack", &cli->max_stack, "<n>",
				"at most so many frames of a callchain", 1, MAX_STACK_DEFAULT),
		OPT_GROUP("Of which allocations"),
		OPT_CALLBACK(0, "time", cli, "<start>,<stop>",
			     "in this time span, in seconds; may be repeated", opt_time),
		OPT_CALLBACK(0, "comm", cli, "<glob,...>", "by these commands", opt_filter),
		OPT_CALLBACK(0, "pid", cli, "<list>", "by these processes", opt_filter),
		OPT_CALLBACK(0, "tid", cli, "<list>", "by these threads", opt_filter),
		OPT_CALLBACK(0, "cpu", cli, "<list>", "on these CPUs", opt_filter),
		OPT_CALLBACK(0, "node", cli, "<list>", "for these NUMA nodes", opt_filter),
		OPT_CALLBACK(0, "cache", cli, "<glob,...>", "from these slab caches", opt_filter),
		OPT_CALLBACK(0, "callsite", cli, "<regex>", "in these functions", opt_filter),
		OPT_CALLBACK(0, "module", cli, "<glob,...>", "in these modules ('kernel': in none)",
			     opt_filter),
		OPT_CALLBACK(0, "gfp", cli, "<name>", "with this gfp flag", opt_filter),
		OPT_CALLBACK(0, "order", cli, "<list>", "of these orders", opt_filter),
		OPT_CALLBACK(0, "min-bytes", cli, "<size>", "of at least so many bytes",
			     opt_filter),
		OPT_GROUP("How to show it"),
		OPT_CALLBACK('s', "sort", cli, "<key>[,<key>...]",
			     "sort by these columns, largest first; -key: smallest first (ptr, "
			     "callsite, bytes, hit, frag, pingpong, page, order, migtype, gfp, "
			     "live, ... or any key of --by)",
			     opt_sort),
		OPT_CALLBACK('l', "line", cli, "<n>", "print at most n rows of a table", opt_lines),
		OPT_CALLBACK(0, "fields", cli, "<column>[,<column>...]", "show these columns",
			     opt_fields),
		OPT_BOOL(before ? 0 : 'h', "human", &cli->report.human, "bytes as 1.2 MiB"),
		OPT_BOOL(0, "raw-ip", &cli->report.raw_ip, "addresses instead of names"),
		OPT_CALLBACK(0, "skip-callsite", cli, "<regex>",
			     "look through these functions for the call site of a page",
			     opt_skip_callsite),
		OPT_CALLBACK(0, "format", cli, "<format>", "one of:" REPORT_FORMAT_NAMES,
			     opt_format),
		OPT_CALLBACK(0, "style", cli, "default|stock",
			     "of text: stock prints its tables alone, at any width", opt_style),
		OPT_CALLBACK(0, "weight", cli, "<column>",
			     "of folded stacks: bytes (the default), hit, live", opt_weight),
		OPT_STRING('o', "output", &cli->output, "<file>", "write the report to a file"),
		OPT_GROUP("Only for leak and diff"),
		OPT_CALLBACK(0, "min-age", cli, "<time>", "leak: live for at least so long (1s)",
			     opt_min_age),
		OPT_BOOL(0, "per-second", &cli->per_second,
			 "diff: divide by the recordings' lengths"),
		OPT_GROUP("The recording"),
		OPT_STRING('i', "input", &cli->input, "<file>",
			   "the recording to read (perf.data; - for a pipe)"),
		OPT_BOOL('f', "force", &cli->force, "read it although it is someone else's"),
		OPT_CALLBACK(0, "kallsyms", cli, "<file>",
			     "kernel symbols, as /proc/kallsyms of the recorded boot has them; "
			     "diff: of the old recording, then of the new one",
			     opt_kallsyms),
		OPT_STRING(
			0, "tracefs", &cli->analysis.tracefs_dir, "<dir>",
			"a tracefs of the recorded kernel, or a copy: the event formats, where the "
			"recording has none"),
		OPT_U64_BOUNDED('j', "jobs", &cli->jobs, "<n>",
				"threads to read with (as many as there are CPUs)", 1, 1024),
		OPT_BOOL(0, "version", &cli->show_version, "print the version, nothing else"),
		OPT_COUNT('v', "verbose", &cli->verbose, "tell more"),
		OPT_BOOL('q', "quiet", &cli->quiet,
			 "the report alone: no opening lines, no progress, no warnings"),
		OPT_END(),
	};
	static const char *const usage[] = {
		"perf kmem [<options>] record [<record options>] [--] [<command>]",
		"perf kmem [<options>] stat [<options>]",
		"perf kmem [<options>] leak [<options>]",
		"perf kmem [<options>] diff [<options>] <old> <new>",
		"perf kmem config|version|help [<args>]",
		NULL,
	};
	const struct options options = {command, usage, table};
	int ret = builtin_options(&options, argc, argv, before ? OPTIONS_STOP_AT_NON_OPTION : 0);

	if (ret < 0 && cli->show_version)
		return cmd_version(1, (const char *[]){"version", NULL});
	if (ret >= 0 || *argc || !before)
		return ret;
	ret = builtin_usage(&options);
	list_subcommands(stderr);
	return ret;
}

int kmem_parse_options(struct kmem_cli *cli, const char *command, int *argc, const char **argv)
{
	return parse(cli, command, false, argc, argv);
}

/* What `perf kmem --help` prints is not all: the subcommands follow. */
static int kmem_help(int argc, const char **argv, void *context)
{
	const char *args[] = {argv[0], "--help", NULL};
	struct error err = ERROR_INIT;
	int two = 2;

	if (argc == 1) {
		parse(context, "perf kmem", true, &two, args);
		list_subcommands(stdout);
		return 0;
	}
	args[0] = argv[1];
	if (argc == 2 && subcommand_find(subcommands, argv[1]))
		return subcommand_run(subcommand_find(subcommands, argv[1]), 2, args, context);
	if (argc == 2)
		subcommand_unknown(subcommands, "subcommand", argv[1], &err);
	else
		error_set(&err, EINVAL, "help takes one subcommand");
	builtin_error("perf kmem help", &err);
	return EXIT_USAGE;
}

/* Help must be there, and a bad value be mended, when the configuration is wrong. */
static bool reads_config(int argc, const char **argv)
{
	const struct subcommand *cmd = argc > 1 ? subcommand_find(subcommands, argv[1]) : NULL;

	return !cmd || !(cmd->run || cmd->run_with == kmem_help);
}

/* For completion: what can stand first. */
static int list_all(struct kmem_cli *cli, int argc, const char **argv)
{
	parse(cli, "perf kmem", true, &argc, argv);
	for (const struct subcommand *cmd = subcommands; cmd->name; cmd++)
		puts(cmd->name);
	return 0;
}

int cmd_kmem(int argc, const char **argv)
{
	static const struct kmem_cli defaults = {
		.report = {.lines = LINES_ALL, .thousands_sep = ""},
		.tables = {.all_lines = LINES_ALL},
		.input = "perf.data",
		.format = "text",
	};
	struct kmem_cli cli = defaults;
	const struct subcommand *cmd;
	struct error err = ERROR_INIT;
	int status;

	kmem_filter_init(&cli.filter);
	if (argc == 2 && !strcmp(argv[1], BUILTIN_LIST_OPTIONS)) {
		status = list_all(&cli, argc, argv);
		goto out;
	}
	if (reads_config(argc, argv) && kmem_cli_load_config(&cli, &err)) {
		status = builtin_error("perf kmem", &err);
		goto out;
	}
	status = parse(&cli, "perf kmem", true, &argc, argv);
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
	if (cli.signal)
		status = 128 + cli.signal;
out:
	kmem_filter_deinit(&cli.filter);
	free(cli.windows);
	free(cli.thousands_sep);
	free(cli.skip_callsites);
	config_deinit(&cli.config);
	return status;
}
