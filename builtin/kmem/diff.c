// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem diff: two recordings side by side, or a series of snapshots. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "builtin/command.h"
#include "builtin/kmem/common.h"
#include "util/report/report_diff.h"
#include "util/series/series_report.h"

#define REPEATS_MAX 64

struct diff_command {
	struct kmem_cli cli;
	/* more recordings of each side */
	const char *repeats[DIFF_SIDES][REPEATS_MAX];
	unsigned int nr_repeats[DIFF_SIDES];
	enum { RATES_IF_LENGTHS_DIFFER, RATES, TOTALS } figures;
};

static int opt_per_second(const struct option_use *use, struct error *err)
{
	struct diff_command *c = use->into;

	(void)err;
	c->figures = use->unset ? TOTALS : RATES;
	return 0;
}

static int add_repeat(const struct option_use *use, int side, struct error *err)
{
	struct diff_command *c = use->into;

	if (c->nr_repeats[side] == REPEATS_MAX)
		return error_set(err, E2BIG, "more than %d recordings", REPEATS_MAX);
	c->repeats[side][c->nr_repeats[side]++] = use->arg;
	return 0;
}

static int opt_old(const struct option_use *use, struct error *err)
{
	return add_repeat(use, DIFF_OLD, err);
}

static int opt_new(const struct option_use *use, struct error *err)
{
	return add_repeat(use, DIFF_NEW, err);
}

static int opt_kallsyms(const struct option_use *use, struct error *err)
{
	struct diff_command *c = use->into;

	return kmem_input_add_kallsyms(&c->cli.input, use->arg, DIFF_SIDES, err);
}

static const struct option table[] = {
	OPT_GROUP("Contents"),
	OPT_INCLUDE_FOR(struct diff_command, cli.kmem, kmem_allocator_options),
	OPT_INCLUDE_FOR(struct diff_command, cli.kmem, kmem_compared_account_options),
	OPT_INCLUDE_FOR(struct diff_command, cli.tables, kmem_table_options),
	OPT_CALLBACK_FLAGS(
		0, "per-second", NULL,
		"divide by the recordings' lengths, and the changes of states by the time between",
		opt_per_second, OPTION_NOARG | OPTION_NEGATABLE),
	OPT_INCLUDE_FOR(struct diff_command, cli.filters, kmem_filter_options),
	OPT_GROUP("How to show it"),
	OPT_INCLUDE_FOR(struct diff_command, cli, kmem_pair_format_options),
	OPT_INCLUDE_FOR(struct diff_command, cli, kmem_show_options),
	OPT_GROUP("The recordings"),
	OPT_CALLBACK(0, "old", "<file>",
		     "one more recording of the old state, to tell changes from noise; may be "
		     "repeated",
		     opt_old),
	OPT_CALLBACK(0, "new", "<file>", "the same of the new state", opt_new),
	OPT_CALLBACK(0, "kallsyms", "<file>",
		     "kernel symbols, as /proc/kallsyms of the recorded boot has them: of the old "
		     "recording, then of the new one",
		     opt_kallsyms),
	OPT_INCLUDE_FOR(struct diff_command, cli.input, kmem_reading_options),
	OPT_END(),
};
static const char *const usage[] = {"perf kmem diff [<options>] <old> <new>",
				    "perf kmem diff [<options>] <series>", NULL};
static const struct options options = {"perf kmem diff", usage, table,
				       .siblings = kmem_subcommands};

static int print(FILE *out, struct kmem_cli *cli, void *ctx, struct error *err)
{
	struct diff_report report = {.diff = ctx, .lines = kmem_tables_lines(&cli->tables)};

	return report_write(out, cli->form, &cli->report, report_diff, &report, err);
}

/* One symbol file cannot name the addresses of two kernels: it would name one of them wrongly. */
static int check_kallsyms(const struct kmem_cli *cli, const struct source_facts *old,
			  const struct source_facts *new, struct error *err)
{
	if (cli->input.nr_kallsyms != 1 || diff_same_kernel(old, new))
		return 0;
	return error_set(
		err, EINVAL,
		"the recordings are of different kernels, and --kallsyms names the symbols "
		"of one: give it twice, for the old and then for the new one ('' for none)");
}

/* Whether it can be opened twice. */
static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

static bool has_pages(const struct source_facts *facts)
{
	for (size_t i = 0; i < facts->nr_events; i++)
		if (facts->events[i]->kind == KMEM_PAGE_ALLOC)
			return true;
	return false;
}

/* Whether an option selects only other allocators. */
static bool is_excluded(const struct kmem_options *o, enum account_id id)
{
	return accounts_any(o->wanted, ACCOUNTS_ALLOCATORS) && !o->wanted[id];
}

/*
 * The default of --by: the call site. A slab source without call sites is grouped by its own keys,
 * pages and areas by call site.
 */
static int add_usual_tables(struct kmem_cli *cli, const char *path, struct error *err)
{
	const struct source_options how = {
		.format = cli->input.format, .force = cli->input.force, .jobs = 1};
	struct event_source *source = NULL;
	const char *slab_by = NULL;
	int ret;

	if (!is_excluded(&cli->kmem, ACCOUNT_slab) && is_file(path) &&
	    !event_source_open(path, &how, &source, NULL))
		slab_by = source->facts->slab_by;
	if (!slab_by) {
		ret = kmem_tables_add(&cli->tables, TABLE_BY, "callsite", err);
	} else {
		cli->kmem.optional_keys |= KEY_BIT(KEY_CALLSITE) | KEY_BIT(KEY_ORDER);
		ret = kmem_tables_add(&cli->tables, TABLE_BY, slab_by, err);
		if (!ret && !is_excluded(&cli->kmem, ACCOUNT_page) && has_pages(source->facts))
			ret = kmem_tables_add(&cli->tables, TABLE_BY, "callsite,order", err);
		if (!ret && cli->kmem.wanted[ACCOUNT_vmalloc])
			ret = kmem_tables_add(&cli->tables, TABLE_BY, "callsite,purpose", err);
	}
	event_source_free(source);
	return ret;
}

/* The same before the recordings are read, from the facts that precede their events. */
static int check_headers(const struct kmem_cli *cli, const char *const paths[DIFF_SIDES],
			 struct error *err)
{
	const struct source_options how = {
		.format = cli->input.format, .force = cli->input.force, .jobs = 1};
	struct event_source *sources[DIFF_SIDES] = {NULL, NULL};
	bool known = cli->input.nr_kallsyms == 1;
	int ret = 0;

	/* errors of opening are reported when it is read */
	for (int i = 0; known && i < DIFF_SIDES; i++)
		known = is_file(paths[i]) &&
			!event_source_open(paths[i], &how, &sources[i], NULL) &&
			sources[i]->facts->osrelease;
	if (known)
		ret = check_kallsyms(cli, sources[DIFF_OLD]->facts, sources[DIFF_NEW]->facts, err);
	for (int i = 0; i < DIFF_SIDES; i++)
		event_source_free(sources[i]);
	return ret;
}

/* Programs and pages, which compute with figures, have rates on request only: no figure changes its
 * unit by itself. */
static bool shows_rates(const struct diff_command *c, const struct report_context sides[DIFF_SIDES])
{
	if (c->figures != RATES_IF_LENGTHS_DIFFER)
		return c->figures == RATES;
	return c->cli.form->audience == FOR_PEOPLE &&
	       diff_lengths_differ(&sides[DIFF_OLD], &sides[DIFF_NEW]);
}

/* Read one more recording of a side, and add it to the ranges of the rows. */
static int read_repeat(struct diff_command *c, const char *path, int side, struct diff *d,
		       struct error *err)
{
	struct report_context context;
	struct event_source *source;
	struct kmem_pipeline a;
	int ret = kmem_input_read(&c->cli.input, path, (unsigned int)side, &c->cli.kmem, &source,
				  &a, err);

	if (ret)
		return ret;
	report_context_init(&context, &a, &c->cli.report);
	if (!diff_same_kernel(d->side[side]->facts, a.facts))
		ret = error_set(err, EINVAL, "'%s' and '%s' are of different kernels",
				d->side[side]->facts->path, path);
	else if (diff_add_repeat(d, &context, side))
		ret = error_nomem(err);
	kmem_pipeline_deinit(&a);
	event_source_free(source);
	return ret;
}

static int read_repeats(struct diff_command *c, struct diff *d, struct error *err)
{
	int ret = 0;

	for (int side = 0; side < DIFF_SIDES; side++)
		for (unsigned int i = 0; !ret && i < c->nr_repeats[side]; i++)
			ret = read_repeat(c, c->repeats[side][i], side, d, err);
	diff_sort(d);
	return ret;
}

static int compare(struct diff_command *c, const struct kmem_pipeline a[DIFF_SIDES],
		   struct error *err)
{
	struct report_context sides[DIFF_SIDES];
	double seconds_between = 0;
	struct diff d;
	int ret = c->figures == RATES ? diff_seconds_between(a[DIFF_OLD].facts, a[DIFF_NEW].facts,
							     &seconds_between, err)
				      : 0;

	if (ret)
		return ret;
	for (int i = 0; i < DIFF_SIDES; i++)
		report_context_init(&sides[i], &a[i], &c->cli.report);
	if (diff_init(&d, &sides[DIFF_OLD], &sides[DIFF_NEW], shows_rates(c, sides),
		      seconds_between))
		return error_nomem(err);
	ret = read_repeats(c, &d, err);
	if (!ret)
		ret = kmem_cli_print(&c->cli, print, &d, err);
	diff_deinit(&d);
	return ret;
}

/* Keys for a profile or a flame graph, of sources that may lack them. */
static int add_stacks(struct kmem_cli *cli, struct error *err)
{
	cli->kmem.optional_keys |= KEY_BIT(KEY_STACK);
	return kmem_tables_add(&cli->tables, TABLE_BY, "stack", err);
}

/* ---- a series -------------------------------------------------------------------------------- */

static int print_series(FILE *out, struct kmem_cli *cli, void *ctx, struct error *err)
{
	return report_write(out, cli->form, &cli->report, series_report_build, ctx, err);
}

/* Whether no option is given that only two recordings have. */
static bool is_for_series(const struct diff_command *c)
{
	const struct kmem_cli *cli = &c->cli;

	return c->figures == RATES_IF_LENGTHS_DIFFER && !cli->tables.nr &&
	       !c->nr_repeats[DIFF_OLD] && !c->nr_repeats[DIFF_NEW] && !cli->filters.nr_windows &&
	       !cli->filters.selected && !accounts_any(cli->kmem.wanted, ACCOUNTS_ALL);
}

static int run_series(struct kmem_cli *cli, const char *path, struct error *err)
{
	char called[BUILTIN_NAME_MAX];
	struct series_input input;
	struct series_report report = {
		.input = &input,
		.advice = {builtin_called("perf kmem", called, sizeof(called)), kmem_has_account},
	};
	int ret = kmem_cli_prepare(cli, err);

	if (!ret)
		ret = series_input_read(&input, path, cli->input.force, err);
	if (ret)
		return ret;
	report.lines = kmem_tables_lines(&cli->tables);
	report.header = cli->report.header;
	ret = kmem_cli_print(cli, print_series, &report, err);
	cli->input.partial |= input.facts.damage.what[0] != '\0';
	series_input_deinit(&input);
	return ret;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Both recordings are reported for the allocators that are in the old one. */
static int run(void *command, const char **paths, struct error *err)
{
	struct diff_command *c = command;
	struct kmem_cli *cli = &c->cli;
	struct event_source *sources[DIFF_SIDES];
	struct kmem_pipeline a[DIFF_SIDES];
	const bool asks_nothing = !cli->tables.nr;
	int ret = 0;

	if (!paths[1])
		return run_series(cli, paths[0], err);
	cli->kmem.timeline = cli->form->wants & WANTS_TIMELINE;
	if (!cli->tables.nr)
		ret = add_usual_tables(cli, paths[DIFF_OLD], err);
	if (!ret && asks_nothing &&
	    (cli->form->needs & HAS_SAMPLES || cli->form->wants & WANTS_STACKS))
		ret = add_stacks(cli, err);
	if (!ret)
		ret = kmem_cli_prepare(cli, err);
	if (!ret)
		ret = check_headers(cli, paths, err);
	if (!ret)
		ret = kmem_input_read(&cli->input, paths[DIFF_OLD], DIFF_OLD, &cli->kmem,
				      &sources[DIFF_OLD], &a[DIFF_OLD], err);
	if (ret)
		return ret;
	for (int i = 0; i < ACCOUNTS_NR; i++)
		cli->kmem.wanted[i] = a[DIFF_OLD].chosen[i] &&
				      (account_table[i]->allocator || account_table[i]->tables);
	ret = kmem_input_read(&cli->input, paths[DIFF_NEW], DIFF_NEW, &cli->kmem,
			      &sources[DIFF_NEW], &a[DIFF_NEW], err);
	if (!ret) {
		ret = check_kallsyms(cli, a[DIFF_OLD].facts, a[DIFF_NEW].facts, err);
		for (int i = 0; !ret && i < DIFF_SIDES; i++)
			ret = kmem_cli_check_times(cli, &a[i], err);
		if (!ret)
			ret = compare(c, a, err);
		kmem_pipeline_deinit(&a[DIFF_NEW]);
		event_source_free(sources[DIFF_NEW]);
	}
	kmem_pipeline_deinit(&a[DIFF_OLD]);
	event_source_free(sources[DIFF_OLD]);
	return ret;
}

static int check(void *command, int argc, const char **argv, struct error *err)
{
	const struct diff_command *c = command;
	const struct kmem_cli *cli = &c->cli;

	(void)argv;
	if (argc == 1 && is_for_series(c))
		return form_check(cli->form, "a series has", HAS_TABLES, err);
	if (argc != DIFF_SIDES)
		return error_set(err, EINVAL,
				 "diff needs two recordings, an old and a new one (or a series of "
				 "snapshots, without options for tables and filters)");
	for (unsigned int i = 0; i < cli->tables.nr; i++) {
		const struct kmem_table *t = &cli->tables.v[i];
		bool objects = false;

		for (unsigned int k = 0; k < t->nr_by; k++)
			objects |= t->by[k] == KEY_PTR || t->by[k] == KEY_PAGE;
		if (objects)
			return error_set(err, EINVAL,
					 "objects and pages of two recordings have nothing to do "
					 "with each other: use --caller or --by another key");
	}
	return form_check(cli->form, "diff has",
			  HAS_TABLES | HAS_STACKS | HAS_SAMPLES | HAS_TIMELINE, err);
}

static int run_diff(int argc, const char **argv, void *config)
{
	static const struct kmem_report report = {
		"diff", &options, .has_arguments = true, .human = true, .check = check, .run = run};
	struct diff_command c = {.figures = RATES_IF_LENGTHS_DIFFER};

	return kmem_cli_run(&report, &c.cli, &c, config, argc, argv);
}

const struct subcommand kmem_diff = {
	.name = "diff",
	.help = "compare two recordings, or draw a series of snapshots",
	.options = &options,
	.run = run_diff,
};
