// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem leak: what was allocated and never freed. */
#include "builtin-kmem.h"

#include <errno.h>
#include <string.h>

#include "builtin.h"
#include "util/kmem/leak.h"
#include "util/report/leak_report.h"

#define COMMAND "perf kmem leak"

struct leak_context {
	struct leak leak;
	struct kmem_analysis a;
};

static int print(FILE *out, struct kmem_cli *cli, void *ctx)
{
	const struct leak_context *c = ctx;
	uint64_t lines = cli->tables.all_lines;

	if (!strcmp(cli->format, "json"))
		return leak_report_json(out, &c->leak, &c->a, lines);
	return leak_report_text(out, &c->leak, &c->a, &cli->report, lines);
}

static int run(struct kmem_cli *cli, struct error *err)
{
	struct leak_context c;
	struct session *session = NULL;
	int ret;

	leak_options_prepare(&cli->analysis, cli->stacks);
	ret = kmem_cli_analyse(cli, cli->input, &session, &c.a, err);
	if (ret)
		return ret;
	ret = leak_init(&c.leak, &c.a, cli->min_age_ns);
	if (ret) {
		error_nomem(err);
	} else {
		ret = kmem_cli_print(cli, print, &c, err);
		leak_deinit(&c.leak);
	}
	kmem_analysis_deinit(&c.a);
	session_free(session);
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
	else if (strcmp(cli->format, "text") != 0 && strcmp(cli->format, "json") != 0)
		error_set(&err, EINVAL, "leak reports as text or json, not %s", cli->format);
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
