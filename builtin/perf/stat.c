// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat: counts tracepoints while a command runs, or on the whole system. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "builtin/command.h"
#include "builtin/perf/mean.h"
#include "builtin/record-options.h"
#include "util/base/cleanup.h"
#include "util/base/clock.h"
#include "util/base/out_file.h"
#include "util/capture/counters.h"
#include "util/cli/next_program.h"
#include "util/record/ending.h"
#include "util/record/target.h"

struct stat_command {
	struct record_cli record; /* the events, and the tasks and CPUs that they are counted on */
	const char *separator;	  /* separator of CSV; NULL: text */
	const char *output;	  /* NULL: standard error */
	uint64_t repeat;
	uint64_t interval_ms;
	bool json;
	const char *foreign; /* an event of -e that is not a tracepoint; may be NULL */
};

static int opt_event(const struct option_use *use, struct error *err)
{
	struct stat_command *c = use->into;
	int ret;

	ret = strpbrk(use->arg, "{}/")
		      ? -EINVAL
		      : event_spec_list_parse(&c->record.options.events, use->arg, err);
	if (ret == -EINVAL)
		c->foreign = use->arg;
	return ret == -EINVAL ? 0 : ret;
}

static const struct option table[] = {
	OPT_GROUP("Events and tasks"),
	OPT_CALLBACK('e', "event", "<event>", "tracepoints: SYSTEM:NAME[,...], globs allowed",
		     opt_event),
	OPT_INCLUDE_FOR(struct stat_command, record, record_target_options),
	OPT_U64_BOUNDED('r', "repeat", struct stat_command, repeat, "<n>",
			"run the command n times: mean and deviation", 1, 1000000),
	OPT_GROUP("How it is printed"),
	OPT_U64_BOUNDED('I', "interval-print", struct stat_command, interval_ms, "<ms>",
			"the counts of each interval of <ms> milliseconds", 1, UINT32_MAX),
	OPT_STRING('x', "field-separator", struct stat_command, separator, "<separator>",
		   "a line for each count, with this between its fields"),
	OPT_BOOL('j', "json", struct stat_command, json, "a JSON object on a line for each count"),
	OPT_STRING('o', "output", struct stat_command, output, "<file>", "write to a file"),
	OPT_END(),
};
static const char *const usage[] = {"perf stat -e <event> [<options>] [--] [<command>]", NULL};
static const struct options options = {"perf stat", usage, table};

struct stat_event {
	struct mean count, enabled_ns, running_ns;
	struct counter_value last; /* counts at the end of the previous interval */
};

struct stat_run {
	const struct stat_command *command;
	FILE *out; /* buffer of `text`, if a file is written */
	struct out_file file;
	char *text;
	size_t len;
	struct tracefs tracefs;
	struct counters counters;
	struct ending ending;
	struct cpulist cpus;
	pid_t *tids;
	size_t nr_tids;
	struct stat_event *events; /* one for each event */
	char **names;
	size_t nr_events;
	struct mean seconds;
	double user_seconds, system_seconds;
	uint64_t start_ns;
	int status;
};

/* ---- printing ---- */

/* Print a line. seconds: end of the interval; negative: not an interval. */
static void print_count(const struct stat_run *r, const struct stat_event *e, const char *name,
			double seconds)
{
	const struct stat_command *c = r->command;
	const double running =
		e->enabled_ns.mean > 0 ? 100 * e->running_ns.mean / e->enabled_ns.mean : 100;
	const bool counted = e->running_ns.mean > 0, repeated = e->count.nr > 1;

	if (c->separator) {
		if (seconds >= 0)
			fprintf(r->out, "%16.9f%s", seconds, c->separator);
		if (counted)
			fprintf(r->out, "%.0f", e->count.mean);
		else
			fprintf(r->out, "<not counted>");
		fprintf(r->out, "%s%s%s", c->separator, c->separator, name);
		if (repeated)
			fprintf(r->out, "%s%.2f%%", c->separator, mean_percent(&e->count));
		fprintf(r->out, "%s%.0f%s%.2f%s%s\n", c->separator, e->running_ns.mean,
			c->separator, running, c->separator, c->separator);
		return;
	}
	if (c->json) {
		fprintf(r->out, "{");
		if (seconds >= 0)
			fprintf(r->out, "\"interval\" : %.9f, ", seconds);
		if (counted)
			fprintf(r->out, "\"counter-value\" : \"%f\"", e->count.mean);
		else
			fprintf(r->out, "\"counter-value\" : \"<not counted>\"");
		fprintf(r->out, ", \"unit\" : \"\", \"event\" : \"%s\"", name);
		if (repeated)
			fprintf(r->out, ", \"variance\" : %.2f", mean_percent(&e->count));
		fprintf(r->out, ", \"event-runtime\" : %.0f, \"pcnt-running\" : %.2f}\n",
			e->running_ns.mean, running);
		return;
	}
	if (seconds >= 0)
		fprintf(r->out, "%16.9f ", seconds);
	if (counted)
		fprintf(r->out, "%18.0f      ", e->count.mean);
	else
		fprintf(r->out, "%18s      ", "<not counted>");
	if (repeated && e->count.mean > 0)
		fprintf(r->out, "%-40s  ( +-%6.2f%% )\n", name, mean_percent(&e->count));
	else
		fprintf(r->out, "%s\n", name);
}

static void print_title(const struct stat_run *r)
{
	const struct recorder_options *o = &r->command->record.options;
	const char *separator = "";

	fprintf(r->out, "\n Performance counter stats for ");
	if (o->nr_pids || o->nr_tids) {
		const pid_t *ids = o->nr_pids ? o->pids : o->tids;
		size_t nr = o->nr_pids ? o->nr_pids : o->nr_tids;

		fprintf(r->out, "%s id '", o->nr_pids ? "process" : "thread");
		for (size_t i = 0; i < nr; i++)
			fprintf(r->out, "%s%d", i ? "," : "", (int)ids[i]);
		fprintf(r->out, "'");
	} else if (o->cpus.nr) {
		fprintf(r->out, "'CPU(s) ");
		for (size_t i = 0; i < o->cpus.nr; i++)
			fprintf(r->out, "%s%d", i ? "," : "", o->cpus.cpus[i]);
		fprintf(r->out, "'");
	} else if (o->system_wide || !o->command) {
		fprintf(r->out, "'system wide'");
	} else {
		fprintf(r->out, "'");
		for (size_t i = 0; o->command[i]; i++, separator = " ")
			fprintf(r->out, "%s%s", separator, o->command[i]);
		fprintf(r->out, "'");
	}
	if (r->seconds.nr > 1)
		fprintf(r->out, " (%" PRIu64 " runs)", r->seconds.nr);
	fprintf(r->out, ":\n\n");
}

/* The deviation with two digits. */
static int digits_of(double deviation)
{
	int digits;

	if (deviation <= 0)
		return 9;
	digits = 2 + (deviation > 1 ? 0 : (int)lround(ceil(-log10(deviation))));
	return digits > 9 ? 9 : digits;
}

static void print_times(const struct stat_run *r)
{
	const struct recorder_options *o = &r->command->record.options;
	double deviation = mean_deviation(&r->seconds);
	int digits = digits_of(deviation);

	if (r->seconds.nr > 1) {
		fprintf(r->out, "\n %17.*f +- %.*f seconds time elapsed  ( +-%6.2f%% )\n\n", digits,
			r->seconds.mean, digits, deviation, mean_percent(&r->seconds));
		return;
	}
	fprintf(r->out, "\n %17.9f seconds time elapsed\n\n", r->seconds.mean);
	if (r->nr_tids && r->ending.has_command && !o->nr_pids && !o->nr_tids)
		fprintf(r->out, " %17.9f seconds user\n %17.9f seconds sys\n\n", r->user_seconds,
			r->system_seconds);
}

static void print_all(const struct stat_run *r)
{
	const struct stat_command *c = r->command;

	if (!c->separator && !c->json)
		print_title(r);
	for (size_t i = 0; i < r->nr_events; i++)
		print_count(r, &r->events[i], r->names[i], -1);
	if (!c->separator && !c->json)
		print_times(r);
}

/* Append the complete text to the file, then give it its name. */
static int put(struct stat_run *r, struct error *err)
{
	const char *path = r->out == stderr ? "standard error" : r->file.path;
	int ret;

	errno = 0;
	if (fflush(r->out) || ferror(r->out))
		return error_set_errno(err, errno ? errno : EIO, "cannot write '%s'", path);
	if (r->out == stderr)
		return 0;
	ret = out_file_append(&r->file, r->text, r->len);
	if (ret)
		return error_set_errno(err, -ret, "cannot write '%s'", path);
	rewind(r->out);
	return out_file_publish(&r->file, err);
}

/* ---- counting ---- */

/* Counts since the last call, as an interval; or since the start, as one run. */
static int take_counts(struct stat_run *r, bool interval, struct error *err)
{
	_cleanup_free_ struct counter_value *values = calloc(r->nr_events + 1, sizeof(*values));
	double seconds = (double)(now_ns() - r->start_ns) / 1e9;
	int ret = values ? counters_read(&r->counters, values, err) : error_nomem(err);

	for (size_t i = 0; i < r->nr_events && !ret; i++) {
		struct stat_event *e = &r->events[i], one = {0};
		struct stat_event *into = interval ? &one : e;
		const struct counter_value *v = &values[i];
		double running = (double)(v->running_ns - e->last.running_ns);
		double enabled = (double)(v->enabled_ns - e->last.enabled_ns);
		double count = (double)(v->count - e->last.count);

		/* scale counts that were multiplexed */
		if (running > 0 && running < enabled)
			count *= enabled / running;
		mean_add(&into->count, count);
		mean_add(&into->enabled_ns, enabled);
		mean_add(&into->running_ns, running);
		if (!interval)
			continue;
		print_count(r, &one, r->names[i], seconds);
		e->last = *v;
	}
	return ret || !interval ? ret : put(r, err);
}

/* Wait until the command, the tasks, the time or the user ends it. */
static int wait_for_end(struct stat_run *r, struct error *err)
{
	const struct recorder_options *o = &r->command->record.options;
	const uint64_t interval_ns = r->command->interval_ms * 1000000;
	uint64_t next_ns = interval_ns ? r->start_ns + interval_ns : UINT64_MAX;
	uint64_t end_ns = o->duration_ns ? r->start_ns + o->duration_ns : UINT64_MAX;
	bool watched = o->nr_pids || o->nr_tids;

	while (!ending_look(&r->ending)) {
		struct pollfd fd = {.fd = r->ending.signal_fd, .events = POLLIN};
		uint64_t now = now_ns(), until = next_ns < end_ns ? next_ns : end_ns;
		int ret, ms;

		if (now >= end_ns || (watched && !target_alive(r->tids, r->nr_tids)))
			return 0;
		if (now >= next_ns) {
			ret = take_counts(r, true, err);
			if (ret)
				return ret;
			next_ns += interval_ns;
			continue;
		}
		ms = until == UINT64_MAX ? -1 : (int)((until - now) / 1000000) + 1;
		if (watched && (ms < 0 || ms > 100))
			ms = 100;
		poll(&fd, 1, ms);
	}
	return 0;
}

static int name_events(struct stat_run *r, struct error *err)
{
	const struct evlist *l = &r->counters.evlist;

	if (r->events)
		return 0;
	r->events = calloc(l->nr + 1, sizeof(*r->events));
	r->names = calloc(l->nr + 1, sizeof(*r->names));
	if (!r->events || !r->names)
		return error_nomem(err);
	for (size_t i = 0; i < l->nr; i++) {
		if (asprintf(&r->names[i], "%s:%s", l->evsels[i].system, l->evsels[i].name) < 0) {
			r->names[i] = NULL;
			return error_nomem(err);
		}
		r->nr_events++;
	}
	return 0;
}

static int open_counters(struct stat_run *r, struct error *err)
{
	static int any_cpu = -1;
	static const struct cpulist of_tasks = {&any_cpu, 1};
	const struct recorder_options *o = &r->command->record.options;
	struct open_target target = {.cgroup_fd = -1};
	int ret = target_tids(o, r->ending.workload.pid, &r->tids, &r->nr_tids, err);

	if (!ret && (!r->nr_tids || o->cpus.nr))
		ret = target_cpus(&r->cpus, &o->cpus, err);
	if (ret)
		return ret;
	target.tids = r->tids;
	target.nr_tids = r->nr_tids;
	target.cpus = r->cpus.nr ? &r->cpus : &of_tasks;
	ret = counters_open(&r->counters, &r->tracefs, &o->events, &target,
			    r->ending.has_command && r->nr_tids && !o->nr_pids && !o->nr_tids, err);
	return ret ? ret : name_events(r, err);
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* The events are open: start the command, wait, read the counts. */
static int count(struct stat_run *r, struct error *err)
{
	const struct recorder_options *o = &r->command->record.options;
	bool on_exec = r->counters.evlist.evsels[0].attr.enable_on_exec;
	int ret = on_exec ? 0 : counters_enable(&r->counters, err);

	r->start_ns = now_ns();
	if (!ret && o->command)
		ret = workload_start(&r->ending.workload, err);
	if (!ret)
		ret = wait_for_end(r, err);
	if (ret)
		return ret;
	mean_add(&r->seconds, (double)(now_ns() - r->start_ns) / 1e9);
	counters_disable(&r->counters);
	return take_counts(r, r->command->interval_ms != 0, err);
}

/* One run. Returns 1 if it was interrupted. */
static int run_once(struct stat_run *r, struct error *err)
{
	const struct recorder_options *o = &r->command->record.options;
	struct rusage before, after;
	int ret;

	getrusage(RUSAGE_CHILDREN, &before);
	ret = ending_init(&r->ending, err);
	if (!ret && o->command)
		ret = ending_fork(&r->ending, o->command, -1, err);
	if (!ret)
		ret = open_counters(r, err);
	if (!ret)
		ret = count(r, err);
	if (!ret && o->command)
		ending_reap(&r->ending);
	r->status = r->ending.workload.status;
	if (!ret && r->ending.signal)
		ret = 1;
	getrusage(RUSAGE_CHILDREN, &after);
	r->user_seconds = seconds_of(after.ru_utime) - seconds_of(before.ru_utime);
	r->system_seconds = seconds_of(after.ru_stime) - seconds_of(before.ru_stime);
	counters_deinit(&r->counters);
	ending_deinit(&r->ending);
	cpulist_deinit(&r->cpus);
	r->cpus = (struct cpulist)CPULIST_INIT;
	return ret;
}

static int run_all(struct stat_run *r, struct error *err)
{
	const struct stat_command *c = r->command;
	int ret = tracefs_find(&r->tracefs, !c->record.options.no_mount, err);

	if (!ret && c->interval_ms && !c->separator && !c->json)
		fprintf(r->out, "#           time             counts unit events\n");
	for (uint64_t i = 0; i < c->repeat && !ret; i++) {
		free(r->tids);
		r->tids = NULL;
		ret = run_once(r, err);
	}
	if (ret < 0 || c->interval_ms)
		return ret < 0 ? ret : 0;
	print_all(r);
	return put(r, err);
}

static int stat_events(const struct stat_command *c)
{
	struct error err = ERROR_INIT;
	struct stat_run r = {.command = c, .out = stderr, .file = OUT_FILE_INIT};
	int ret = c->output ? out_file_open(&r.file, c->output, NULL, &err) : 0;

	if (!ret && c->output && !(r.out = open_memstream(&r.text, &r.len)))
		ret = error_nomem(&err);
	if (!ret)
		ret = run_all(&r, &err);
	if (r.out && r.out != stderr)
		fclose(r.out);
	free(r.text);
	out_file_deinit(&r.file);
	for (size_t i = 0; i < r.nr_events; i++)
		free(r.names[i]);
	free(r.names);
	free(r.events);
	free(r.tids);
	/* a closed pipe is not an error */
	if (ret == -EPIPE)
		ret = 0;
	if (ret)
		builtin_error(options.command, &err);
	return ret && !r.status ? EXIT_FAILURE : r.status;
}

static int check(const struct stat_command *c, struct error *err)
{
	const struct recorder_options *o = &c->record.options;

	if (c->repeat > 1 && !o->command && !o->duration_ns)
		return error_set(err, EINVAL,
				 "--repeat needs a command, or --duration, to end each run");
	if (c->repeat > 1 && c->interval_ms)
		return error_set(err, EINVAL, "--repeat prints means, -I intervals: give only one");
	if (c->json && c->separator)
		return error_set(err, EINVAL, "--json and -x are two forms: give only one");
	return 0;
}

static int run(int argc, const char **argv, void *context)
{
	_cleanup_free_ const char **next = builtin_command_line(argc, argv);
	struct stat_command c = {.repeat = 1};
	struct error err = ERROR_INIT;
	bool stocks;
	int status = builtin_options_or_next(&options, &c, &argc, argv, OPTIONS_STOP_AT_NON_OPTION);

	(void)context;
	if (status >= 0)
		goto out;
	/* stock's "perf stat -e ... record" */
	stocks = c.foreign || !c.record.options.events.nr ||
		 (argc && (builtin_abbreviates(argv[0], "record") ||
			   builtin_abbreviates(argv[0], "report")));
	if (stocks && next && builtin_next_exists()) {
		status = builtin_hand_over(next);
		goto out;
	}
	next_program_forget();
	c.record.options.command = argc ? (char *const *)argv : NULL;
	if (c.foreign)
		status = builtin_misused(&options,
					 "'%s': only tracepoints (SYSTEM:NAME) are counted "
					 "here, and no other 'perf' is on PATH",
					 c.foreign);
	else if (!c.record.options.events.nr)
		status = builtin_misused(&options, "no event is given (-e SYSTEM:NAME)");
	else if (check(&c, &err))
		status = builtin_misused(&options, "%s", err.msg);
	else
		status = stat_events(&c);
out:
	record_cli_deinit(&c.record);
	return status;
}

const struct subcommand cmd_stat = {
	.name = "stat",
	.help = "count tracepoints while a command runs, or on the whole system",
	.options = &options,
	.hands_over = true,
	.run = run,
};
