// SPDX-License-Identifier: GPL-2.0-or-later
/* perf record: its options, and what it prints about the recording. */
#include "builtin/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "builtin/command.h"
#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/units.h"
#include "util/cli/status_line.h"

static int opt_events(const struct option *opt, void *into, const char *arg, bool unset,
		      struct error *err)
{
	struct record_cli *cli = into;

	(void)opt, (void)unset;
	return event_spec_list_parse(&cli->options.events, arg, err);
}

static int opt_cpus(const struct option *opt, void *into, const char *arg, bool unset,
		    struct error *err)
{
	struct record_cli *cli = into;
	struct cpulist *cpus = &cli->options.cpus;
	int ret = cpulist_parse(cpus, arg, err);

	(void)opt, (void)unset;
	if (!ret && !cpus->nr)
		return error_set(err, EINVAL, "'%s' names no CPU; all of them: without -C", arg);
	return ret;
}

/* As in stock: a bare number is pages, a number with a suffix bytes. */
static int opt_buffer(const struct option *opt, void *into, const char *arg, bool unset,
		      struct error *err)
{
	struct record_cli *cli = into;
	uint64_t *bytes = &cli->options.buffer_bytes, page_size = (uint64_t)sysconf(_SC_PAGESIZE),
		 pages;

	(void)opt, (void)unset;
	if (!units_parse_u64(arg, &pages)) {
		if (!pages || pages > (1ULL << 40) / page_size)
			return error_set(err, ERANGE, "'%s' pages is not a buffer size", arg);
		*bytes = pages * page_size;
		return 0;
	}
	if (units_parse_size(arg, bytes) || !*bytes || *bytes > 1ULL << 40)
		return error_set(err, EINVAL, "'%s' is neither pages nor a size such as 64M", arg);
	return 0;
}

static int opt_level(const struct option *opt, void *into, const char *arg, bool unset,
		     struct error *err)
{
	struct record_cli *cli = into;
	uint64_t n = 1;

	(void)opt, (void)unset;
	if (arg && units_parse_u64_bounded(arg, 0, PACKER_LEVEL_MAX, &n))
		return error_set(err, EINVAL, "'%s' is not a level from 0 (none) to %d", arg,
				 PACKER_LEVEL_MAX);
	cli->options.compress_level = (int)n;
	return 0;
}

/* Append the numbers of a comma-separated list. */
static int add_ids(pid_t **ids, size_t *nr, const char *text, struct error *err)
{
	_cleanup_free_ char *copy = strdup(text);
	char *rest = copy, *word;

	if (!copy)
		return error_nomem(err);
	while ((word = strsep(&rest, ","))) {
		uint64_t id;
		pid_t *v;

		if (units_parse_u64_bounded(word, 1, INT32_MAX, &id))
			return error_set(err, EINVAL, "'%s' is not a process or thread id", word);
		v = reallocarray(*ids, *nr + 1, sizeof(*v));
		if (!v)
			return error_nomem(err);
		v[(*nr)++] = (pid_t)id;
		*ids = v;
	}
	return 0;
}

static int opt_pids(const struct option *opt, void *into, const char *arg, bool unset,
		    struct error *err)
{
	struct record_cli *cli = into;

	(void)opt, (void)unset;
	return add_ids(&cli->options.pids, &cli->options.nr_pids, arg, err);
}

static int opt_tids(const struct option *opt, void *into, const char *arg, bool unset,
		    struct error *err)
{
	struct record_cli *cli = into;

	(void)opt, (void)unset;
	return add_ids(&cli->options.tids, &cli->options.nr_tids, arg, err);
}

static int opt_filter(const struct option *opt, void *into, const char *arg, bool unset,
		      struct error *err)
{
	struct record_cli *cli = into;
	struct recorder_options *o = &cli->options;

	(void)opt, (void)unset;
	if (o->events.nr)
		return event_spec_list_filter(&o->events, arg, err);
	o->filter = arg;
	return 0;
}

static int opt_delay(const struct option *opt, void *into, const char *arg, bool unset,
		     struct error *err)
{
	struct record_cli *cli = into;

	(void)opt, (void)unset;
	if (units_parse_time(arg, 1000000, &cli->options.delay_ns))
		return error_set(err, EINVAL, "'%s' is not a time such as 500ms or 10s", arg);
	return 0;
}

static int opt_duration(const struct option *opt, void *into, const char *arg, bool unset,
			struct error *err)
{
	struct record_cli *cli = into;
	uint64_t *ns = &cli->options.duration_ns;

	(void)opt, (void)unset;
	if (units_parse_time(arg, 1000000000, ns) || !*ns)
		return error_set(err, EINVAL, "'%s' is not a time such as 10s, 5m or 2h", arg);
	return 0;
}

static int opt_snapshot_on(const struct option *opt, void *into, const char *arg, bool unset,
			   struct error *err)
{
	struct record_cli *cli = into;
	struct recorder_options *o = &cli->options;

	(void)opt, (void)unset;
	if (!*arg)
		return error_set(err, EINVAL, "wants exit, signal or a file");
	cli->snapshot_on = true;
	if (!strcasecmp(arg, "exit"))
		o->triggers |= TRIGGER_EXIT;
	else if (!strcasecmp(arg, "signal"))
		o->triggers |= TRIGGER_SIGNAL;
	else
		o->trigger_file = arg;
	return 0;
}

/* A size has an upper-case suffix (100M), a time a lower-case one (10m), as in stock. */
static int opt_switch_output(const struct option *opt, void *into, const char *arg, bool unset,
			     struct error *err)
{
	struct record_cli *cli = into;
	struct recorder_options *o = &cli->options;

	(void)opt, (void)unset;
	cli->switch_output = true;
	if (!arg || !strcmp(arg, "signal"))
		o->triggers |= TRIGGER_SIGNAL;
	else if (strpbrk(arg, "BKMGT") && !units_parse_size(arg, &o->switch_bytes) &&
		 o->switch_bytes)
		return 0;
	else if (units_parse_time(arg, 0, &o->switch_ns) || !o->switch_ns)
		return error_set(err, EINVAL,
				 "'%s' is neither 'signal' nor a size such as 100M nor a time such "
				 "as 10s",
				 arg);
	return 0;
}

const struct option record_options[] = {
	OPT_GROUP("What to record"),
	OPT_CALLBACK('e', "event", "<event>",
		     "tracepoints: SYSTEM:NAME[/call-graph=no|kernel|user/][,...], globs "
		     "allowed",
		     opt_events),
	OPT_CALLBACK(0, "filter", "<expression>",
		     "only events that match, such as 'bytes_alloc > 4096': those of the -e "
		     "before it, or else all that have the field",
		     opt_filter),
	OPT_BOOL('a', "all-cpus", struct record_cli, options.system_wide,
		 "the whole system, also with a command"),
	OPT_CALLBACK('C', "cpu", "<list>", "only these CPUs, such as 0-3,8", opt_cpus),
	OPT_CALLBACK('p', "pid", "<pid,...>", "only these processes", opt_pids),
	OPT_CALLBACK('t', "tid", "<tid,...>", "only these threads", opt_tids),
	OPT_STRING('G', "cgroup", struct record_cli, options.cgroup, "<name>",
		   "only the tasks of this cgroup"),
	OPT_CALLBACK('D', "delay", "<time>",
		     "start recording after this time (milliseconds, or 10s)", opt_delay),
	OPT_CALLBACK(0, "duration", "<time>", "record for this long (seconds, or 500ms, 5m, 2h)",
		     opt_duration),
	OPT_BOOL(0, "with-self", struct record_cli, options.with_self,
		 "record the recorder's own events too"),
	OPT_U64_BOUNDED('c', "count", struct record_cli, options.period, "<n>",
			"record every n-th event (1)", 1, UINT64_MAX),
	OPT_BOOL('g', "stacks", struct record_cli, stacks, "record kernel callchains"),
	OPT_BOOL(0, "user-stacks", struct record_cli, user_stacks, "record user callchains too"),
	OPT_U64_BOUNDED(0, "max-stack", struct record_cli, max_stack, "<n>",
			"frames of a callchain (the kernel's limit)", 1, UINT16_MAX),
	OPT_GROUP("Where to"),
	OPT_STRING('o', "output", struct record_cli, options.output, "<file>",
		   "write to this file (perf.data)"),
	OPT_OPTARG_CALLBACK('z', "compression-level", "<level>",
			    "compress with zstd, 1 (fast, the default) to 22; 0: do not",
			    opt_level),
	OPT_CALLBACK('m', "mmap-pages", "<pages|size>",
		     "buffer per CPU: pages, or a size such as 64M (by the machine's "
		     "memory)",
		     opt_buffer),
	OPT_SIZE_BOUNDED(0, "max-size", struct record_cli, options.max_bytes, "<size>",
			 "stop once this much has been written", 1, UINT64_MAX),
	OPT_OPTARG_CALLBACK(
		0, "switch-output", "signal|<size>|<time>",
		"start a new file on SIGUSR2, or after this much data or time (100M, 10s)",
		opt_switch_output),
	OPT_U64_BOUNDED(0, "max-files", struct record_cli, options.max_files, "<n>",
			"keep only the newest n of these files", 1, UINT64_MAX),
	OPT_HIDDEN(OPTION_U64, 0, "switch-max-files", struct record_cli, options.max_files,
		   .min = 1, .max = UINT64_MAX),
	OPT_BOOL(0, "overwrite", struct record_cli, options.overwrite,
		 "flight recorder: keep the newest events in memory, write snapshots"),
	OPT_CALLBACK(0, "snapshot-on", "exit|signal|<file>",
		     "when to write a snapshot: at the end, on SIGUSR2 (both by default), or "
		     "when the file appears",
		     opt_snapshot_on),
	OPT_BOOL(0, "no-mount", struct record_cli, options.no_mount,
		 "do not mount tracefs where it is not mounted"),
	OPT_BOOL('R', "raw-samples", struct record_cli, raw,
		 "accepted: raw data is always recorded"),
	OPT_BOOL('q', "quiet", struct record_cli, quiet, "print errors only"),
	OPT_COUNT('v', "verbose", struct record_cli, verbose, "print more"),
	OPT_END(),
};

/* Check the options in combination. */
static int check(struct record_cli *cli, struct error *err)
{
	struct recorder_options *o = &cli->options;

	if (recorder_to_stdout(o) && isatty(STDOUT_FILENO))
		return error_set(
			err, EINVAL,
			"'-o -': standard output is a terminal; send it to a pipe or a file");
	if (recorder_to_stdout(o) && (o->overwrite || cli->switch_output))
		return error_set(err, EINVAL,
				 "'-o -' is one recording: no --overwrite, no "
				 "--switch-output");
	if (o->cgroup && !*o->cgroup)
		return error_set(err, EINVAL,
				 "'' is not the name of a cgroup; the whole system: without -G");
	if (o->cgroup && (o->nr_pids || o->nr_tids))
		return error_set(err, EINVAL, "--cgroup and -p or -t exclude each other");
	if (cli->snapshot_on && !o->overwrite)
		return error_set(err, EINVAL, "--snapshot-on is for --overwrite");
	if (o->overwrite && o->switch_bytes)
		return error_set(err, EINVAL,
				 "with --overwrite, --switch-output takes a time or 'signal': what "
				 "is in the buffers has one size");
	if (o->max_files && !o->overwrite && !cli->switch_output)
		return error_set(err, EINVAL, "--max-files is for --switch-output or --overwrite");
	if (o->overwrite && !cli->snapshot_on)
		o->triggers |= TRIGGER_SIGNAL | TRIGGER_EXIT;
	return 0;
}

/* -1: parsed, go on to record; else the exit status. */
static int parse(struct record_cli *cli, const struct record_preset *preset, void *command,
		 int argc, const char **argv)
{
	struct recorder_options *o = &cli->options;
	struct error err = ERROR_INIT;
	const char *events;
	int ret;

	cli->options = (struct recorder_options){
		.output = "perf.data",
		.version = VERSION,
		.period = 1,
		.compress_level = packer_available(),
	};
	ret = builtin_options(preset->options, command, &argc, argv, OPTIONS_STOP_AT_NON_OPTION);
	if (ret >= 0)
		return ret;
	events = o->events.nr || !preset->events ? NULL : preset->events(command);
	if ((events && event_spec_list_parse(&o->events, events, &err)) || check(cli, &err))
		return builtin_error(preset->options->command, &err);
	if (!o->events.nr)
		return builtin_usage(preset->options);
	if (cli->verbose)
		log_set_level(cli->verbose);
	o->callchain = cli->user_stacks ? CALLCHAIN_USER
		       : cli->stacks	? CALLCHAIN_KERNEL
					: CALLCHAIN_NONE;
	o->max_stack = (unsigned int)cli->max_stack;
	o->system_wide |= preset->system_wide && !o->nr_pids && !o->nr_tids;
	o->command = argc ? (char *const *)argv : NULL;
	return -1;
}

/* State of the progress report. */
struct talk {
	bool quiet;
	struct status_line progress;
	uint64_t events, time_ns;
};

static void tell(void *ctx, const struct recorder_news *n)
{
	struct talk *t = ctx;
	char size[UNITS_BUF], rate[UNITS_BUF];
	uint64_t ns = n->time_ns - t->time_ns;

	if (t->quiet)
		return;
	units_bytes(size, sizeof(size), n->bytes);
	if (n->path) {
		status_line_clear(&t->progress);
		fprintf(stderr, "[ perf record: wrote %s, %s, %" PRIu64 " samples ]\n", n->path,
			size, n->events);
		return;
	}
	units_group(rate, sizeof(rate),
		    ns ? (uint64_t)((double)(n->events - t->events) * 1e9 / (double)ns) : 0, ",");
	status_line_show(&t->progress,
			 "[ %" PRIu64 " s: %s events/s, %" PRIu64 " lost, %s written ]",
			 n->time_ns / 1000000000, rate, n->lost, size);
	t->events = n->events;
	t->time_ns = n->time_ns;
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

/* With -c N, in samples; what each CPU counted since its last sample is not missing. */
static uint64_t undelivered(const struct recorder *r, size_t i)
{
	const struct evsel *e = &r->evlist.evsels[i];
	uint64_t period = r->options->period, counted = e->count / period;
	uint64_t known = r->samples[i] + e->lost;

	if (period > 1)
		known += (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
	return counted > known ? counted - known : 0;
}

/*
 * Events that the kernel counted but neither put into a buffer nor counted as lost: where softirqs
 * run over the idle task of a CPU (seen on 6.18), about 1 % of the frees.  BPF programs get them.
 */
static void print_undelivered(const struct recorder *r)
{
	uint64_t all = 0, delivered = 0;
	double percent;

	for (size_t i = 0; i < r->evlist.nr; i++) {
		all += undelivered(r, i);
		delivered += r->samples[i] + r->evlist.evsels[i].lost;
	}
	percent = all ? 100.0 * (double)all / (double)(all + delivered) : 0;
	/* what rounds to nothing is not reported */
	if (percent >= 0.05)
		fprintf(stderr,
			"[ perf record: %" PRIu64
			" events (%.1f %%) were counted but never delivered, "
			"most of them frees by softirqs over an idle CPU: reports take what those "
			"freed for live ]\n",
			all, percent);
}

/* What was overwritten is not a loss. */
static void print_snapshots(const struct recorder *r)
{
	fprintf(stderr,
		"[ perf record: Captured and wrote %.3f MB in %zu snapshot%s (%" PRIu64
		" samples) ]\n",
		(double)r->bytes / (1024 * 1024), r->nr_files, r->nr_files == 1 ? "" : "s",
		r->nr_samples);
}

static void print_end(const struct recorder *r)
{
	uint64_t lost = 0, count = 0, samples;
	char files[64] = "";

	for (size_t i = 0; i < r->evlist.nr; i++) {
		lost += r->evlist.evsels[i].lost;
		count += r->evlist.evsels[i].count;
	}
	if (r->options->overwrite) {
		print_snapshots(r);
		return;
	}
	samples = r->nr_samples;
	if (r->nr_files > 1)
		snprintf(files, sizeof(files), " in %zu files", r->nr_files);
	fprintf(stderr,
		"[ perf record: Captured and wrote %.3f MB %s%s (%" PRIu64 " samples, %" PRIu64
		" lost) ]\n",
		(double)r->bytes / (1024 * 1024),
		recorder_to_stdout(r->options) ? "to standard output"
		: r->output_path	       ? r->output_path
					       : r->options->output,
		files, samples, lost);
	if (r->nr_files > r->files.nr)
		fprintf(stderr, "[ perf record: the newest %zu of the files were kept ]\n",
			r->files.nr);
	if (lost)
		print_lost(&r->evlist, lost, count);
	if (r->write_error.code && count > lost + samples)
		fprintf(stderr, "[ perf record: %" PRIu64 " events more could not be written ]\n",
			count - lost - samples);
	else
		print_undelivered(r);
	for (size_t i = 0; i < r->rings.nr; i++)
		if (r->rings.v[i].gone)
			fprintf(stderr,
				"[ perf record: CPU %d went offline; only what happened on it "
				"before that is "
				"recorded ]\n",
				r->rings.v[i].cpu);
	if (r->pace.level < r->pace.asked)
		fprintf(stderr,
			"[ perf record: compression at level %d could not keep up: it went down to "
			"level %d ]\n",
			r->pace.asked, r->pace.level);
	if (r->symbols_hidden)
		fprintf(stderr,
			"[ perf record: the kernel hides its addresses, so call sites have no "
			"names; sysctl kernel.kptr_restrict=0 shows them ]\n");
}

/* Does something end the recording by itself: a command, or the tasks being recorded? */
static bool argv_names_target(const struct recorder_options *o)
{
	return o->command || o->nr_pids || o->nr_tids;
}

static int record(struct record_cli *cli, const struct record_preset *preset)
{
	struct talk talk = {.quiet = cli->quiet, .progress = {stderr}};
	struct error err = ERROR_INIT;
	struct recorder r;
	int ret, status = EXIT_FAILURE;

	cli->options.tell = tell;
	cli->options.tell_ctx = &talk;
	cli->options.tell_progress = !cli->quiet && isatty(STDERR_FILENO);
	ret = recorder_init(&r, &cli->options, &err);
	if (r.tracefs.mounted && !cli->quiet)
		fprintf(stderr, "[ perf record: mounted tracefs on %s ]\n", r.tracefs.path);
	if (!ret)
		ret = recorder_start(&r, &err);
	if (!ret) {
		if (!cli->quiet && evlist_user_callchains(&r.evlist))
			fprintf(stderr,
				"[ perf record: user stacks are recorded; no report of perf kmem "
				"shows them yet, perf script and perf report of perf itself do "
				"]\n");
		if (preset->announce && !cli->quiet && !argv_names_target(&cli->options))
			fprintf(stderr, "%s\n", preset->announce);
		ret = recorder_run(&r, &err);
		status_line_clear(&talk.progress);
		/* a reader may have seen enough */
		if (r.write_error.code == EPIPE && !cli->quiet)
			fprintf(stderr, "[ perf record: %s; recording ended ]\n",
				r.write_error.msg);
		else if (r.write_error.code && r.write_error.code != EPIPE)
			builtin_error(preset->options->command, &r.write_error);
		if (r.workload.pid && !r.signal)
			fprintf(stderr,
				"[ perf record: recording stopped; waiting for the command ]\n");
	}
	if (!ret)
		ret = recorder_finish(&r, &err);
	if (ret) {
		builtin_error(preset->options->command, &err);
		if (r.workload.status)
			status = r.workload.status;
	} else {
		if (!cli->quiet)
			print_end(&r);
		if (!recorder_reap(&r))
			fprintf(stderr,
				"[ perf record: the command (pid %d) ignores SIGTERM and is still "
				"running "
				"]\n",
				(int)r.workload.pid);
		status = r.workload.status;
		if (r.place_error.code)
			builtin_error(preset->options->command, &r.place_error);
		if (((r.write_error.code && r.write_error.code != EPIPE) || r.place_error.code) &&
		    !status)
			status = EXIT_FAILURE;
	}
	recorder_deinit(&r);
	return status;
}

int record_with_preset(const struct record_preset *preset, void *command, struct record_cli *cli,
		       int argc, const char **argv)
{
	int status = parse(cli, preset, command, argc, argv);

	if (status < 0)
		status = record(cli, preset);
	event_spec_list_deinit(&cli->options.events);
	cpulist_deinit(&cli->options.cpus);
	free(cli->options.pids);
	free(cli->options.tids);
	return status;
}

static const char *const usage[] = {
	"perf record -e <event> [<options>] [--] [<command>]",
	NULL,
};
static const struct options options = {"perf record", usage, record_options};

static int run(int argc, const char **argv, void *context)
{
	static const struct record_preset plain = {.options = &options};
	struct record_cli cli = {.quiet = false};

	(void)context;
	return record_with_preset(&plain, &cli, &cli, argc, argv);
}

const struct subcommand cmd_record = {
	.name = "record",
	.help = "record tracepoints into a perf.data file",
	.options = &options,
	.run = run,
};
