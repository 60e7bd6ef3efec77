// SPDX-License-Identifier: GPL-2.0-or-later
/* perf record: its options, and what it tells the person. */
#include "builtin-record.h"
#include "builtin.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/units.h"
#include "util/record/recorder.h"

struct record_cli {
	struct recorder_options options;
	bool stacks;
	bool user_stacks;
	bool raw;
	bool quiet;
	int verbose;
	uint64_t max_stack;
};

static int opt_events(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	(void)unset;
	return event_spec_list_parse(opt->data, arg, err);
}

static int opt_cpus(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	(void)unset;
	return cpulist_parse(opt->data, arg, err);
}

/* As stock: a bare number is pages, a number with a suffix bytes. */
static int opt_buffer(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	uint64_t *bytes = opt->data, page_size = (uint64_t)sysconf(_SC_PAGESIZE), pages;

	(void)unset;
	if (!units_parse_u64(arg, &pages)) {
		if (!pages || pages > (1ULL << 40) / page_size)
			return error_set(err, ERANGE, "'%s' pages is no buffer size", arg);
		*bytes = pages * page_size;
		return 0;
	}
	if (units_parse_size(arg, bytes) || !*bytes || *bytes > 1ULL << 40)
		return error_set(err, EINVAL, "'%s' is neither pages nor a size such as 64M", arg);
	return 0;
}

static int opt_level(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	int *level = opt->data;
	uint64_t n = 1;

	(void)unset;
	if (arg && units_parse_u64_bounded(arg, 0, PACKER_LEVEL_MAX, &n))
		return error_set(err, EINVAL, "'%s' is no level from 0 (none) to %d", arg,
				 PACKER_LEVEL_MAX);
	*level = (int)n;
	return 0;
}

struct pid_list {
	pid_t **pids;
	size_t *nr;
};

static int opt_pids(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	const struct pid_list *list = opt->data;
	_cleanup_free_ char *copy = strdup(arg);
	char *rest = copy, *word;

	(void)unset;
	if (!copy)
		return error_nomem(err);
	while ((word = strsep(&rest, ","))) {
		uint64_t pid;
		pid_t *v;

		if (units_parse_u64_bounded(word, 1, INT32_MAX, &pid))
			return error_set(err, EINVAL, "'%s' is no process or thread id", word);
		v = reallocarray(*list->pids, *list->nr + 1, sizeof(*v));
		if (!v)
			return error_nomem(err);
		v[(*list->nr)++] = (pid_t)pid;
		*list->pids = v;
	}
	return 0;
}

/* The preset's options, then perf record's, as one table; the caller frees it. NULL: no memory. */
static struct option *join_options(const struct option *first, const struct option *second)
{
	const struct option *tables[] = {first, second};
	struct option *all;
	size_t nr = 1, out = 0;

	for (size_t t = 0; t < 2; t++)
		for (const struct option *o = tables[t]; o && o->type != OPTION_END; o++)
			nr++;
	all = reallocarray(NULL, nr, sizeof(*all));
	for (size_t t = 0; all && t < 2; t++)
		for (const struct option *o = tables[t]; o && o->type != OPTION_END; o++)
			all[out++] = *o;
	if (all)
		all[out] = (struct option)OPT_END();
	return all;
}

static int parse(struct record_cli *cli, const struct record_preset *preset, int *argc,
		 const char **argv)
{
	_cleanup_free_ struct option *all = NULL;
	struct error err = ERROR_INIT;
	const char *events;
	struct recorder_options *o = &cli->options;
	struct pid_list pids = {&o->pids, &o->nr_pids}, tids = {&o->tids, &o->nr_tids};
	const struct option table[] = {
		OPT_CALLBACK('e', "event", &o->events, "<event>",
			     "tracepoints: SYSTEM:NAME[/call-graph=no|kernel|user/][,...], globs "
			     "allowed",
			     opt_events),
		OPT_BOOL('a', "all-cpus", &o->system_wide, "the whole system, also with a command"),
		OPT_CALLBACK('C', "cpu", &o->cpus, "<list>", "only these CPUs, such as 0-3,8",
			     opt_cpus),
		OPT_CALLBACK('p', "pid", &pids, "<pid,...>", "only these processes", opt_pids),
		OPT_CALLBACK('t', "tid", &tids, "<tid,...>", "only these threads", opt_pids),
		OPT_U64_BOUNDED('c', "count", &o->period, "<n>", "take each n-th event (1)", 1,
				UINT64_MAX),
		OPT_BOOL('g', NULL, &cli->stacks, "record kernel callchains"),
		OPT_BOOL(0, "user-stacks", &cli->user_stacks, "record user callchains too"),
		OPT_U64_BOUNDED(0, "max-stack", &cli->max_stack, "<n>",
				"frames of a callchain (the kernel's limit)", 1, UINT16_MAX),
		OPT_STRING('o', "output", &o->output, "<file>", "write to this file (perf.data)"),
		OPT_OPTARG_CALLBACK('z', "compression-level", &o->compress_level, "<level>",
				    "compress with zstd, 1 (fast, the default) to 22", opt_level),
		OPT_CALLBACK('m', "mmap-pages", &o->buffer_bytes, "<pages|size>",
			     "buffer per CPU: pages, or a size such as 64M (by the machine's "
			     "memory)",
			     opt_buffer),
		OPT_BOOL('R', "raw-samples", &cli->raw, "accepted: raw data is always recorded"),
		OPT_BOOL(0, "with-self", &o->with_self, "record the recorder's own events too"),
		OPT_BOOL('q', "quiet", &cli->quiet, "print errors only"),
		OPT_COUNT('v', "verbose", &cli->verbose, "tell more"),
		OPT_END(),
	};
	struct options options = {preset->command, preset->usage, NULL};
	int ret;

	all = join_options(preset->options, table);
	if (!all) {
		error_nomem(&err);
		return builtin_error(preset->command, &err);
	}
	options.table = all;
	ret = builtin_options(&options, argc, argv, OPTIONS_STOP_AT_NON_OPTION);
	if (ret >= 0)
		return ret;
	events = o->events.nr ? NULL : preset->events(preset->ctx);
	if (events && event_spec_list_parse(&o->events, events, &err))
		return builtin_error(preset->command, &err);
	if (!o->events.nr)
		return builtin_usage(&options);
	return -1;
}

/* Adds "kmem:kfree 12 (0.1 %)". */
static void add_event_share(struct strbuf *sb, const struct evsel *e, uint64_t nr)
{
	strbuf_addf(sb, "%s%s:%s %" PRIu64 " (%.1f %%)", sb->len ? ", " : "", e->system, e->name,
		    nr, 100.0 * (double)nr / (double)e->count);
}

static void print_lost(const struct evlist *l, uint64_t lost, uint64_t count)
{
	_cleanup_(strbuf_deinit) struct strbuf each = STRBUF_INIT;

	for (size_t i = 0; i < l->nr; i++)
		if (l->evsels[i].lost)
			add_event_share(&each, &l->evsels[i], l->evsels[i].lost);
	fprintf(stderr,
		"[ perf record: lost %" PRIu64 " of %" PRIu64 " events (%.1f %%): %s ]\n"
		"[ perf record: to lose less: a larger buffer (-m), fewer events, no callchains "
		"]\n",
		lost, count, 100.0 * (double)lost / (double)count, each.buf);
}

/*
 * Events that the kernel counted but gave to no buffer.  Seen on 6.18 for frees in softirqs, in
 * buffers that were nowhere near full, with stock as with us; nothing here can help it.
 */
static void print_undelivered(const struct recorder *r)
{
	_cleanup_(strbuf_deinit) struct strbuf each = STRBUF_INIT;
	uint64_t all = 0;

	for (size_t i = 0; i < r->evlist.nr; i++) {
		const struct evsel *e = &r->evlist.evsels[i];
		uint64_t known = r->scan.samples[i] + e->lost;

		if (e->count <= known)
			continue;
		all += e->count - known;
		add_event_share(&each, e, e->count - known);
	}
	if (all)
		fprintf(stderr,
			"[ perf record: the kernel counted %" PRIu64
			" events more than it delivered: %s ]\n",
			all, each.buf);
}

static void print_end(const struct recorder *r)
{
	uint64_t lost = 0, count = 0, samples;

	for (size_t i = 0; i < r->evlist.nr; i++) {
		lost += r->evlist.evsels[i].lost;
		count += r->evlist.evsels[i].count;
	}
	/* What went to a device cannot be read back and counted. */
	samples = r->writer.regular ? r->scan.nr_samples : count - lost;
	fprintf(stderr,
		"[ perf record: Captured and wrote %.3f MB %s (%" PRIu64 " samples, %" PRIu64
		" lost) ]\n",
		(double)r->bytes / (1024 * 1024), r->options->output, samples, lost);
	if (lost)
		print_lost(&r->evlist, lost, count);
	if (r->write_error.code && count > lost + samples)
		fprintf(stderr, "[ perf record: %" PRIu64 " events more could not be written ]\n",
			count - lost - samples);
	else if (r->writer.regular)
		print_undelivered(r);
	if (r->symbols_hidden)
		fprintf(stderr,
			"[ perf record: the kernel hides its addresses, so call sites have no "
			"names; sysctl kernel.kptr_restrict=0 shows them ]\n");
}

/* Something ends the recording by itself: a command, or the tasks that are recorded. */
static bool argv_names_target(const struct recorder_options *o)
{
	return o->command || o->nr_pids || o->nr_tids;
}

static int record(struct record_cli *cli, const struct record_preset *preset)
{
	struct recorder r;
	struct error err = ERROR_INIT;
	int ret = recorder_init(&r, &cli->options, &err), status = EXIT_FAILURE;

	if (!ret)
		ret = recorder_start(&r, &err);
	if (!ret) {
		if (preset->announce && !cli->quiet && !argv_names_target(&cli->options))
			fprintf(stderr, "%s\n", preset->announce);
		ret = recorder_run(&r, &err);
		if (r.write_error.code) {
			builtin_error(preset->command, &r.write_error);
			if (r.workload.pid && !r.signal)
				fprintf(stderr, "[ perf record: recording stopped; waiting for the "
						"command ]\n");
		}
	}
	if (!ret)
		ret = recorder_finish(&r, &err);
	if (ret) {
		builtin_error(preset->command, &err);
		if (r.workload.status)
			status = r.workload.status;
	} else {
		if (!cli->quiet)
			print_end(&r);
		recorder_reap(&r);
		status = r.workload.status;
		if (r.write_error.code && !status)
			status = EXIT_FAILURE;
	}
	recorder_deinit(&r);
	return status;
}

int record_with_preset(const struct record_preset *preset, int argc, const char **argv)
{
	struct record_cli cli = {
		.options = {.output = "perf.data", .version = VERSION, .period = 1},
	};
	int status = parse(&cli, preset, &argc, argv);

	if (status < 0) {
		if (cli.verbose)
			log_set_level(cli.verbose);
		cli.options.callchain = cli.user_stacks ? CALLCHAIN_USER
					: cli.stacks	? CALLCHAIN_KERNEL
							: CALLCHAIN_NONE;
		cli.options.max_stack = (unsigned int)cli.max_stack;
		cli.options.system_wide |=
			preset->system_wide && !cli.options.nr_pids && !cli.options.nr_tids;
		cli.options.command = argc ? (char *const *)argv : NULL;
		status = record(&cli, preset);
	}
	event_spec_list_deinit(&cli.options.events);
	cpulist_deinit(&cli.options.cpus);
	free(cli.options.pids);
	free(cli.options.tids);
	return status;
}

static const char *no_events(void *ctx)
{
	(void)ctx;
	return NULL;
}

int cmd_record(int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf record -e <event> [<options>] [--] [<command>]",
		NULL,
	};
	static const struct record_preset plain = {
		.command = "perf record",
		.usage = usage,
		.events = no_events,
	};

	return record_with_preset(&plain, argc, argv);
}
