// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem stat: reports a recording or live events. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "builtin/command.h"
#include "builtin/kmem/common.h"
#include "util/report/column_list.h"
#include "util/report/report_stat.h"

struct stat_command {
	struct kmem_cli cli;
	bool peak;
	bool pingpong;
};

static int opt_alloc(const struct option_use *use, struct error *err)
{
	struct stat_command *s = use->into;

	return kmem_tables_add(&s->cli.tables, TABLE_ALLOC, NULL, err);
}

static int opt_sort(const struct option_use *use, struct error *err)
{
	struct stat_command *s = use->into;

	return kmem_tables_sort(&s->cli.tables, use->arg, err);
}

static int opt_fields(const struct option_use *use, struct error *err)
{
	struct stat_command *s = use->into;

	return column_list_parse(&s->cli.report.fields, use->arg, err);
}

static int opt_weight(const struct option_use *use, struct error *err)
{
	struct stat_command *s = use->into;
	const struct column *c = column_find(use->arg, strlen(use->arg));

	if (!c || (c->kind != COLUMN_BYTES && c->kind != COLUMN_COUNT))
		return error_set(err, EINVAL, "'%s' is not a weight (bytes, hit, live, ...)",
				 use->arg);
	s->cli.report.weight = c;
	return 0;
}

static const struct option table[] = {
	OPT_GROUP("Contents"),
	OPT_INCLUDE_FOR(struct stat_command, cli.kmem, kmem_allocator_options),
	OPT_INCLUDE_FOR(struct stat_command, cli.kmem, kmem_other_account_options),
	OPT_INCLUDE_FOR(struct stat_command, cli.tables, kmem_table_options),
	OPT_FLAG_CALLBACK(0, "alloc", "a table by object or page", opt_alloc),
	OPT_BOOL(0, "live", struct stat_command, cli.report.live,
		 "only what is still allocated at the end"),
	OPT_BOOL(0, "peak", struct stat_command, peak, "what was live when the most bytes were"),
	OPT_BOOL(0, "lifetime", struct stat_command, cli.report.lifetimes,
		 "how long freed objects lived"),
	OPT_BOOL(
		0, "timeline", struct stat_command, cli.kmem.timeline,
		"how much was live over time, and whose (JSON, HTML); also of --percpu, --extfrag"),
	OPT_BOOL(0, "pingpong", struct stat_command, pingpong,
		 "which CPU freed what was allocated on which"),
	OPT_INCLUDE_FOR(struct stat_command, cli.filters, kmem_filter_options),
	OPT_GROUP("How to show it"),
	OPT_CALLBACK('s', "sort", "<key>[,<key>...]",
		     "sort by these columns, largest first; -key: smallest first. Any "
		     "of:" COLUMN_FIGURE_NAMES ", and the keys of --by",
		     opt_sort),
	OPT_CALLBACK(0, "fields", "<column>[,<column>...]", "show these columns: any of --sort",
		     opt_fields),
	OPT_INCLUDE_FOR(struct stat_command, cli, kmem_format_options),
	OPT_INCLUDE_FOR(struct stat_command, cli, kmem_show_options),
	OPT_INCLUDE_FOR(struct stat_command, cli, kmem_rows_options),
	OPT_CALLBACK(0, "weight", "<column>",
		     "weight of folded stacks (bytes), one of: bytes hit live", opt_weight),
	OPT_INCLUDE_FOR(struct stat_command, cli.live, kmem_live_options),
	OPT_BOOL(0, "in-kernel", struct stat_command, cli.live.in_kernel,
		 "let the kernel count hits, bytes and frees of slab objects by call site and "
		 "cache, and send no events: for machines too busy for that"),
	OPT_INCLUDE_FOR(struct stat_command, cli.input, kmem_input_options),
	OPT_END(),
};
static const char *const usage[] = {
	"perf kmem stat [<options>]",
	"perf kmem stat [-b] [--duration <time>] [<options>] [-- <command>]", NULL};
static const struct options options = {"perf kmem stat", usage, table,
				       .siblings = kmem_subcommands};

static int print(FILE *out, struct kmem_cli *cli, void *ctx, struct error *err)
{
	return report_write_stat(out, cli->form, ctx, &cli->report, err);
}

static int check_whole(const struct kmem_pipeline *a, struct error *err)
{
	if (!a->facts->stop.stopped)
		return 0;
	return error_set(err, ECANCELED, "'%s': stopped before the peak was found", a->facts->path);
}

/* Refuse columns of requested sizes of a source without these. */
static int check_requests(const struct column_list *fields, const struct source_facts *f,
			  struct error *err)
{
	for (unsigned int i = 0; f->requests_unknown && i < fields->nr; i++) {
		const char *name = fields->v[i]->name;

		if (!strcmp(name, "req") || !strcmp(name, "frag"))
			return error_set(err, ENODATA,
					 "'%s' has no requested sizes: --fields %s has nothing to "
					 "show",
					 f->path, name);
	}
	return 0;
}

/* Refuse questions about frees to a source without frees. */
static int check_frees(const struct stat_command *s, const struct source_facts *f,
		       struct error *err)
{
	const struct {
		bool asked;
		const char *option;
	} of_frees[] = {
		{s->pingpong && (f->frees_unknown || f->live_unknown), "--pingpong"},
		{s->cli.report.lifetimes && f->frees_unknown, "--lifetime"},
		{s->peak && f->frees_unknown, "--peak"},
	};

	for (size_t i = 0; i < sizeof(of_frees) / sizeof(of_frees[0]); i++)
		if (of_frees[i].asked)
			return error_set(err, ENODATA, "'%s' has no frees: %s has nothing to show",
					 f->path, of_frees[i].option);
	return 0;
}

/* --peak reads the recording twice: first to find the time of the peak, then up to that time. */
static int find_peaks(struct stat_command *s, struct error *err)
{
	struct kmem_options full = s->cli.kmem;
	struct kmem_pipeline a;
	struct event_source *source = NULL;
	int ret;

	if (kmem_live_wanted(&s->cli.live))
		return error_set(err, EOPNOTSUPP,
				 "--peak needs a recording: it is found by reading that twice");
	if (!strcmp(s->cli.input.path, "-"))
		return error_set(err, ESPIPE,
				 "--peak reads the recording twice, and a pipe can be read only "
				 "once: save it to a file");
	for (int i = 0; i < ACCOUNTS_NR; i++)
		s->cli.kmem.tables[i].nr = 0;
	s->cli.kmem.summary_tables = false;
	ret = kmem_input_read(&s->cli.input, s->cli.input.path, 0, &s->cli.kmem, &source, &a, err);
	s->cli.kmem = full;
	if (ret)
		return ret;
	ret = check_whole(&a, err);
	if (!ret)
		ret = check_frees(s, a.facts, err);
	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (accounts_allocator(&a.accounts, i))
			s->cli.kmem.tables[i].stop = accounts_allocator(&a.accounts, i)->peak.event;
	s->cli.report.live = s->cli.report.peak = true;
	kmem_pipeline_deinit(&a);
	event_source_free(source);
	return ret;
}

/* For --in-kernel: the columns and tables that the kernel can count. */
static int prepare_counted(struct stat_command *s, struct error *err)
{
	struct kmem_cli *cli = &s->cli;
	int ret = 0;

	if (cli->report.live || cli->report.lifetimes || s->pingpong)
		return error_set(err, EINVAL,
				 "--in-kernel does not know what is live: no --live, no "
				 "--lifetime, no --pingpong");
	if (!cli->tables.nr)
		ret = kmem_tables_add(&cli->tables, TABLE_BY, "callsite,cache", err);
	if (ret || cli->report.fields.nr || cli->tables.nr > 1 || cli->tables.v[0].kind != TABLE_BY)
		return ret;
	for (unsigned int i = 0; !ret && i < cli->tables.v[0].nr_by; i++)
		ret = column_list_parse(&cli->report.fields, kmem_key_name(cli->tables.v[0].by[i]),
					err);
	return ret ? ret : column_list_parse(&cli->report.fields, "bytes,hit,freed,req,frag", err);
}

/* Series of several tables would count the same memory under the same name. */
static int check_metrics(const struct kmem_cli *cli, struct error *err)
{
	if (!(cli->form->needs & HAS_METRICS) || cli->tables.nr < 2)
		return 0;
	return error_set(err, EINVAL, "'%s' has one table: only one of --caller, --alloc and --by",
			 cli->form->name);
}

/* Whether accounts with tables of their own can fill this format. */
static int check_own_tables(const struct stat_command *s, struct error *err)
{
	int ret = 0;

	for (int i = 0; !ret && i < ACCOUNTS_NR; i++) {
		const struct account_ops *ops = account_table[i];
		struct strbuf who = STRBUF_INIT;

		if (!s->cli.kmem.wanted[i] || ops->allocator)
			continue;
		strbuf_addf(&who, "--%s has", ops->id);
		ret = form_check(s->cli.form, who.buf,
				 HAS_TABLES | (ops->has_timeline ? HAS_TIMELINE : 0), err);
		strbuf_deinit(&who);
	}
	return ret;
}

/* Live events cannot be read again with a corrected command line. */
static int check_live_tables(const struct stat_command *s, struct error *err)
{
	const struct kmem_cli *cli = &s->cli;
	const struct kmem_options *o = &cli->kmem;
	unsigned int most = 0, with_tables = 0; /* tables of an account; accounts with any */

	if (!kmem_live_wanted(&cli->live) || !cli->form->has_file_a_table || cli->folder.path ||
	    cli->tables_to.only)
		return 0;
	for (int i = 0; i < ACCOUNTS_NR; i++) {
		with_tables += o->wanted[i] && o->tables[i].nr;
		most = o->tables[i].nr > most ? o->tables[i].nr : most;
	}
	/* only the first table of the overview is written */
	if (kmem_tables_are_overview(&cli->tables))
		most = 1;
	if (most < 2 && !s->pingpong && !accounts_any(o->wanted, ACCOUNTS_OWN_TABLES) &&
	    (with_tables < 2 || cli->report.fields.nr))
		return 0;
	return error_set(
		err, EINVAL,
		"csv has one table per file: for several name a folder (-o FOLDER/), or one "
		"of them (--table)");
}

/* An account that inspects memory cannot report a recording; without -i it inspects this
 * machine. */
static void settle_input(struct kmem_cli *cli)
{
	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (cli->kmem.wanted[i] && account_table[i]->kernel_path &&
		    cli->input.path == kmem_input_default)
			cli->input.path = account_table[i]->kernel_path;
}

/* Whether nothing was asked for but the report. Stock's text then has the summaries only. */
static bool wants_overview(const struct stat_command *s)
{
	const struct form *form = s->cli.form;

	return !s->cli.tables.nr && !s->pingpong && form->wants & WANTS_OVERVIEW &&
	       !(s->cli.report.stock_style && form->audience & FOR_PEOPLE);
}

static int prepare(struct stat_command *s, struct error *err)
{
	struct kmem_cli *cli = &s->cli;
	int ret = 0;

	settle_input(cli);
	if (!cli->report.weight)
		cli->report.weight = column_find("bytes", strlen("bytes"));
	ret = check_own_tables(s, err);
	if (!ret)
		ret = check_metrics(cli, err);
	if (!ret && cli->live.in_kernel)
		ret = form_check(cli->form, "--in-kernel has",
				 HAS_TABLES | HAS_STACKS | HAS_SAMPLES | HAS_METRICS, err);
	if (!ret && cli->live.in_kernel)
		ret = prepare_counted(s, err);
	/* pages show what is live without being asked */
	cli->kmem.live_sites = cli->report.live || s->peak ||
			       (cli->form->wants & WANTS_PICTURES && !cli->live.in_kernel);
	cli->kmem.summary_tables = true;
	cli->kmem.cpu_pairs = s->pingpong || cli->form->wants & WANTS_PINGPONG;
	cli->kmem.steps = cli->form->audience & FOR_PAGES && !cli->report.live && !s->peak;
	cli->kmem.timeline |= cli->form->wants & WANTS_TIMELINE && !cli->live.in_kernel;
	if (!ret && !cli->tables.nr)
		ret = kmem_tables_add_defaults(&cli->tables, cli->form->wants, err);
	if (!ret && !cli->tables.nr && (cli->tables.stacks || cli->tables.user_stacks))
		ret = kmem_tables_add(&cli->tables, TABLE_BY, "stack", err);
	if (!ret && !cli->tables.nr && cli->kmem.timeline)
		ret = kmem_tables_add(&cli->tables, TABLE_CALLER, NULL, err);
	if (!ret && wants_overview(s))
		kmem_tables_add_overview(&cli->tables, cli->form->audience);
	if (!ret)
		ret = kmem_cli_prepare(cli, err);
	return ret ? ret : check_live_tables(s, err);
}

static int run(void *command, const char **argv, struct error *err)
{
	struct stat_command *s = command;
	struct kmem_pipeline a;
	struct event_source *source = NULL;
	int ret = prepare(s, err);

	(void)argv;
	if (!ret && s->peak)
		ret = find_peaks(s, err);
	if (!ret)
		ret = kmem_cli_read(&s->cli, &source, &a, err);
	if (ret)
		return ret;
	if (s->peak)
		ret = check_whole(&a, err);
	if (!ret)
		ret = kmem_cli_check_times(&s->cli, &a, err);
	if (!ret)
		ret = check_frees(s, a.facts, err);
	if (!ret)
		ret = check_requests(&s->cli.report.fields, a.facts, err);
	if (!ret)
		ret = kmem_cli_print(&s->cli, print, &a, err);
	if (!ret)
		kmem_input_hint(&a);
	kmem_pipeline_deinit(&a);
	event_source_free(source);
	return ret;
}

static int run_stat(int argc, const char **argv, void *config)
{
	static const struct kmem_report report = {"stat", &options, .takes_command = true,
						  .run = run};
	struct stat_command s = {.peak = false};

	return kmem_cli_run(&report, &s.cli, &s, config, argc, argv);
}

const struct subcommand kmem_stat = {
	.name = "stat",
	.help = "report who allocated what, from a recording or as it happens",
	.options = &options,
	.run = run_stat,
};
