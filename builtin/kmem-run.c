// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem: what all subcommands that read a recording do around their report. */
#include "builtin/kmem.h"

#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/log.h"
#include "util/cli/pager.h"
#include "util/cli/terminal.h"
#include "util/kmem/naming.h"

static void warn_stopped(const struct source_facts *r)
{
	char far[SOURCE_STOP_BUF];

	log_warn("'%s': stopped at %s, the last event at %.6f s; what comes later is not counted",
		 r->path, source_facts_stop_text(r, far, sizeof(far)), (double)r->last_ns / 1e9);
}

static void warn_filter(const struct kmem_analysis *a)
{
	struct strbuf sb = STRBUF_INIT;

	if (a->decoding.has_filter &&
	    kmem_filter_explain(a->options.filter, &a->decoding.tally, &a->decoding.facts,
				&a->naming.gfp.names, &sb))
		log_warn("%s", sb.buf);
	strbuf_deinit(&sb);
}

static void warn_bad_samples(const struct source_facts *r)
{
	const char *first = NULL;
	uint64_t nr = 0;
	size_t others = 0;

	for (size_t i = 0; i < r->nr_events; i++) {
		if (!r->events[i]->nr_bad)
			continue;
		nr += r->events[i]->nr_bad;
		others += first != NULL;
		first = first ? first : r->events[i]->name;
	}
	if (others)
		log_warn("'%s': %" PRIu64
			 " samples of %s and %zu other events could not be decoded",
			 r->path, nr, first, others);
	else if (nr)
		log_warn("'%s': %" PRIu64 " samples of %s could not be decoded", r->path, nr,
			 first);
}

/* What the person should know beside the report; none of it stops the work. */
static void warn(const struct kmem_analysis *a)
{
	const struct source_facts *r = a->recording;
	const struct source_damage *d = &r->damage;
	const struct source_span span = source_facts_span(r);
	bool callsites = a->options.nr_slab_tables || a->options.nr_page_tables;
	uint64_t undelivered = 0;

	if (r->stop.stopped)
		warn_stopped(r);
	if (d->what[0])
		log_warn("'%s': %s at offset 0x%" PRIx64 "; %" PRIu64 " records and %" PRIu64
			 " bytes were skipped, the report is of what could be read",
			 r->path, d->what, d->first_pos, d->nr_skipped_records,
			 d->nr_skipped_bytes);
	if (r->nr_unknown_ids)
		log_warn("'%s': %" PRIu64 " samples are of events that the recording does not "
			 "describe",
			 r->path, r->nr_unknown_ids);
	warn_bad_samples(r);
	for (size_t i = 0; i < r->nr_events; i++)
		undelivered += r->events[i]->nr_undelivered;
	/* a few in a thousand are missing on every busy machine */
	if (undelivered > (undelivered + r->nr_samples) / 100)
		log_warn("'%s': %" PRIu64
			 " events (%.1f%%) were counted but never delivered, most of them frees by "
			 "softirqs over an idle CPU: what those freed is shown as live",
			 r->path, undelivered,
			 100.0 * (double)undelivered / (double)(undelivered + r->nr_samples));
	if (source_facts_period(r) > 1)
		log_warn("'%s': one event of %" PRIu64
			 " was recorded (record -c): each figure counts only those, and most "
			 "frees of what is shown as live were not recorded",
			 r->path, source_facts_period(r));
	if (d->nr_unknown_records)
		log_info("%" PRIu64 " records of unknown types were skipped",
			 d->nr_unknown_records);
	if (a->options.filter && a->options.filter->nr &&
	    (a->accounts.do_percpu || a->accounts.do_extfrag))
		log_warn("the filters leave --percpu and --extfrag as they are: those are of the "
			 "whole system");
	warn_filter(a);
	if (kmem_symbol_file_is_useless(a))
		log_warn("'%s' names no address of '%s': it is of another kernel or boot",
			 a->options.kallsyms_path, r->path);
	if (a->naming.symbols.note[0])
		log_warn("%s", a->naming.symbols.note);
	if (!a->naming.symbols.nr_tables && callsites)
		log_warn("call sites are addresses: %s", a->naming.symbols.why_not);
	if (r->nr_samples && !a->accounts.nr_in_window)
		log_warn("no event lies in the time span; the recording runs from %.6f to %.6f",
			 (double)span.start_ns / 1e9, (double)span.stop_ns / 1e9);
}

int kmem_cli_analyse(struct kmem_cli *cli, const char *path, struct event_source **ret_source,
		     struct kmem_analysis *a, struct error *err)
{
	int ret = kmem_cli_read(cli, path, ret_source, a, err);

	if (!ret)
		warn(a);
	return ret;
}

static int print_to_file(struct kmem_cli *cli,
			 int (*print)(FILE *out, struct kmem_cli *cli, void *ctx), void *ctx,
			 struct error *err)
{
	FILE *out = fopen(cli->output, "we");
	int ret, failed;

	if (!out)
		return error_set_errno(err, errno, "cannot write '%s'", cli->output);
	ret = print(out, cli, ctx);
	failed = ferror(out);
	if (fclose(out) || failed)
		return error_set_errno(err, errno ? errno : EIO, "cannot write '%s'", cli->output);
	return ret ? error_nomem(err) : 0;
}

int kmem_cli_print(struct kmem_cli *cli, int (*print)(FILE *out, struct kmem_cli *cli, void *ctx),
		   void *ctx, struct error *err)
{
	struct pager pager = PAGER_INIT;
	int ret;

	if (cli->output)
		return print_to_file(cli, print, ctx, err);
	/* wide when piped, as stock's */
	if (isatty(STDOUT_FILENO))
		cli->report.columns = terminal_columns(STDOUT_FILENO);
	ret = pager_start(&pager, err);
	if (!ret && print(stdout, cli, ctx))
		ret = error_nomem(err);
	/* a pager that is not there must not cost the report */
	if (!pager_finish(&pager) && !ret && print(stdout, cli, ctx))
		ret = error_nomem(err);
	return ret;
}

static void set_thousands_sep(struct kmem_cli *cli)
{
	locale_t locale = newlocale(LC_NUMERIC_MASK, "", (locale_t)0);

	if (!locale)
		return;
	cli->thousands_sep = strdup(nl_langinfo_l(THOUSEP, locale));
	if (cli->thousands_sep)
		cli->report.thousands_sep = cli->thousands_sep;
	freelocale(locale);
}

/* A column that is worked out of histograms is asked for. */
static bool wants_lifetimes(const struct kmem_cli *cli)
{
	bool wants = false;

	for (unsigned int i = 0; i < cli->report.fields.nr; i++)
		wants |= column_needs_lifetimes(cli->report.fields.v[i]);
	for (unsigned int t = 0; t < TABLES_MAX; t++) {
		const struct sort_keys *keys[] = {&cli->report.slab[t].sort,
						  &cli->report.page[t].sort};

		for (unsigned int k = 0; k < 2; k++)
			for (unsigned int i = 0; i < keys[k]->nr; i++)
				wants |= column_needs_lifetimes(keys[k]->v[i].column);
	}
	return wants;
}

const char *kmem_cli_kallsyms(const struct kmem_cli *cli, unsigned int recording)
{
	unsigned int i = recording < cli->nr_kallsyms ? recording : 0;

	return cli->nr_kallsyms && *cli->kallsyms[i] ? cli->kallsyms[i] : NULL;
}

int kmem_cli_prepare(struct kmem_cli *cli, struct error *err)
{
	int ret = 0;

	kmem_cli_select_default(cli);
	cli->analysis.kallsyms_path = kmem_cli_kallsyms(cli, 0);
	if (cli->verbose)
		log_set_level(cli->verbose);
	if (cli->quiet)
		log_set_level(LOG_QUIET);
	cli->report.verbose = cli->verbose > 0;
	cli->report.header = !cli->quiet && !cli->report.stock_style;
	set_thousands_sep(cli);
	cli->analysis.max_stack = (unsigned int)cli->max_stack;
	cli->analysis.filter = &cli->filter;
	if (!cli->report.weight)
		cli->report.weight = column_find("bytes", strlen("bytes"));
	if ((cli->analysis.percpu || cli->analysis.extfrag) && !strcmp(cli->format, "folded"))
		return error_set(err, EINVAL,
				 "--percpu and --extfrag have no stacks to fold (--format text, "
				 "json or csv)");
	if (!strcmp(cli->format, "folded") && !cli->tables.nr)
		ret = kmem_cli_add_table(cli, TABLE_BY, "stack", err);
	if (ret)
		return ret;
	ret = kmem_cli_build_tables(cli, err);
	cli->analysis.lifetimes = cli->report.lifetimes || wants_lifetimes(cli);
	return ret;
}
