// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem leak: what was allocated and never freed, and what of that leaks. */
#include "builtin/kmem.h"

#include <errno.h>
#include <string.h>

#include "builtin/command.h"
#include "util/base/log.h"
#include "util/kmem/leak.h"
#include "util/report/leak_column.h"
#include "util/report/leak_report.h"

#define COMMAND "perf kmem leak"

struct leak_context {
	struct leak leak;
	struct kmem_analysis a;
};

static int print(FILE *out, struct kmem_cli *cli, void *ctx)
{
	const struct leak_context *c = ctx;
	const struct cli_table *table = &cli->tables.v[0];
	uint64_t lines = cli->tables.nr && table->has_lines ? table->lines : cli->tables.all_lines;

	if (!strcmp(cli->format, "json"))
		return leak_report_json(out, &c->leak, &c->a, lines);
	if (!strcmp(cli->format, "csv"))
		return leak_report_csv(out, &c->leak, &c->a, &cli->report, lines);
	return leak_report_text(out, &c->leak, &c->a, &cli->report, lines);
}

/* What the rows are by; a key that one allocator does not know chose the other one already. */
static int take_keys(struct kmem_cli *cli, struct leak_sort *sort, struct error *err)
{
	struct table_spec by = {.nr_by = 0};
	const struct table_spec *parts = &cli->analysis.slab_tables[LEAK_PARTS];
	int ret;

	if (cli->tables.nr > 1 || (cli->tables.nr && cli->tables.v[0].kind == TABLE_ALLOC))
		return error_set(err, EINVAL, "leak makes one table: by call site, or one --by");
	if (cli->tables.nr && cli->tables.v[0].kind == TABLE_BY) {
		by.nr_by = cli->tables.v[0].nr_by;
		memcpy(by.by, cli->tables.v[0].by, sizeof(by.by));
	}
	ret = leak_options_prepare(&cli->analysis, &by, cli->stacks, err);
	if (!ret && cli->leak_sort)
		ret = leak_sort_parse(sort, cli->leak_sort, err);
	if (!ret && !(cli->analysis.page && !by.nr_by))
		ret = leak_sort_check(sort, parts->by, parts->nr_shown, err);
	return ret;
}

static bool has_chains(const struct kmem_analysis *a)
{
	return (a->accounts.do_slab && a->kinds.v[KMEM_SLAB_ALLOC].has_chains) ||
	       (a->accounts.do_page && a->kinds.v[KMEM_PAGE_ALLOC].has_chains);
}

static int make_leak(struct leak *l, const struct kmem_cli *cli, const struct kmem_analysis *a)
{
	const struct leak_input in = {
		.slab = a->accounts.do_slab ? &a->accounts.slab : NULL,
		.page = a->accounts.do_page ? &a->accounts.page : NULL,
		.options = &a->options,
		.kinds = &a->kinds,
		.naming = &a->naming,
		.end_ns = kmem_analysis_span(a).stop_ns,
		.min_age_ns = cli->min_age_ns,
	};

	return leak_init(l, &in);
}

static int run(struct kmem_cli *cli, struct error *err)
{
	struct leak_sort sort = {.nr = 0};
	struct leak_context c;
	struct event_source *source = NULL;
	int ret = take_keys(cli, &sort, err);

	if (ret)
		return ret;
	ret = kmem_cli_analyse(cli, cli->input, &source, &c.a, err);
	if (ret)
		return ret;
	if (cli->stacks && !has_chains(&c.a))
		log_warn("'%s' has no callchains for --stack: record with -g", cli->input);
	ret = make_leak(&c.leak, cli, &c.a);
	if (ret) {
		error_nomem(err);
	} else {
		leak_sort_rows(&c.leak.slab, &sort, &c.a);
		leak_sort_rows(&c.leak.page, &sort, &c.a);
		ret = kmem_cli_print(cli, print, &c, err);
		leak_deinit(&c.leak);
	}
	kmem_analysis_deinit(&c.a);
	event_source_free(source);
	return ret;
}

int kmem_leak(int argc, const char **argv, void *context)
{
	struct kmem_cli *cli = context;
	struct error err = ERROR_INIT;
	int status = kmem_parse_options(cli, COMMAND, &argc, argv);

	if (status >= 0)
		return status;
	if (argc)
		error_set(&err, EINVAL,
			  "'%s': leak takes no arguments (a recording is named with -i)", argv[0]);
	else if (!strcmp(cli->format, "folded"))
		error_set(&err, EINVAL,
			  "leak reports as text, json or csv, not as folded (stat --live --format "
			  "folded "
			  "draws what is live)");
	else
		kmem_cli_check(cli, KMEM_LEAK, &err);
	if (err.code) {
		builtin_error(COMMAND, &err);
		return EXIT_USAGE;
	}
	if (kmem_cli_prepare(cli, &err) || run(cli, &err))
		return builtin_error(COMMAND, &err);
	return 0;
}
