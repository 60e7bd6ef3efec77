// SPDX-License-Identifier: GPL-2.0-or-later
/* perf record: runs the recorder and prints its results. */
#include "builtin/perf/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "builtin/command.h"
#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/base/units.h"
#include "util/cli/next_program.h"
#include "util/cli/terminal.h"
#include "util/host/kallsyms.h"
#include "util/record/recorder.h"

/*
 * Run stock perf if the command line is for it: it names no event (stock then records CPU cycles),
 * or an event that is not a tracepoint. Returns the exit status, or -1 if the command line is ours.
 */
static int try_next(const struct record_cli *cli, const struct record_preset *preset,
		    const char **next)
{
	const bool is_ours = !cli->foreign && cli->options.events.nr;

	if (!preset->hands_over)
		return -1;
	if (!is_ours && next && builtin_next_exists())
		return builtin_hand_over(next);
	next_program_forget();
	if (cli->foreign)
		return builtin_misused(
			preset->options,
			"'%s': only tracepoints (SYSTEM:NAME) are recorded here, and "
			"no other 'perf' is on PATH",
			cli->foreign);
	if (!is_ours)
		return builtin_misused(preset->options,
				       "no event is given (-e SYSTEM:NAME), and no "
				       "other 'perf' is on PATH to record others");
	return -1;
}

/* Returns -1 if the options were parsed and recording can start, or the exit status. */
static int parse(struct record_cli *cli, const struct record_preset *preset, void *command,
		 int argc, const char **argv)
{
	_cleanup_free_ const char **next = builtin_command_line(argc, argv);
	struct recorder_options *o = &cli->options;
	struct error err = ERROR_INIT;
	const char *events;
	int ret;

	cli->options = (struct recorder_options){
		.output = "perf.data",
		.version = VERSION,
		.period = 1,
		.via = preset->via,
		.compress_level = packer_available(),
	};
	cli->takes_foreign = preset->hands_over;
	ret = (preset->hands_over ? builtin_options_or_next : builtin_options)(
		preset->options, command, &argc, argv, OPTIONS_STOP_AT_NON_OPTION);
	if (ret < 0)
		ret = try_next(cli, preset, next);
	if (ret >= 0)
		return ret;
	o->command = argc ? (char *const *)argv : NULL;
	events = o->events.nr || !preset->events ? NULL : preset->events(command);
	if ((events && event_spec_list_parse(&o->events, events, &err)) ||
	    record_options_check(cli, &err)) {
		builtin_error(preset->options->command, &err);
		return err.code == ENOMEM ? EXIT_FAILURE : EXIT_USAGE;
	}
	if (!o->events.nr)
		return builtin_misused(preset->options, "no event is given (-e SYSTEM:NAME)");
	if (cli->verbose)
		log_set_level(cli->verbose);
	/* the command's own events determine which of them have user callchains */
	o->callchain = cli->user_stacks && !events ? CALLCHAIN_USER
		       : cli->stacks		   ? CALLCHAIN_KERNEL
						   : CALLCHAIN_NONE;
	o->max_stack = (unsigned int)cli->max_stack;
	o->probes = events && !cli->no_probes;
	o->system_wide |= preset->system_wide && !o->nr_pids && !o->nr_tids && !o->only_command;
	o->kernel_frees = preset->system_wide;
	return preset->instead ? preset->instead(command) : -1;
}

/* State of the progress report. */
struct talk {
	bool quiet;
	struct status_line progress;
	uint64_t events, time_ns;
};

static void report(void *ctx, const struct recorder_news *n)
{
	struct talk *t = ctx;
	char size[UNITS_BUF], rate[UNITS_BUF];
	uint64_t ns = n->time_ns - t->time_ns;

	if (t->quiet)
		return;
	units_bytes(size, sizeof(size), n->bytes);
	if (n->path) {
		status_line_clear(&t->progress);
		builtin_say("perf record", "wrote %s, %s, %" PRIu64 " samples", n->path, size,
			    n->events);
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

/* Append "kmem:kfree 12 (0.1 %)". */
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
	builtin_say("perf record", "lost %" PRIu64 " of %" PRIu64 " events (%.1f %%): %s", lost,
		    count, 100.0 * (double)lost / (double)count, each.buf);
	builtin_say("perf record",
		    "to lose less: a larger buffer (-m), fewer events, no callchains");
}

/* With -c N, in samples. Events counted since a CPU's last sample are not missing. */
static uint64_t undelivered(const struct recorder *r, size_t i)
{
	const struct evsel *e = &r->capture.evlist.evsels[i];
	uint64_t period = r->options->period, counted = e->count / period;
	uint64_t known = r->samples[i] + e->lost;

	if (period > 1)
		known += (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
	return counted > known ? counted - known : 0;
}

/*
 * Events that the kernel counted but neither delivered nor reported as lost. Seen on 6.18 where
 * softirqs run over the idle task of a CPU: about 1 % of the frees. BPF programs get them.
 */
static void print_undelivered(const struct recorder *r)
{
	uint64_t all = 0, delivered = 0;
	double percent;

	for (size_t i = 0; i < r->capture.evlist.nr; i++) {
		all += undelivered(r, i);
		delivered += r->samples[i] + r->capture.evlist.evsels[i].lost;
	}
	percent = all ? 100.0 * (double)all / (double)(all + delivered) : 0;
	/* a percentage that rounds to 0 is not reported */
	if (percent >= 0.05)
		builtin_say(
			"perf record",
			"%" PRIu64 " events (%.1f %%) were counted but never delivered, "
			"most of them frees by softirqs over an idle CPU: reports take what those "
			"freed for live",
			all, percent);
}

/* Overwritten events are not lost ones. */
static void print_snapshots(const struct recorder *r)
{
	builtin_say("perf record",
		    "Captured and wrote %.3f MB in %zu snapshot%s (%" PRIu64 " samples)",
		    (double)r->bytes / (1024 * 1024), r->nr_files, r->nr_files == 1 ? "" : "s",
		    r->nr_samples);
}

static void print_end(const struct recorder *r)
{
	uint64_t lost = 0, count = 0, samples;
	char files[64] = "";

	for (size_t i = 0; i < r->capture.evlist.nr; i++) {
		lost += r->capture.evlist.evsels[i].lost;
		count += r->capture.evlist.evsels[i].count;
	}
	if (r->options->overwrite) {
		print_snapshots(r);
		return;
	}
	samples = r->nr_samples;
	if (r->nr_files > 1)
		snprintf(files, sizeof(files), " in %zu files", r->nr_files);
	builtin_say("perf record",
		    "Captured and wrote %.3f MB %s%s (%" PRIu64 " samples, %" PRIu64 " lost)",
		    (double)r->bytes / (1024 * 1024),
		    recorder_to_stdout(r->options) ? "to standard output"
		    : r->output_path		   ? r->output_path
						   : r->options->output,
		    files, samples, lost);
	if (r->nr_files > r->files.nr)
		builtin_say("perf record", "the newest %zu of the files were kept", r->files.nr);
	if (lost)
		print_lost(&r->capture.evlist, lost, count);
	if (r->write_error.code && count > lost + samples)
		builtin_say("perf record", "%" PRIu64 " events more could not be written",
			    count - lost - samples);
	else
		print_undelivered(r);
	for (size_t i = 0; i < r->capture.gone.nr; i++)
		builtin_say("perf record",
			    "CPU %d went offline; only what happened on it before that "
			    "is recorded",
			    r->capture.gone.cpus[i]);
	if (r->pace.level < r->pace.asked)
		builtin_say("perf record",
			    "compression at level %d could not keep up: it went down to "
			    "level %d",
			    r->pace.asked, r->pace.level);
	if (r->symbols == SYMBOLS_HIDDEN)
		builtin_say("perf record", "the kernel hides its addresses, so call sites have no "
					   "names; sysctl kernel.kptr_restrict=0 shows them");
	if (r->symbols == SYMBOLS_MISSING)
		builtin_say("perf record", "this kernel has no symbols in " KALLSYMS_PATH
					   " (CONFIG_KALLSYMS), so call sites have no names");
}

/* Whether the recording ends by itself: with a command, or with the recorded tasks. */
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

	cli->options.report = report;
	cli->options.report_ctx = &talk;
	cli->options.report_progress = !cli->quiet && isatty(STDERR_FILENO);
	ret = recorder_init(&r, &cli->options, &err);
	if (r.tracefs.mounted && !cli->quiet)
		builtin_say("perf record", "mounted tracefs on %s", r.tracefs.path);
	if (!ret)
		ret = recorder_start(&r, &err);
	if (!ret) {
		if (preset->announce && !cli->quiet && !argv_names_target(&cli->options))
			fprintf(stderr, "%s\n", preset->announce);
		ret = recorder_run(&r, &err);
		status_line_clear(&talk.progress);
		/* the reader of a pipe may have closed it */
		if (r.write_error.code == EPIPE && !cli->quiet)
			builtin_say("perf record", "%s; recording ended", r.write_error.msg);
		else if (r.write_error.code && r.write_error.code != EPIPE)
			builtin_error(preset->options->command, &r.write_error);
		if (r.ending.workload.pid && !r.ending.signal)
			builtin_say("perf record", "recording stopped; waiting for the command");
	}
	if (!ret)
		ret = recorder_finish(&r, &err);
	if (ret) {
		builtin_error(preset->options->command, &err);
		if (r.ending.workload.status)
			status = r.ending.workload.status;
	} else {
		if (!cli->quiet)
			print_end(&r);
		if (!ending_reap(&r.ending))
			builtin_say("perf record",
				    "the command (pid %d) ignores SIGTERM and is still "
				    "running",
				    (int)r.ending.workload.pid);
		status = r.ending.workload.status;
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
	record_cli_deinit(cli);
	return status;
}

static const char *const usage[] = {
	"perf record -e <event> [<options>] [--] [<command>]",
	NULL,
};
static const struct options options = {"perf record", usage, record_options};

static int run(int argc, const char **argv, void *context)
{
	static const struct record_preset plain = {.options = &options, .hands_over = true};
	struct record_cli cli = {.quiet = false};

	(void)context;
	return record_with_preset(&plain, &cli, &cli, argc, argv);
}

const struct subcommand cmd_record = {
	.name = "record",
	.help = "record tracepoints into a perf.data file",
	.options = &options,
	.hands_over = true,
	.run = run,
};
