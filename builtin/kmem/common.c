// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/kmem/common.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin/command.h"
#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/units.h"
#include "util/cli/pager.h"
#include "util/cli/terminal.h"
#include "util/watch/live_kinds.h"

static int opt_lines(const struct option_use *use, struct error *err)
{
	struct kmem_cli *cli = use->into;
	uint64_t lines;

	if (units_parse_u64(use->arg, &lines))
		return error_set(err, EINVAL, "'%s' is not a number of lines", use->arg);
	kmem_tables_limit(&cli->tables, lines);
	return 0;
}

static int opt_skip_callsite(const struct option_use *use, struct error *err)
{
	struct kmem_cli *cli = use->into;

	return kmem_regexes_add(&cli->skip_callsites, use->arg, err);
}

static int opt_skip_user(const struct option_use *use, struct error *err)
{
	struct kmem_cli *cli = use->into;

	return kmem_regexes_add(&cli->skip_user, use->arg, err);
}

static int opt_format(const struct option_use *use, struct error *err)
{
	struct kmem_cli *cli = use->into;

	cli->form = form_find(use->arg);
	if (!cli->form)
		return error_set(err, EINVAL, "'%s' is not an output format", use->arg);
	if (cli->form->missing)
		return error_set(err, EOPNOTSUPP, "'%s' is not in this perf, built without %s",
				 use->arg, cli->form->missing);
	return 0;
}

static int opt_style(const struct option_use *use, struct error *err)
{
	struct kmem_cli *cli = use->into;

	if (kmem_style_parse(use->arg, &cli->report.stock_style))
		return error_set(err, EINVAL, "'%s' is not a style (default or stock)", use->arg);
	return 0;
}

static int opt_color(const struct option_use *use, struct error *err)
{
	static const char *const words[] = {
		[COLOURS_AUTO] = "auto",
		[COLOURS_ALWAYS] = "always",
		[COLOURS_NEVER] = "never",
	};
	struct kmem_cli *cli = use->into;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(use->arg, words[i])) {
			cli->colours = (enum kmem_colours)i;
			return 0;
		}
	return error_set(err, EINVAL, "'%s' is not auto, always or never", use->arg);
}

static bool has_allocator(const struct account_ops *ops)
{
	return ops->allocator != NULL;
}

static bool has_no_allocator(const struct account_ops *ops)
{
	return !ops->allocator;
}

static bool has_tables(const struct account_ops *ops)
{
	return ops->tables != NULL;
}

/* The i-th of these accounts. */
static bool make_account(unsigned int i, bool (*is_one)(const struct account_ops *ops),
			 struct option *ret_opt)
{
	for (unsigned int id = 0; id < ACCOUNTS_NR; id++) {
		const struct account_ops *ops = account_table[id];

		if (!is_one(ops) || i--)
			continue;
		*ret_opt = (struct option){.type = OPTION_BOOL,
					   .long_name = ops->id,
					   .help = ops->stat_help,
					   .offset = id * sizeof(bool)};
		return true;
	}
	return false;
}

static bool make_allocator(unsigned int i, struct option *ret_opt)
{
	return make_account(i, has_allocator, ret_opt);
}

static bool make_other_account(unsigned int i, struct option *ret_opt)
{
	return make_account(i, has_no_allocator, ret_opt);
}

static bool make_compared_account(unsigned int i, struct option *ret_opt)
{
	return make_account(i, has_tables, ret_opt);
}

const struct option kmem_allocator_options[] = {
	OPT_EACH(struct kmem_options, wanted, make_allocator),
	OPT_END(),
};

const struct option kmem_other_account_options[] = {
	OPT_EACH(struct kmem_options, wanted, make_other_account),
	OPT_END(),
};

const struct option kmem_compared_account_options[] = {
	OPT_EACH(struct kmem_options, wanted, make_compared_account),
	OPT_END(),
};

#define FORMAT_OPTIONS(names)                                                                      \
	{                                                                                          \
		OPT_CALLBACK(0, "format", "<format>", "one of:" names, opt_format), OPT_END(),     \
	}

const struct option kmem_format_options[] = FORMAT_OPTIONS(FORM_NAMES);
const struct option kmem_interval_format_options[] = FORMAT_OPTIONS(FORM_NAMES_OF_INTERVALS);
const struct option kmem_table_format_options[] = FORMAT_OPTIONS(FORM_NAMES_OF_TABLES);
const struct option kmem_pair_format_options[] = FORMAT_OPTIONS(FORM_NAMES_OF_PAIRS);

const struct option kmem_print_options[] = {
	OPT_CALLBACK('l', "line", "<n>", "print at most n rows of a table", opt_lines),
	OPT_BOOL('h', "human", struct kmem_cli, report.human,
		 "bytes as 1.2 MiB (the default of leak, top and diff; --no-human: exact)"),
	OPT_BOOL(0, "raw-ip", struct kmem_cli, report.raw_ip, "addresses instead of names"),
	OPT_CALLBACK(0, "skip-callsite", "<regex>",
		     "look through these functions for the call site of a page", opt_skip_callsite),
	OPT_CALLBACK(0, "color", "auto|always|never",
		     "colour what leaks and grows, and the sort column: auto, on a terminal and "
		     "without NO_COLOR",
		     opt_color),
	OPT_CALLBACK(0, "skip-usr", "<regex>",
		     "look through these functions, libraries and source files for usym, udso and "
		     "usrcline, too",
		     opt_skip_user),
	OPT_STRING('o', "output", struct kmem_cli, output, "<file>",
		   "write the report to a file; with --format csv also to FOLDER/, one file per "
		   "table"),
	OPT_END(),
};

const struct option kmem_show_options[] = {
	OPT_INCLUDE(kmem_print_options),
	OPT_CALLBACK(0, "style", "default|stock",
		     "style of text: stock prints only its tables, at any width", opt_style),
	OPT_STRING(0, "table", struct kmem_cli, tables_to.only, "<name>",
		   "with --format csv: the one table to write, where there are several"),
	OPT_END(),
};

const struct option kmem_rows_options[] = {
	OPT_STRING(0, "rows", struct kmem_cli, rows.path, "<folder>",
		   "write each report as a compressed file of its own into this folder: as jsonl, "
		   "or --format csv"),
	OPT_SIZE_BOUNDED(0, "max-size", struct kmem_cli, rows.max_bytes, "<size>",
			 "with --rows: remove the oldest files beyond this (100M)", 1, INT64_MAX),
	OPT_U64_BOUNDED(0, "max-files", struct kmem_cli, rows.max_files, "<n>",
			"with --rows: keep only the newest n files", 1, UINT64_MAX),
	OPT_END(),
};

/* Find out that the report cannot be written before it is made. */
static int open_output(struct kmem_cli *cli, struct error *err)
{
	const struct out_file_how how = {.is_shared = cli->form->replaces};

	if (cli->rows.path)
		return out_folder_check(&cli->rows, err);
	if (!cli->output)
		return 0;
	if (kmem_folder_is_one(cli->output) && cli->form->has_file_a_table)
		return kmem_folder_open(&cli->folder, cli->output, cli->form->name, err);
	return out_file_open(&cli->file, cli->output, &how, err);
}

static int print_to_file(struct kmem_cli *cli, kmem_print_fn print, void *ctx, struct error *err)
{
	FILE *out;
	int ret;

	if (cli->folder.path) {
		cli->tables_to.open = kmem_folder_add;
		cli->tables_to.ctx = &cli->folder;
		ret = print(NULL, cli, ctx, err);
		return ret ? ret : kmem_folder_publish(&cli->folder, err);
	}
	ret = out_file_stream(&cli->file, &out, err);
	if (!ret)
		ret = print(out, cli, ctx, err);
	return ret ? ret : out_file_publish(&cli->file, err);
}

static int print_rows(struct kmem_cli *cli, kmem_print_fn print, void *ctx, struct error *err)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int ret;

	if (!out)
		return error_nomem(err);
	ret = print(out, cli, ctx, err);
	if (fclose(out) && !ret)
		ret = error_nomem(err);
	return ret ? ret : out_folder_put(&cli->rows, NULL, cli->rows_name, text, len, err);
}

int kmem_cli_check_times(const struct kmem_cli *cli, const struct kmem_pipeline *a,
			 struct error *err)
{
	struct source_span span = kmem_pipeline_span(a);

	if (!(cli->form->needs & HAS_TIMELINE) || span.stop_ns > span.start_ns)
		return 0;
	return error_set(err, ENODATA, "'%s' has no times: there is no timeline to draw",
			 a->facts->path);
}

bool kmem_cli_wants_colours(const struct kmem_cli *cli)
{
	if (cli->colours == COLOURS_AUTO)
		return !kmem_cli_destination(cli) && isatty(STDOUT_FILENO) &&
		       terminal_has_colours();
	return cli->colours == COLOURS_ALWAYS;
}

int kmem_cli_print(struct kmem_cli *cli, kmem_print_fn print, void *ctx, struct error *err)
{
	struct pager pager = PAGER_INIT;
	int ret;

	cli->report.tables = &cli->tables_to;
	cli->report.colours = kmem_cli_wants_colours(cli);
	if (cli->rows.path)
		return print_rows(cli, print, ctx, err);
	if (cli->output)
		return print_to_file(cli, print, ctx, err);
	/* wide when piped, as in stock */
	if (isatty(STDOUT_FILENO))
		cli->report.columns = terminal_columns(STDOUT_FILENO);
	ret = pager_start(&pager, err);
	if (!ret)
		ret = print(stdout, cli, ctx, err);
	/* a missing pager must not lose the report */
	if (!pager_finish(&pager) && !ret)
		ret = print(stdout, cli, ctx, err);
	return ret;
}

/* Set the thousands separator, and whether text is limited to ASCII. */
static void take_locale(struct kmem_cli *cli)
{
	locale_t locale = newlocale(LC_NUMERIC_MASK | LC_CTYPE_MASK, "", (locale_t)0);

	/* an unknown locale falls back to C */
	cli->report.ascii = !locale || strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") != 0;
	if (!locale)
		return;
	cli->thousands_sep = strdup(nl_langinfo_l(THOUSEP, locale));
	if (cli->thousands_sep)
		cli->report.thousands_sep = cli->thousands_sep;
	freelocale(locale);
}

/* Whether a column is derived from histograms. */
static bool wants_lifetimes(const struct kmem_cli *cli)
{
	bool wants = false;

	for (unsigned int i = 0; i < cli->report.fields.nr; i++)
		wants |= column_needs_lifetimes(cli->report.fields.v[i]);
	for (int t = 0; t < ACCOUNTS_NR * TABLES_MAX; t++) {
		const struct sort_keys *keys = &cli->report.by[t / TABLES_MAX][t % TABLES_MAX].sort;

		for (unsigned int i = 0; i < keys->nr; i++)
			wants |= column_needs_lifetimes(keys->v[i].column);
	}
	return wants;
}

void kmem_select_default(const struct kmem_config *config, struct kmem_options *o)
{
	if (!accounts_any(o->wanted, ACCOUNTS_ALL))
		accounts_want(o->wanted, config->allocator);
}

bool kmem_has_account(const char *id)
{
	for (int i = 0; i < ACCOUNTS_NR; i++) {
		struct bpf_capture_options capture = {.max_stack = {0}};
		struct kmem_options o = {.wanted = {false}};

		if (strcmp(account_table[i]->id, id) != 0)
			continue;
		o.wanted[i] = true;
		return !live_kinds_choose(&o, &capture, NULL);
	}
	return false;
}

/* An allocator is selected by its option, otherwise by a key that only it has, otherwise by a
 * filter on such a key. kmem_tables_build() refuses keys that no selected allocator has. */
static void settle_allocators(struct kmem_cli *cli)
{
	if (!accounts_any(cli->kmem.wanted, ACCOUNTS_ALLOCATORS)) {
		accounts_want(cli->kmem.wanted, cli->tables.selected);
		accounts_want_any(cli->kmem.wanted, cli->tables.selected_any);
	}
	if (!accounts_any(cli->kmem.wanted, ACCOUNTS_ALL))
		accounts_want(cli->kmem.wanted, cli->filters.selected);
	kmem_select_default(cli->config, &cli->kmem);
}

/* Settings of the configuration, then those of the options. */
static int settle_skips(struct kmem_cli *cli, struct error *err)
{
	const struct kmem_regexes *first = &cli->config->skip_callsites;
	int ret = 0;

	for (size_t i = 0; !ret && i < first->nr; i++)
		ret = kmem_regexes_add(&cli->skip_callsites, first->v[i], err);
	cli->kmem.skip_callsites = cli->skip_callsites.v;
	cli->kmem.nr_skip_callsites = cli->skip_callsites.nr;
	cli->kmem.skip_user = cli->skip_user.v;
	cli->kmem.nr_skip_user = cli->skip_user.nr;
	return ret;
}

int kmem_cli_prepare(struct kmem_cli *cli, struct error *err)
{
	int ret = settle_skips(cli, err);

	settle_allocators(cli);
	if (cli->input.verbose)
		log_set_level(cli->input.verbose);
	if (cli->input.quiet)
		log_set_level(LOG_QUIET);
	cli->report.verbose = cli->input.verbose > 0;
	cli->report.header = !cli->input.quiet && !cli->report.stock_style;
	take_locale(cli);
	cli->report.command = builtin_called("perf kmem", cli->called, sizeof(cli->called));
	if (kmem_tables_lines(&cli->tables) != LINES_ALL)
		cli->metrics.limit = kmem_tables_lines(&cli->tables);
	cli->report.metrics = &cli->metrics;
	cli->kmem.filter = &cli->filters.filter;
	cli->kmem.windows = cli->filters.windows;
	cli->kmem.nr_windows = cli->filters.nr_windows;
	if (!ret)
		ret = kmem_tables_build(&cli->tables, cli->config, &cli->kmem, &cli->report, err);
	cli->kmem.lifetimes = cli->report.lifetimes || wants_lifetimes(cli);
	return ret;
}

int kmem_cli_read(struct kmem_cli *cli, struct event_source **ret_source, struct kmem_pipeline *a,
		  struct error *err)
{
	int ret;

	if (kmem_live_wanted(&cli->live))
		return kmem_live_read(&cli->live, &cli->input, &cli->kmem, ret_source, a, err);
	ret = kmem_input_read(&cli->input, cli->input.path, 0, &cli->kmem, ret_source, a, err);
	if (ret || !cli->report.raw_ip || !a->facts->site_names)
		return ret;
	ret = error_set(err, ENODATA, "'%s' has names but no addresses: --raw-ip has none to show",
			a->facts->path);
	kmem_pipeline_deinit(a);
	event_source_free(*ret_source);
	return ret;
}

static void init(struct kmem_cli *cli, const struct kmem_config *config)
{
	*cli = (struct kmem_cli){
		.config = config,
		.input = {.path = kmem_input_default},
		.tables = {.lines = config->lines},
		.file = OUT_FILE_INIT,
		.report = {.stock_style = config->stock_style, .thousands_sep = ""},
	};
	metrics_init(&cli->metrics, METRICS_LIMIT_DEFAULT);
	kmem_live_init(&cli->live);
	kmem_filters_init(&cli->filters);
}

static void deinit(struct kmem_cli *cli)
{
	metrics_deinit(&cli->metrics);
	kmem_filters_deinit(&cli->filters);
	kmem_regexes_deinit(&cli->skip_callsites);
	kmem_regexes_deinit(&cli->skip_user);
	kmem_live_deinit(&cli->live);
	out_file_deinit(&cli->file);
	kmem_folder_deinit(&cli->folder);
	free(cli->rows_name);
	free(cli->thousands_sep);
}

/* Settle the form, and the files of --rows. */
static int settle_form(const struct kmem_report *report, struct kmem_cli *cli, struct error *err)
{
	struct out_folder *rows = &cli->rows;

	if (!cli->form)
		cli->form = rows->path ? &form_jsonl : form_at(0);
	if (!rows->path)
		return rows->max_bytes || rows->max_files
			       ? error_set(err, EINVAL, "--max-size and --max-files are for --rows")
			       : 0;
	if (cli->output)
		return error_set(err, EINVAL,
				 "--rows and -o both say where the report goes: give "
				 "one of them");
	if (cli->form != &form_jsonl && !cli->form->has_file_a_table)
		return error_set(err, EINVAL, "--rows writes jsonl or csv, not '%s'",
				 cli->form->name);
	cli->tables_to.has_identity = true;
	if (!rows->max_bytes)
		rows->max_bytes = OUT_FOLDER_BYTES;
	if (asprintf(&cli->rows_name, "%s.%s", report->name, cli->form->name) >= 0)
		return 0;
	cli->rows_name = NULL;
	return error_nomem(err);
}

static int check(const struct kmem_report *report, struct kmem_cli *cli, void *command, int argc,
		 const char **argv, struct error *err)
{
	int ret = settle_form(report, cli, err);

	if (ret)
		return ret;
	user_files_take_config(&cli->input.files, &cli->config->config);
	if (argc && !report->has_arguments)
		return error_set(err, EINVAL,
				 "'%s': %s takes no arguments (a recording is named with -i%s)",
				 argv[0], report->name,
				 report->takes_command ? ", a command stands after --" : "");
	if (cli->form->is_binary && (!cli->output || out_file_is_stdout(cli->output)) &&
	    isatty(STDOUT_FILENO))
		return error_set(err, EINVAL,
				 "'%s' is not for a terminal: name a file with -o, or send it "
				 "through a pipe",
				 cli->form->name);
	if (cli->tables_to.only && !cli->form->has_file_a_table)
		return error_set(err, EINVAL, "--table is for --format csv");
	if ((report->is_live || cli->kmem.ticks.interval) && cli->input.path == kmem_input_default)
		cli->live.use_bpf = true;
	ret = kmem_live_check(&cli->live, &cli->input, cli->filters.nr_windows > 0, err);
	return !ret && report->check ? report->check(command, argc, argv, err) : ret;
}

/* The command after "--"; *argc is its index. NULL if there is none. */
static char *const *cut_command(int *argc, const char **argv)
{
	for (int i = 1; i < *argc; i++)
		if (!strcmp(argv[i], "--")) {
			*argc = i;
			argv[i] = NULL;
			return (char *const *)argv + i + 1;
		}
	return NULL;
}

static int run_report(const struct kmem_report *report, struct kmem_cli *cli, void *command,
		      const char **argv)
{
	struct error err = ERROR_INIT;
	int status;

	if (open_output(cli, &err) || report->run(command, argv, &err))
		/* a closed pipe is not an error */
		status = err.code == EPIPE ? 0 : builtin_error(report->options->command, &err);
	else
		status = cli->alerted ? EXIT_ALERT : cli->input.partial ? EXIT_PARTIAL : 0;
	if (cli->input.signal)
		status = 128 + cli->input.signal;
	return kmem_live_end(&cli->live, status);
}

int kmem_cli_run(const struct kmem_report *report, struct kmem_cli *cli, void *command,
		 const struct kmem_config *config, int argc, const char **argv)
{
	struct error err = ERROR_INIT;
	int status;

	init(cli, config);
	cli->report.human = report->human;
	if (report->takes_command)
		cli->live.command = cut_command(&argc, argv);
	status = builtin_options(report->options, command, &argc, argv, 0);
	if (status >= 0)
		goto out;
	status = 0;
	if (cli->input.show_version) {
		status = cmd_version.run(1, (const char *[]){"version", NULL}, NULL);
	} else if (check(report, cli, command, argc, argv, &err)) {
		builtin_error(report->options->command, &err);
		status = EXIT_USAGE;
	} else {
		status = run_report(report, cli, command, argv);
	}
out:
	deinit(cli);
	return status;
}
