// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem stat: from a recording to a report. */
#include "builtin-kmem.h"

#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "util/base/log.h"
#include "util/cli/pager.h"

#define COMMAND "perf kmem"

/* Tables that nobody gave keys get stock's. */
static int set_default_sort(struct report_options *o, struct error *err)
{
	static const struct {
		size_t table;
		const char *keys;
	} defaults[] = {
		{offsetof(struct report_options, slab_caller), "frag,hit,bytes"},
		{offsetof(struct report_options, slab_alloc), "frag,hit,bytes"},
		{offsetof(struct report_options, page_caller), "bytes,hit"},
		{offsetof(struct report_options, page_alloc), "bytes,hit"},
	};

	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++) {
		struct table_options *t = (void *)((char *)o + defaults[i].table);
		enum allocator allocators;
		int ret;

		if (t->sort.nr)
			continue;
		ret = sort_keys_parse(&t->sort, defaults[i].keys, &allocators, err);
		if (ret)
			return ret;
	}
	return 0;
}

/* What the person should know beside the report; none of it stops the work. */
static void warn(const struct kmem_analysis *a)
{
	const struct recording *r = a->recording;
	const struct read_damage *d = &r->damage;

	if (d->what[0])
		log_warn("'%s': %s at offset 0x%" PRIx64 "; %" PRIu64 " records and %" PRIu64
			 " bytes were skipped, the report is of what could be read",
			 r->path, d->what, d->first_pos, d->nr_skipped_records,
			 d->nr_skipped_bytes);
	if (r->nr_unknown_ids)
		log_warn("'%s': %" PRIu64 " samples are of events that the recording does not "
			 "describe",
			 r->path, r->nr_unknown_ids);
	for (size_t i = 0; i < r->nr_events; i++)
		if (r->events[i]->nr_bad)
			log_warn("'%s': %" PRIu64 " samples of %s could not be decoded", r->path,
				 r->events[i]->nr_bad, r->events[i]->name);
	if (d->nr_unknown_records)
		log_info("%" PRIu64 " records of unknown types were skipped",
			 d->nr_unknown_records);
	if (a->symbols.note[0])
		log_warn("%s", a->symbols.note);
	if (!a->symbols.nr_tables && (a->options.by_caller || a->options.by_alloc))
		log_warn("call sites are addresses: %s", a->symbols.why_not);
	if (a->kind_samples[KMEM_SLAB_ALLOC] + a->kind_samples[KMEM_PAGE_ALLOC] && !a->nr_in_window)
		log_warn("no event lies in the time span; the recording runs from %.6f to %.6f",
			 (double)r->first_ns / 1e9, (double)r->last_ns / 1e9);
}

static int print(FILE *out, const struct kmem_cli *cli, const struct kmem_analysis *a)
{
	return report_format(cli->format)(out, a, &cli->report);
}

static int print_to_file(const struct kmem_cli *cli, const struct kmem_analysis *a,
			 struct error *err)
{
	FILE *out = fopen(cli->output, "we");
	int ret, failed;

	if (!out)
		return error_set_errno(err, errno, "cannot write '%s'", cli->output);
	ret = print(out, cli, a);
	failed = ferror(out);
	if (fclose(out) || failed)
		return error_set_errno(err, errno ? errno : EIO, "cannot write '%s'", cli->output);
	return ret ? error_nomem(err) : 0;
}

static int print_to_stdout(const struct kmem_cli *cli, const struct kmem_analysis *a,
			   struct error *err)
{
	struct pager pager = PAGER_INIT;
	int ret = pager_start(&pager, err);

	if (!ret && print(stdout, cli, a))
		ret = error_nomem(err);
	pager_finish(&pager);
	return ret;
}

static int run(const struct kmem_cli *cli, struct error *err)
{
	const struct reader_options reader = {.force = cli->force};
	struct kmem_analysis a;
	struct session *session;
	int ret = session_open(cli->input, &reader, &session, err);

	if (ret)
		return ret;
	ret = kmem_analysis_run(&a, session, &cli->analysis, err);
	if (!ret) {
		warn(&a);
		ret = cli->output ? print_to_file(cli, &a, err) : print_to_stdout(cli, &a, err);
		kmem_analysis_deinit(&a);
	}
	session_free(session);
	return ret;
}

int kmem_stat(int argc, const char **argv, void *context)
{
	struct kmem_cli *cli = context;
	struct error err = ERROR_INIT;
	locale_t locale;
	int status = kmem_parse_options(cli, &argc, argv);

	if (status >= 0)
		return status;
	if (argc) {
		error_set(&err, EINVAL,
			  "'%s': stat takes no arguments (a recording is named with -i)", argv[0]);
		builtin_error(COMMAND, &err);
		return EXIT_USAGE;
	}
	kmem_cli_select_default(cli);
	if (cli->verbose)
		log_set_level(cli->verbose);
	cli->report.verbose = cli->verbose > 0;
	locale = newlocale(LC_NUMERIC_MASK, "", (locale_t)0);
	if (locale)
		cli->report.thousands_sep = nl_langinfo_l(THOUSEP, locale);
	status = EXIT_SUCCESS;
	if (set_default_sort(&cli->report, &err) || run(cli, &err))
		status = builtin_error(COMMAND, &err);
	if (locale)
		freelocale(locale);
	return status;
}
