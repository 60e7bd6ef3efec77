// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem stat: from a recording to a report. */
#include "builtin/kmem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "builtin/command.h"

#define COMMAND "perf kmem stat"

static int print(FILE *out, struct kmem_cli *cli, void *ctx)
{
	return report_format(cli->format)(out, ctx, &cli->report);
}

static int check_whole(const struct kmem_analysis *a, struct error *err)
{
	if (!a->recording->stop.stopped)
		return 0;
	return error_set(err, ECANCELED, "'%s': stopped before the peak was found",
			 a->recording->path);
}

/* Read once to find the moments of the most live bytes: the second reading stops there. */
static int find_peaks(struct kmem_cli *cli, struct error *err)
{
	struct kmem_options full = cli->analysis;
	struct kmem_analysis a;
	struct event_source *source = NULL;
	int ret;

	if (!strcmp(cli->input, "-"))
		return error_set(err, ESPIPE,
				 "--peak reads the recording twice, and a pipe can be read only "
				 "once: save it to a file");
	cli->analysis.nr_slab_tables = cli->analysis.nr_page_tables = 0;
	ret = kmem_cli_analyse(cli, cli->input, &source, &a, err);
	cli->analysis = full;
	if (ret)
		return ret;
	ret = check_whole(&a, err);
	cli->analysis.slab_stop = a.accounts.slab_peak.event;
	cli->analysis.page_stop = a.accounts.page_peak.event;
	cli->report.live = cli->report.peak = true;
	kmem_analysis_deinit(&a);
	event_source_free(source);
	return ret;
}

static int run(struct kmem_cli *cli, struct error *err)
{
	struct kmem_analysis a;
	struct event_source *source = NULL;
	int ret = cli->peak ? find_peaks(cli, err) : 0;

	if (!ret)
		ret = kmem_cli_analyse(cli, cli->input, &source, &a, err);
	if (ret)
		return ret;
	if (cli->peak)
		ret = check_whole(&a, err);
	if (!ret)
		ret = kmem_cli_print(cli, print, &a, err);
	kmem_analysis_deinit(&a);
	event_source_free(source);
	return ret;
}

int kmem_stat(int argc, const char **argv, void *context)
{
	struct kmem_cli *cli = context;
	struct error err = ERROR_INIT;
	int status = kmem_parse_options(cli, COMMAND, &argc, argv);

	if (status >= 0)
		return status;
	if (argc)
		error_set(&err, EINVAL,
			  "'%s': stat takes no arguments (a recording is named with -i)", argv[0]);
	else
		kmem_cli_check(cli, KMEM_STAT, &err);
	if (err.code) {
		builtin_error(COMMAND, &err);
		return EXIT_USAGE;
	}
	if (kmem_cli_prepare(cli, &err) || run(cli, &err))
		return builtin_error(COMMAND, &err);
	return 0;
}
