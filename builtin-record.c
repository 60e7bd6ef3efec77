// SPDX-License-Identifier: GPL-2.0-or-later
/* perf record: its options, and what it tells the person. */
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

static int parse(struct record_cli *cli, int *argc, const char **argv)
{
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
	static const char *const usage[] = {
		"perf record -e <event> [<options>] [--] [<command>]",
		NULL,
	};
	const struct options options = {"perf record", usage, table};
	int ret = builtin_options(&options, argc, argv, OPTIONS_STOP_AT_NON_OPTION);

	if (ret >= 0)
		return ret;
	if (!o->events.nr)
		return builtin_usage(&options);
	return -1;
}

/* "kmem:kfree 12 (0.1 %)" for each event that lost some */
static void print_lost(const struct evlist *l, uint64_t lost, uint64_t count)
{
	_cleanup_(strbuf_deinit) struct strbuf each = STRBUF_INIT;

	for (size_t i = 0; i < l->nr; i++) {
		const struct evsel *e = &l->evsels[i];

		if (e->lost)
			strbuf_addf(&each, "%s%s:%s %" PRIu64 " (%.1f %%)", each.len ? ", " : "",
				    e->system, e->name, e->lost,
				    100.0 * (double)e->lost / (double)e->count);
	}
	fprintf(stderr,
		"[ perf record: lost %" PRIu64 " of %" PRIu64 " events (%.1f %%): %s ]\n"
		"[ perf record: to lose less: a larger buffer (-m), fewer events, no callchains "
		"]\n",
		lost, count, 100.0 * (double)lost / (double)count, each.buf);
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
	if (r->symbols_hidden)
		fprintf(stderr,
			"[ perf record: the kernel hides its addresses, so call sites have no "
			"names; sysctl kernel.kptr_restrict=0 shows them ]\n");
}

static int record(struct record_cli *cli)
{
	struct recorder r;
	struct error err = ERROR_INIT;
	int ret = recorder_init(&r, &cli->options, &err), status = EXIT_FAILURE;

	if (!ret)
		ret = recorder_start(&r, &err);
	if (!ret) {
		ret = recorder_run(&r, &err);
		if (r.write_error.code) {
			builtin_error("perf record", &r.write_error);
			if (r.workload.pid && !r.signal)
				fprintf(stderr, "[ perf record: recording stopped; waiting for the "
						"command ]\n");
		}
	}
	if (!ret)
		ret = recorder_finish(&r, &err);
	if (ret) {
		builtin_error("perf record", &err);
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

int cmd_record(int argc, const char **argv)
{
	struct record_cli cli = {
		.options = {.output = "perf.data", .version = VERSION, .period = 1},
	};
	int status = parse(&cli, &argc, argv);

	if (status < 0) {
		if (cli.verbose)
			log_set_level(cli.verbose);
		cli.options.callchain = cli.user_stacks ? CALLCHAIN_USER
					: cli.stacks	? CALLCHAIN_KERNEL
							: CALLCHAIN_NONE;
		cli.options.max_stack = (unsigned int)cli.max_stack;
		cli.options.command = argc ? (char *const *)argv : NULL;
		status = record(&cli);
	}
	event_spec_list_deinit(&cli.options.events);
	cpulist_deinit(&cli.options.cpus);
	free(cli.options.pids);
	free(cli.options.tids);
	return status;
}
