// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem where: where the memory of this machine, or of a snapshot, is. */
#include <errno.h>

#include "builtin/command.h"
#include "builtin/kmem/common.h"
#include "util/where/where_report.h"

struct where_command {
	struct kmem_cli cli;
	const char *input; /* NULL: this machine */
	const char *since; /* NULL: no comparison */
	uint64_t lines;	   /* 0: the default */
};

static const struct option table[] = {
	OPT_GROUP("Contents"),
	OPT_STRING(0, "since", struct where_command, since, "<snapshot>",
		   "what grew since this snapshot, and how fast"),
	OPT_U64_BOUNDED('l', "line", struct where_command, lines, "<n>",
			"print at most n lines below each line of the first level (4, without the "
			"smallest)",
			1, UINT64_MAX),
	OPT_GROUP("How to show it"),
	OPT_INCLUDE_FOR(struct where_command, cli, kmem_table_format_options),
	OPT_BOOL('h', "human", struct where_command, cli.report.human,
		 "bytes as 1.2 MiB (the default; --no-human: exact)"),
	OPT_STRING('o', "output", struct where_command, cli.output, "<file>",
		   "write the report to a file; with --format csv also to FOLDER/, one file per "
		   "table"),
	OPT_STRING(0, "table", struct where_command, cli.tables_to.only, "<name>",
		   "with --format csv: the one table to write, where there are several"),
	OPT_INCLUDE_FOR(struct where_command, cli, kmem_rows_options),
	OPT_BOOL('q', "quiet", struct where_command, cli.input.quiet, "no opening lines"),
	OPT_GROUP("The input"),
	OPT_STRING('i', "input", struct where_command, input, "<file>",
		   "a snapshot instead of this machine (- for a pipe)"),
	OPT_BOOL('f', "force", struct where_command, cli.input.force,
		 "read it even if it is someone else's"),
	OPT_END(),
};
static const char *const usage[] = {
	"perf kmem where [<options>]",
	"perf kmem where [<options>] <old snapshot> <new snapshot>",
	NULL,
};
static const struct options options = {"perf kmem where", usage, table,
				       .siblings = kmem_subcommands};

static int print(FILE *out, struct kmem_cli *cli, void *ctx, struct error *err)
{
	return report_write(out, cli->form, &cli->report, where_report_build, ctx, err);
}

static int read_side(struct where_command *c, const char *path, bool is_old,
		     struct where_side *side, struct error *err)
{
	int ret;

	where_texts_init(&side->texts);
	ret = path ? where_texts_read_snapshot(&side->texts, path, is_old, c->cli.input.force, err)
		   : where_texts_read_host(&side->texts, "", err);
	if (!ret)
		ret = partition_init(&side->partition, &side->texts);
	if (ret == -ENOMEM)
		ret = error_nomem(err);
	else if (ret && !err->code)
		ret = error_set(err, EINVAL, "the meminfo of '%s' has no MemTotal",
				side->texts.facts.path);
	c->cli.input.partial |= side->texts.facts.damage.truncated;
	if (ret)
		where_texts_deinit(&side->texts);
	return ret;
}

static void free_side(struct where_side *side)
{
	partition_deinit(&side->partition);
	where_texts_deinit(&side->texts);
}

static int show(struct where_command *c, const struct where_side *old, const struct where_side *new,
		struct error *err)
{
	char called[BUILTIN_NAME_MAX];
	struct where_report report = {
		.old = old,
		.new = new,
		.lines = c->lines,
		.header = c->cli.report.header,
		.advice = {builtin_called("perf kmem", called, sizeof(called)), kmem_has_account},
	};
	int ret;

	where_report_init(&report);
	ret = kmem_cli_print(&c->cli, print, &report, err);
	where_report_deinit(&report);
	return ret;
}

static int run(void *command, const char **argv, struct error *err)
{
	struct where_command *c = command;
	struct where_side old, new;
	int ret = kmem_cli_prepare(&c->cli, err);

	if (!ret && argv[0]) {
		c->since = argv[0];
		c->input = argv[1];
	}
	if (c->lines)
		c->cli.metrics.limit = c->lines;
	if (!ret && c->since)
		ret = read_side(c, c->since, true, &old, err);
	if (ret)
		return ret;
	ret = read_side(c, c->input, false, &new, err);
	if (!ret) {
		ret = show(c, c->since ? &old : NULL, &new, err);
		free_side(&new);
	}
	if (c->since)
		free_side(&old);
	return ret;
}

static int check(void *command, int argc, const char **argv, struct error *err)
{
	const struct where_command *c = command;

	(void)argv;
	if (argc && (argc != 2 || c->since || c->input))
		return error_set(err, EINVAL,
				 "where takes two snapshots, an old and a new one, or none (-i "
				 "names one, --since the old one)");
	return form_check(c->cli.form, "where has", HAS_TABLES | HAS_METRICS, err);
}

static int run_where(int argc, const char **argv, void *config)
{
	static const struct kmem_report report = {
		"where",       &options,       .has_arguments = true,
		.human = true, .check = check, .run = run};
	struct where_command c = {.input = NULL};

	return kmem_cli_run(&report, &c.cli, &c, config, argc, argv);
}

const struct subcommand kmem_where = {
	.name = "where",
	.help = "show where the memory is, and who holds it",
	.options = &options,
	.run = run_where,
};
