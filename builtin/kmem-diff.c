// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem diff: two recordings side by side. */
#include "builtin/kmem.h"

#include <errno.h>
#include <string.h>

#include "builtin/command.h"
#include "util/report/diff.h"

#define COMMAND "perf kmem diff"

static int print(FILE *out, struct kmem_cli *cli, void *ctx)
{
	const struct diff *d = ctx;
	uint64_t lines = cli->tables.all_lines;

	if (cli->tables.nr && cli->tables.v[0].has_lines)
		lines = cli->tables.v[0].lines;
	if (!strcmp(cli->format, "json"))
		return diff_report_json(out, d, lines);
	if (!strcmp(cli->format, "csv"))
		return diff_report_csv(out, d, lines);
	return diff_report_text(out, d, &cli->report, lines);
}

/* One file cannot name the addresses of two kernels: it would name one of them wrongly. */
static int check_kallsyms(const struct kmem_cli *cli, const struct source_facts *old,
			  const struct source_facts *new, struct error *err)
{
	if (cli->nr_kallsyms != 1 || diff_same_kernel(old, new))
		return 0;
	return error_set(
		err, EINVAL,
		"the recordings are of different kernels, and --kallsyms names the symbols "
		"of one: give it twice, for the old and then for the new one ('' for none)");
}

static int compare(struct kmem_cli *cli, const struct kmem_analysis *old,
		   const struct kmem_analysis *new, struct error *err)
{
	struct diff d;
	int ret;

	if (diff_init(&d, old, new, cli->per_second))
		return error_nomem(err);
	ret = kmem_cli_print(cli, print, &d, err);
	diff_deinit(&d);
	return ret;
}

/* Both recordings are reported for the allocators that the old one holds. */
static int run(struct kmem_cli *cli, const char *old, const char *new, struct error *err)
{
	struct event_source *sources[DIFF_SIDES];
	struct kmem_analysis a[DIFF_SIDES];
	int ret = kmem_cli_analyse(cli, old, &sources[DIFF_OLD], &a[DIFF_OLD], err);

	if (ret)
		return ret;
	cli->analysis.slab = a[DIFF_OLD].accounts.do_slab;
	cli->analysis.page = a[DIFF_OLD].accounts.do_page;
	cli->analysis.kallsyms_path = kmem_cli_kallsyms(cli, DIFF_NEW);
	ret = kmem_cli_analyse(cli, new, &sources[DIFF_NEW], &a[DIFF_NEW], err);
	if (!ret) {
		ret = check_kallsyms(cli, a[DIFF_OLD].recording, a[DIFF_NEW].recording, err);
		if (!ret)
			ret = compare(cli, &a[DIFF_OLD], &a[DIFF_NEW], err);
		kmem_analysis_deinit(&a[DIFF_NEW]);
		event_source_free(sources[DIFF_NEW]);
	}
	kmem_analysis_deinit(&a[DIFF_OLD]);
	event_source_free(sources[DIFF_OLD]);
	return ret;
}

static int check_tables(const struct kmem_cli *cli, struct error *err)
{
	for (unsigned int i = 0; i < cli->tables.nr; i++) {
		const struct cli_table *t = &cli->tables.v[i];
		bool objects = t->kind == TABLE_ALLOC;

		for (unsigned int k = 0; k < t->nr_by; k++)
			objects |= t->by[k] == KEY_PTR || t->by[k] == KEY_PAGE;
		if (objects)
			return error_set(err, EINVAL,
					 "objects and pages of two recordings have nothing to do "
					 "with each other: use --caller or --by another key");
	}
	if (!strcmp(cli->format, "folded"))
		return error_set(err, EINVAL, "diff reports as text, json or csv, not folded");
	return 0;
}

int kmem_diff(int argc, const char **argv, void *context)
{
	struct kmem_cli *cli = context;
	struct error err = ERROR_INIT;
	int status = kmem_parse_options(cli, COMMAND, &argc, argv);

	if (status >= 0)
		return status;
	if (argc != 2)
		error_set(&err, EINVAL, "diff needs two recordings, an old and a new one");
	else if (!kmem_cli_check(cli, KMEM_DIFF, &err))
		check_tables(cli, &err);
	if (err.code) {
		builtin_error(COMMAND, &err);
		return EXIT_USAGE;
	}
	if (!cli->tables.nr && kmem_cli_add_table(cli, TABLE_BY, "callsite", &err))
		return builtin_error(COMMAND, &err);
	if (kmem_cli_prepare(cli, &err) || run(cli, argv[0], argv[1], &err))
		return builtin_error(COMMAND, &err);
	return 0;
}
