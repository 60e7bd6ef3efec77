// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem leak: memory that was allocated and never freed, and how much of that leaks. */
#include <errno.h>
#include <string.h>

#include "builtin/command.h"
#include "builtin/kmem/blocks.h"
#include "builtin/kmem/common.h"
#include "util/base/array.h"
#include "util/base/log.h"
#include "util/base/timespan.h"
#include "util/base/units.h"
#include "util/cli/option_words.h"
#include "util/leak/leak.h"
#include "util/leak/leak_alert.h"
#include "util/leak/leak_column.h"
#include "util/leak/leak_report.h"

struct leak_command {
	struct kmem_cli cli;
	struct leak_sort sort;
	struct leak_alert alert;
	uint64_t min_age_ns;
	uint64_t every_ns; /* 0: one report, at the end */
	bool all;
	struct option_words repeated; /* options for the command to type next */
};

/* The last of several applies. */
static int opt_sort(const struct option_use *use, struct error *err)
{
	struct leak_command *l = use->into;

	l->sort.nr = 0;
	return leak_sort_parse(&l->sort, use->arg, err);
}

static int opt_min_age(const struct option_use *use, struct error *err)
{
	struct leak_command *l = use->into;

	if (timespan_parse_length(use->arg, &l->min_age_ns))
		return error_set(
			err, EINVAL,
			"'%s' is not a length of time (seconds, or with a unit: 500ms, 1.5s, "
			"10m, 2h)",
			use->arg);
	return 0;
}

#define EVERY_MIN_NS 50000000ULL

static int on_tick(void *ctx, struct kmem_pipeline *p, struct tick_interval tick);

static int opt_every(const struct option_use *use, struct error *err)
{
	struct leak_command *l = use->into;

	if (units_parse_time(use->arg, 1000000000, &l->every_ns))
		return error_set(err, EINVAL, "'%s' is not a time (10s, 5m, 1h)", use->arg);
	if (l->every_ns < EVERY_MIN_NS)
		return error_set(err, ERANGE, "'%s' is too short: at least 50ms", use->arg);
	l->cli.kmem.ticks.interval = on_tick;
	return 0;
}

static int opt_alert(const struct option_use *use, struct error *err)
{
	struct leak_command *l = use->into;

	return leak_alert_parse(&l->alert, use->arg, err);
}

static const struct option table[] = {
	OPT_GROUP("Contents"),
	OPT_INCLUDE_FOR(struct leak_command, cli.kmem, kmem_allocator_options),
	OPT_INCLUDE_FOR(struct leak_command, cli.tables, kmem_table_options),
	OPT_CALLBACK(0, "min-age", "<time>",
		     "only what has been live for at least this long, such as 1s", opt_min_age),
	OPT_BOOL(
		0, "all", struct leak_command, all,
		"also list what is reclaimable, page cache, user memory, and the memory of running "
		"processes"),
	OPT_INCLUDE_FOR(struct leak_command, cli.filters, kmem_filter_options),
	OPT_GROUP("How often, and when"),
	OPT_CALLBACK(0, "every", "<time>",
		     "a report at the end of each interval (10s, 5m), of the time since the start",
		     opt_every),
	OPT_CALLBACK(0, "alert", "<behaviour>[,...]><size>",
		     "print one line, and exit with status 2, if a command holds more than this: "
		     "'leaking>1MB', 'leaking,growing>64K'; otherwise print nothing",
		     opt_alert),
	OPT_GROUP("How to show it"),
	OPT_CALLBACK(
		's', "sort", "<key>[,<key>...]",
		"sort by these columns, largest first; -key: smallest first. Any of: behaviour "
		"evidence bytes hit growth oldest youngest, and the keys of --by",
		opt_sort),
	OPT_INCLUDE_FOR(struct leak_command, cli, kmem_format_options),
	OPT_INCLUDE_FOR(struct leak_command, cli, kmem_show_options),
	OPT_INCLUDE_FOR(struct leak_command, cli, kmem_rows_options),
	OPT_INCLUDE_FOR(struct leak_command, cli.live, kmem_live_options),
	OPT_INCLUDE_FOR(struct leak_command, cli.input, kmem_input_options),
	OPT_END(),
};
static const char *const usage[] = {
	"perf kmem leak [<options>]",
	"perf kmem leak [-b] [--duration <time>] [--every <time>] [<options>] [-- <command>]",
	NULL};
static void note_option(void *into, const struct option_use *use);

static const struct options options = {"perf kmem leak", usage, table, .siblings = kmem_subcommands,
				       .used = note_option};

struct leak_context {
	struct leak_command *command;
	struct leak leak;
	const struct kmem_pipeline *a;
	/* with --every */
	struct leak_interval interval;
	bool began;
	struct kmem_blocks blocks; /* open if its cli is set */
	struct error *err;
};

static bool has_chains(const struct kmem_pipeline *a)
{
	bool any = false;

	for (int i = 0; i < ACCOUNTS_NR; i++)
		any |= accounts_allocator(&a->accounts, i) &&
		       a->kinds.v[account_table[i]->allocator->alloc].has_chains;
	return any;
}

/* Keep the options that the command to type next repeats: not those for the form and the time of
 * the reports, nor the allocators, which it names itself. */
static void note_option(void *into, const struct option_use *use)
{
	static const char *const others[] = {"every",  "alert",	   "sort",  "format",	"line",
					     "output", "color",	   "all",   "duration", "rows",
					     "table",  "max-size", "quiet", "max-files"};
	struct leak_command *l = into;

	for (size_t i = 0; i < NR_OF(others); i++)
		if (!strcmp(use->opt->long_name, others[i]))
			return;
	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (!strcmp(use->opt->long_name, account_table[i]->id))
			return;
	option_words_add(&l->repeated, use);
}

#define ADVISED_NS 10000000000ULL

/* Source lines with callchains, because a kernel thread has no lines, and some programs lack them;
 * else callchains; if the source has them. */
static const char *options_to_show_more(const struct leak_context *c, int account)
{
	const struct allocator_ops *ops = account_table[account]->allocator;
	const struct event_kind *kind = ops ? &c->a->kinds.v[ops->alloc] : NULL;

	if (!kind)
		return "";
	if (kmem_live_wanted(&c->command->cli.live) || kind->has_user_stacks)
		return " --by usrcline --stack";
	return kind->has_chains ? " --stack" : "";
}

struct advice_words {
	struct strbuf command;
	struct option_words workload;
};

/* The command that shows more of one holder. None if the report itself is more than the default
 * one, or if its input cannot be read again. */
static void add_advice(const struct leak_context *c, struct advice_words *w,
		       struct leak_advice *advice)
{
	const struct kmem_cli *cli = &c->command->cli;
	const struct kmem_live *live = &cli->live;
	const struct option_words *repeated = &c->command->repeated;
	char called[BUILTIN_NAME_MAX];

	if (cli->tables.nr || cli->tables.stacks || !strcmp(cli->input.path, "-"))
		return;
	strbuf_addf(&w->command, "%s leak", builtin_called("perf kmem", called, sizeof(called)));
	if (repeated->text.len)
		strbuf_addstr(&w->command, repeated->text.buf);
	if (kmem_live_wanted(live) && (live->record.options.duration_ns || !live->command)) {
		uint64_t ns = live->record.options.duration_ns;

		strbuf_addf(&w->command, " --duration %gs", (double)(ns ? ns : ADVISED_NS) / 1e9);
	}
	strbuf_addstr(&w->workload.text, live->command ? " --" : "");
	for (char *const *word = live->command; word && *word; word++)
		option_words_add_word(&w->workload, *word);
	if (repeated->unprintable || w->workload.unprintable)
		return;
	advice->command = w->command.buf;
	advice->workload = w->workload.text.len ? w->workload.text.buf : "";
	for (int i = 0; i < ACCOUNTS_NR; i++)
		advice->options[i] = options_to_show_more(c, i);
}

static const struct leak_interval *interval_of(const struct leak_context *c)
{
	return c->command->every_ns ? &c->interval : NULL;
}

static int print(FILE *out, struct kmem_cli *cli, void *ctx, struct error *err)
{
	const struct leak_context *c = ctx;
	struct report_context context;
	struct advice_words words = {STRBUF_INIT, {STRBUF_INIT, false}};
	struct leak_report report = {.context = &context,
				     .leak = &c->leak,
				     .lines = kmem_tables_lines(&cli->tables),
				     .has_windows = c->a->options.nr_windows != 0,
				     .all = c->command->all,
				     .interval = interval_of(c)};
	int ret;

	report_context_init(&context, c->a, &cli->report);
	add_advice(c, &words, &report.advice);
	ret = words.command.failed || words.workload.text.failed || c->command->repeated.text.failed
		      ? error_nomem(err)
		      : report_write(out, cli->form, &cli->report, report_leak, &report, err);
	strbuf_deinit(&words.command);
	strbuf_deinit(&words.workload.text);
	return ret;
}

/* A kmem_block_fn. */
static int write_block(FILE *out, void *ctx)
{
	struct leak_context *c = ctx;

	return print(out, &c->command->cli, ctx, NULL);
}

/* Print the line, or the object, of an alert that holds. */
static int print_alert(const struct leak_context *c, struct error *err)
{
	const struct kmem_cli *cli = &c->command->cli;
	const bool is_object = cli->form->audience == FOR_PROGRAMS && !cli->rows.path;
	const struct form *form = is_object ? cli->form : form_at(0);
	struct report_context context;
	struct leak_alert_report report = {.context = &context,
					   .leak = &c->leak,
					   .alert = &c->command->alert,
					   .interval = interval_of(c)};
	int ret;

	report_context_init(&context, c->a, &cli->report);
	ret = report_write(stdout, form, &cli->report, report_leak_alert, &report, err);
	fflush(stdout);
	return ret;
}

static key_mask_t keys_of(const struct table_spec *tables, unsigned int nr)
{
	key_mask_t keys = 0;

	for (unsigned int t = 0; t < nr; t++)
		for (unsigned int i = 0; i < tables[t].nr_by; i++)
			keys |= KEY_BIT(tables[t].by[i]);
	return keys;
}

/* Checks against the keys of the default account; a requested allocator may have other defaults. */
static int check_sort(const struct leak_sort *sort, const struct kmem_options *o, bool has_by,
		      struct error *err)
{
	const struct table_spec *parts = &o->tables[0].v[LEAK_PARTS];

	for (int i = 1; !has_by && i < ACCOUNTS_NR; i++)
		if (o->wanted[i])
			return 0;
	return leak_sort_check(sort, parts->by, parts->nr_shown, err);
}

/* Callchains are keys for a profile, unless others were requested. Pictures draw them. */
static enum leak_stacks stacks_of(const struct kmem_cli *cli, const struct table_spec *by)
{
	if (cli->tables.stacks || (!by->nr_by && cli->form->needs & (HAS_SAMPLES | HAS_STACKS)))
		return LEAK_STACKS_IN_ROWS;
	return cli->form->wants & WANTS_STACKS && !table_spec_has(by, KEY_STACK) ? LEAK_STACKS_APART
										 : LEAK_NO_STACKS;
}

/* The keys of the rows. A key of one allocator only has already selected that allocator. */
static int take_keys(struct leak_command *l, struct error *err)
{
	struct kmem_cli *cli = &l->cli;
	struct table_spec by = {.nr_by = 0};
	const struct kmem_options *o = &cli->kmem;
	int ret;

	if (cli->tables.nr > 1)
		return error_set(err, EINVAL, "leak makes one table: by call site, or one --by");
	if (cli->tables.nr && cli->tables.v[0].kind == TABLE_BY) {
		by.nr_by = cli->tables.v[0].nr_by;
		memcpy(by.by, cli->tables.v[0].by, sizeof(by.by));
	}
	cli->kmem.timeline = cli->form->wants & WANTS_TIMELINE;
	ret = leak_options_prepare(&cli->kmem, &by, stacks_of(cli, &by), err);
	/* default keys may be unknown */
	cli->kmem.optional_keys = 0;
	for (int i = 0; i < ACCOUNTS_NR; i++)
		cli->kmem.optional_keys |= keys_of(o->tables[i].v, o->tables[i].nr);
	cli->kmem.optional_keys &= ~keys_of(&by, 1);
	return ret ? ret : check_sort(&l->sort, o, by.nr_by != 0, err);
}

/* A recording of other events may contain allocations only, for those. */
static int check_allocators(const struct kmem_pipeline *a, struct error *err)
{
	int i = 0;

	if (accounts_any(a->chosen, ACCOUNTS_ALLOCATORS))
		return 0;
	while (i < ACCOUNTS_NR && !a->chosen[i])
		i++;
	if (i == ACCOUNTS_NR)
		return error_set(err, ENODATA, "'%s' has no allocations", a->facts->path);
	return error_set(err, ENODATA,
			 "'%s' is a recording for --%s and has no frees: record again with "
			 "'perf kmem record'",
			 a->facts->path, account_table[i]->id);
}

static int make_leak(struct leak_context *c, uint64_t end_ns)
{
	const struct kmem_pipeline *a = c->a;
	const struct leak_input in = {
		.accounts = &a->accounts,
		.options = &a->options,
		.kinds = &a->kinds,
		.naming = &a->naming,
		.threads = &a->decoding.completer.threads,
		.slab_counts = accounts_slab_counts(a->facts, &a->options),
		.nr_lost = a->facts->nr_lost,
		.end_ns = end_ns,
		.min_age_ns = c->command->min_age_ns,
		.frees_unknown = a->facts->frees_unknown,
	};
	int ret = leak_init(&c->leak, &in);

	for (int i = 0; !ret && i < ACCOUNTS_NR; i++)
		leak_sort_rows(&c->leak.rows[i], &c->command->sort, &a->naming);
	return ret;
}

static int error_unjudged(const struct leak_context *c, int account, struct error *err)
{
	const char *missing = c->leak.rows[account].missing_free;

	if (!missing)
		return error_set(err, ENODATA, "'%s' has no frees: --alert cannot judge it",
				 c->a->facts->path);
	return error_set(err, ENODATA, "'%s' has no %s events: --alert cannot judge --%s",
			 c->a->facts->path, missing, account_table[account]->id);
}

/* Without --alert there is always a report. With it there is a line if it holds and, in a file, the
 * report. */
static int take_alert(struct leak_context *c, bool *ret_report, struct error *err)
{
	struct kmem_cli *cli = &c->command->cli;
	int unjudged;
	bool holds;

	*ret_report = true;
	if (!c->command->alert.text)
		return 0;
	unjudged = leak_unjudged(&c->leak);
	if (unjudged != ACCOUNTS_NR)
		return error_unjudged(c, unjudged, err);
	holds = leak_alert_holds(&c->command->alert, &c->leak);
	cli->alerted |= holds;
	*ret_report = holds && kmem_cli_destination(cli);
	return holds ? print_alert(c, err) : 0;
}

/* ---- at intervals ---------------------------------------------------------------------------- */

/* Accounts of live events drop old data at each tick; reports may come less often. */
#define TICK_MAX_NS 1000000000ULL

static uint64_t tick_ns(const struct leak_command *l)
{
	if (!kmem_live_wanted(&l->cli.live) || l->every_ns <= TICK_MAX_NS)
		return l->every_ns;
	return l->every_ns / (l->every_ns / TICK_MAX_NS);
}

static int put_block(struct leak_context *c)
{
	struct kmem_cli *cli = &c->command->cli;
	int ret = c->blocks.cli ? 0 : kmem_blocks_open(&c->blocks, cli, c->err);

	if (!ret)
		ret = kmem_blocks_put(&c->blocks, false, write_block, c);
	cli->report.header = false;
	return ret;
}

static int report_interval(struct leak_context *c, struct kmem_pipeline *p)
{
	uint64_t end_ns = c->interval.time.end_ns, stop_ns = kmem_pipeline_span(p).stop_ns;
	bool wants_report = false;
	int ret;

	c->a = p;
	/* --time may end earlier */
	end_ns = stop_ns < end_ns ? stop_ns : end_ns;
	ret = check_allocators(p, c->err);
	if (!ret)
		ret = kmem_pipeline_conclude(p, end_ns);
	if (!ret)
		ret = make_leak(c, end_ns);
	if (ret)
		return ret;
	ret = take_alert(c, &wants_report, c->err);
	if (!ret && wants_report)
		ret = put_block(c);
	leak_deinit(&c->leak);
	/* perf.c checks stdout */
	return !ret && ferror(stdout) ? 1 : ret;
}

/* Called at each tick: a report is due when the interval is over, give or take half a tick. */
static int on_tick(void *ctx, struct kmem_pipeline *p, struct tick_interval tick)
{
	struct leak_context *c = ctx;
	struct leak_interval *i = &c->interval;
	int ret;

	if (!c->began)
		i->begin_ns = i->time.start_ns = tick.start_ns;
	c->began = true;
	if (!tick.last && tick.end_ns + p->options.ticks.interval_ns / 2 <
				  i->time.start_ns + c->command->every_ns)
		return 0;
	i->number++;
	i->time.end_ns = tick.end_ns;
	i->time.last = tick.last;
	ret = report_interval(c, p);
	i->time.start_ns = tick.end_ns;
	return ret;
}

static int follow(struct leak_context *c, struct error *err)
{
	struct kmem_cli *cli = &c->command->cli;
	struct event_source *source;
	struct kmem_pipeline a;
	int ret;

	c->err = err;
	cli->kmem.ticks = (struct kmem_ticks){
		.interval_ns = tick_ns(c->command), .interval = on_tick, .ctx = c};
	ret = kmem_cli_read(cli, &source, &a, err);
	if (!ret) {
		if (!c->began)
			ret = error_set(err, ENODATA, "'%s' has no times: --every has no intervals",
					a.facts->path);
		kmem_pipeline_deinit(&a);
		event_source_free(source);
	}
	return c->blocks.cli ? kmem_blocks_close(&c->blocks, ret, err) : ret;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int report_once(struct leak_context *c, struct kmem_pipeline *a, struct error *err)
{
	struct kmem_cli *cli = &c->command->cli;
	bool wants_report;
	int ret;

	c->a = a;
	if (cli->tables.stacks && !has_chains(a))
		log_warn("'%s' has no callchains for --stack: record with -g", a->facts->path);
	ret = check_allocators(a, err);
	if (!ret)
		ret = kmem_cli_check_times(cli, a, err);
	if (ret)
		return ret;
	if (make_leak(c, kmem_pipeline_span(a).stop_ns))
		return error_nomem(err);
	ret = take_alert(c, &wants_report, err);
	if (!ret && wants_report)
		ret = kmem_cli_print(cli, print, c, err);
	if (!ret)
		kmem_input_hint(a);
	leak_deinit(&c->leak);
	return ret;
}

static int run(void *command, const char **argv, struct error *err)
{
	struct leak_command *l = command;
	struct leak_context c = {.command = l};
	struct event_source *source = NULL;
	struct kmem_pipeline a;
	int ret = kmem_cli_prepare(&l->cli, err);

	(void)argv;
	if (!ret)
		ret = take_keys(l, err);
	if (ret)
		return ret;
	if (l->every_ns)
		return follow(&c, err);
	ret = kmem_cli_read(&l->cli, &source, &a, err);
	if (ret)
		return ret;
	ret = report_once(&c, &a, err);
	kmem_pipeline_deinit(&a);
	event_source_free(source);
	return ret;
}

static int check(void *command, int argc, const char **argv, struct error *err)
{
	struct leak_command *l = command;
	int ret = 0;

	(void)argc, (void)argv;
	if (l->every_ns)
		ret = kmem_blocks_check(&l->cli, "leak --every has", false, err);
	else if (l->alert.text && !kmem_cli_destination(&l->cli))
		ret = kmem_blocks_check(&l->cli, "leak --alert has, without -o,", false, err);
	return ret ? ret
		   : form_check(l->cli.form, "leak has",
				HAS_TABLES | HAS_STACKS | HAS_SAMPLES | HAS_TIMELINE | HAS_METRICS,
				err);
}

static int run_leak(int argc, const char **argv, void *config)
{
	static const struct kmem_report report = {
		"leak", &options, .takes_command = true, .human = true, .check = check, .run = run};
	struct leak_command l = {.repeated = {STRBUF_INIT, false}};
	int status = kmem_cli_run(&report, &l.cli, &l, config, argc, argv);

	strbuf_deinit(&l.repeated.text);
	return status;
}

const struct subcommand kmem_leak = {
	.name = "leak",
	.help = "list what was allocated and never freed, by call site",
	.options = &options,
	.run = run_leak,
};
