// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem leak: memory that was allocated and never freed, and how much of that leaks. */
#include <errno.h>
#include <string.h>

#include "builtin/command.h"
#include "builtin/kmem/common.h"
#include "util/base/log.h"
#include "util/base/printable.h"
#include "util/base/timespan.h"
#include "util/leak/leak.h"
#include "util/leak/leak_column.h"
#include "util/leak/leak_report.h"

struct leak_command {
	struct kmem_cli cli;
	struct leak_sort sort;
	uint64_t min_age_ns;
	bool all;
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
	OPT_GROUP("How to show it"),
	OPT_CALLBACK(
		's', "sort", "<key>[,<key>...]",
		"sort by these columns, largest first; -key: smallest first. Any of: behaviour "
		"evidence bytes hit growth oldest youngest, and the keys of --by",
		opt_sort),
	OPT_INCLUDE_FOR(struct leak_command, cli, kmem_sample_format_options),
	OPT_INCLUDE_FOR(struct leak_command, cli, kmem_show_options),
	OPT_INCLUDE_FOR(struct leak_command, cli.live, kmem_live_options),
	OPT_INCLUDE_FOR(struct leak_command, cli.input, kmem_input_options),
	OPT_END(),
};
static const char *const usage[] = {
	"perf kmem leak [<options>]",
	"perf kmem leak [-b] [--duration <time>] [<options>] [-- <command>]", NULL};
static const struct options options = {"perf kmem leak", usage, table,
				       .siblings = kmem_subcommands};

struct leak_context {
	const struct leak_command *command;
	struct leak leak;
	struct kmem_pipeline a;
};

static bool has_chains(const struct kmem_pipeline *a)
{
	bool any = false;

	for (int i = 0; i < ACCOUNTS_NR; i++)
		any |= accounts_allocator(&a->accounts, i) &&
		       a->kinds.v[account_table[i]->allocator->alloc].has_chains;
	return any;
}

#define ADVISED_NS 10000000000ULL

/* The command that shows more of one holder: its source lines or callchains, if the source has
 * them. None if the report itself is more than the default one. */
static void add_advice(const struct leak_context *c, struct strbuf *sb, struct leak_advice *advice)
{
	const struct kmem_cli *cli = &c->command->cli;
	const struct kmem_live *live = &cli->live;
	char called[BUILTIN_NAME_MAX];

	if (cli->tables.nr || cli->tables.stacks || !printable_is_word(cli->input.path))
		return;
	strbuf_addf(sb, "%s leak", builtin_called("perf kmem", called, sizeof(called)));
	if (kmem_live_wanted(live)) {
		uint64_t ns = live->record.options.duration_ns;

		strbuf_addf(sb, " --duration %gs", (double)(ns ? ns : ADVISED_NS) / 1e9);
	} else if (cli->input.path != kmem_input_default) {
		strbuf_addf(sb, " -i %s", cli->input.path);
	}
	advice->command = sb->buf;
	advice->options = kmem_live_wanted(live) ? " --stack"
			  : c->a.naming.user	 ? " --by usrcline"
			  : has_chains(&c->a)	 ? " --stack"
						 : "";
}

static int print(FILE *out, struct kmem_cli *cli, void *ctx, struct error *err)
{
	const struct leak_context *c = ctx;
	struct report_context context;
	struct strbuf command = STRBUF_INIT;
	struct leak_report report = {.context = &context,
				     .leak = &c->leak,
				     .lines = kmem_tables_lines(&cli->tables),
				     .has_windows = c->a.options.nr_windows != 0,
				     .all = c->command->all};
	int ret;

	report_context_init(&context, &c->a, &cli->report);
	add_advice(c, &command, &report.advice);
	ret = command.failed
		      ? error_nomem(err)
		      : report_write(out, cli->form, &cli->report, report_leak, &report, err);
	strbuf_deinit(&command);
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
	if (cli->tables.stacks || (!by->nr_by && cli->form->needs & HAS_SAMPLES))
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

static int make_leak(struct leak *l, const struct leak_command *command,
		     const struct kmem_pipeline *a)
{
	const struct leak_input in = {
		.accounts = &a->accounts,
		.options = &a->options,
		.kinds = &a->kinds,
		.naming = &a->naming,
		.threads = &a->decoding.completer.threads,
		.slab_counts = accounts_slab_counts(a->facts, &a->options),
		.nr_lost = a->facts->nr_lost,
		.end_ns = kmem_pipeline_span(a).stop_ns,
		.min_age_ns = command->min_age_ns,
		.frees_unknown = a->facts->frees_unknown,
	};

	return leak_init(l, &in);
}

static int run(void *command, const char **argv, struct error *err)
{
	struct leak_command *l = command;
	struct kmem_cli *cli = &l->cli;
	struct leak_context c = {.command = l};
	struct event_source *source = NULL;
	int ret = kmem_cli_prepare(cli, err);

	(void)argv;
	if (!ret)
		ret = take_keys(l, err);
	if (ret)
		return ret;
	ret = kmem_cli_read(cli, &source, &c.a, err);
	if (ret)
		return ret;
	if (cli->tables.stacks && !has_chains(&c.a))
		log_warn("'%s' has no callchains for --stack: record with -g", c.a.facts->path);
	ret = kmem_cli_check_times(cli, &c.a, err);
	if (!ret && make_leak(&c.leak, l, &c.a))
		ret = error_nomem(err);
	if (!ret) {
		for (int i = 0; i < ACCOUNTS_NR; i++)
			leak_sort_rows(&c.leak.rows[i], &l->sort, &c.a.naming);
		ret = kmem_cli_print(cli, print, &c, err);
		if (!ret)
			kmem_input_hint(&c.a);
		leak_deinit(&c.leak);
	}
	kmem_pipeline_deinit(&c.a);
	event_source_free(source);
	return ret;
}

static int check(void *command, int argc, const char **argv, struct error *err)
{
	struct leak_command *l = command;

	(void)argc, (void)argv;
	return form_check(l->cli.form, "leak has", HAS_TABLES | HAS_SAMPLES | HAS_TIMELINE, err);
}

static int run_leak(int argc, const char **argv, void *config)
{
	static const struct kmem_report report = {"leak", &options, .takes_command = true,
						  .check = check, .run = run};
	struct leak_command l = {.min_age_ns = 0};

	return kmem_cli_run(&report, &l.cli, &l, config, argc, argv);
}

const struct subcommand kmem_leak = {
	.name = "leak",
	.help = "list what was allocated and never freed, by call site",
	.options = &options,
	.run = run_leak,
};
