// SPDX-License-Identifier: GPL-2.0-or-later
/* perf record: its options. */
#include "builtin/record-options.h"
#include "builtin/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/units.h"

static int opt_events(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	(void)unset;
	return event_spec_list_parse(opt->data, arg, err);
}

static int opt_cpus(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	struct cpulist *cpus = opt->data;
	int ret = cpulist_parse(cpus, arg, err);

	(void)unset;
	if (!ret && !cpus->nr)
		return error_set(err, EINVAL, "'%s' names no CPU; all of them: without -C", arg);
	return ret;
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

static int opt_filter(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	struct recorder_options *o = opt->data;

	(void)unset;
	if (o->events.nr)
		return event_spec_list_filter(&o->events, arg, err);
	o->filter = arg;
	return 0;
}

static int opt_delay(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	(void)unset;
	if (units_parse_time(arg, 1000000, opt->data))
		return error_set(err, EINVAL, "'%s' is no time such as 500ms or 10s", arg);
	return 0;
}

static int opt_duration(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	uint64_t *ns = opt->data;

	(void)unset;
	if (units_parse_time(arg, 1000000000, ns) || !*ns)
		return error_set(err, EINVAL, "'%s' is no time such as 10s, 5m or 2h", arg);
	return 0;
}

static int opt_snapshot_on(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	struct record_cli *cli = opt->data;
	struct recorder_options *o = &cli->options;

	(void)unset;
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

/* A size has capital suffixes (100M), a time small ones (10m), as stock has it. */
static int opt_switch_output(const struct option *opt, const char *arg, bool unset,
			     struct error *err)
{
	struct record_cli *cli = opt->data;
	struct recorder_options *o = &cli->options;

	(void)unset;
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

/* What the options say together. */
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

int record_cli_parse(struct record_cli *cli, const struct record_preset *preset, int argc,
		     const char **argv)
{
	_cleanup_free_ struct option *all = NULL;
	struct error err = ERROR_INIT;
	const char *events;
	struct recorder_options *o = &cli->options;
	struct pid_list pids = {&o->pids, &o->nr_pids}, tids = {&o->tids, &o->nr_tids};
	const struct option table[] = {
		OPT_GROUP("What to record"),
		OPT_CALLBACK('e', "event", &o->events, "<event>",
			     "tracepoints: SYSTEM:NAME[/call-graph=no|kernel|user/][,...], globs "
			     "allowed",
			     opt_events),
		OPT_CALLBACK(0, "filter", o, "<expression>",
			     "only events that match, such as 'bytes_alloc > 4096': of the -e "
			     "before it, else of all that have the field",
			     opt_filter),
		OPT_BOOL('a', "all-cpus", &o->system_wide, "the whole system, also with a command"),
		OPT_CALLBACK('C', "cpu", &o->cpus, "<list>", "only these CPUs, such as 0-3,8",
			     opt_cpus),
		OPT_CALLBACK('p', "pid", &pids, "<pid,...>", "only these processes", opt_pids),
		OPT_CALLBACK('t', "tid", &tids, "<tid,...>", "only these threads", opt_pids),
		OPT_STRING('G', "cgroup", &o->cgroup, "<name>", "only the tasks of this cgroup"),
		OPT_CALLBACK('D', "delay", &o->delay_ns, "<time>",
			     "wait so long before recording (milliseconds, or 10s)", opt_delay),
		OPT_CALLBACK(0, "duration", &o->duration_ns, "<time>",
			     "record so long (seconds, or 500ms, 5m, 2h)", opt_duration),
		OPT_BOOL(0, "with-self", &o->with_self, "record the recorder's own events too"),
		OPT_U64_BOUNDED('c', "count", &o->period, "<n>", "take each n-th event (1)", 1,
				UINT64_MAX),
		OPT_BOOL('g', "stacks", &cli->stacks, "record kernel callchains"),
		OPT_BOOL(0, "user-stacks", &cli->user_stacks, "record user callchains too"),
		OPT_U64_BOUNDED(0, "max-stack", &cli->max_stack, "<n>",
				"frames of a callchain (the kernel's limit)", 1, UINT16_MAX),
		OPT_GROUP("Where to"),
		OPT_STRING('o', "output", &o->output, "<file>", "write to this file (perf.data)"),
		OPT_OPTARG_CALLBACK('z', "compression-level", &o->compress_level, "<level>",
				    "compress with zstd, 1 (fast, the default) to 22; 0: do not",
				    opt_level),
		OPT_CALLBACK('m', "mmap-pages", &o->buffer_bytes, "<pages|size>",
			     "buffer per CPU: pages, or a size such as 64M (by the machine's "
			     "memory)",
			     opt_buffer),
		OPT_SIZE_BOUNDED(0, "max-size", &o->max_bytes, "<size>",
				 "stop when so much was written", 1, UINT64_MAX),
		OPT_OPTARG_CALLBACK(0, "switch-output", cli, "signal|<size>|<time>",
				    "begin the next file on SIGUSR2, or after so much (100M, 10s)",
				    opt_switch_output),
		OPT_U64_BOUNDED(0, "max-files", &o->max_files, "<n>",
				"keep only the newest n of these files", 1, UINT64_MAX),
		OPT_HIDDEN(OPTION_U64, 0, "switch-max-files", .value.number = &o->max_files,
			   .min = 1, .max = UINT64_MAX),
		OPT_BOOL(0, "overwrite", &o->overwrite,
			 "flight recorder: keep the newest events in memory, write snapshots"),
		OPT_CALLBACK(
			0, "snapshot-on", cli, "exit|signal|<file>",
			"what a snapshot is written on: the end, SIGUSR2 (both by default), or "
			"when the file appears",
			opt_snapshot_on),
		OPT_BOOL(0, "no-mount", &o->no_mount,
			 "do not mount tracefs where it is not mounted"),
		OPT_BOOL('R', "raw-samples", &cli->raw, "accepted: raw data is always recorded"),
		OPT_BOOL('q', "quiet", &cli->quiet, "print errors only"),
		OPT_COUNT('v', "verbose", &cli->verbose, "tell more"),
		OPT_END(),
	};
	struct options options = {preset->command, preset->usage, NULL};
	int ret;

	*cli = (struct record_cli){
		.options = {.output = "perf.data", .version = VERSION, .period = 1},
		.quiet = preset->quiet,
		.verbose = preset->verbose,
	};
	o->compress_level = packer_available();
	all = join_options(preset->options, table);
	if (!all) {
		error_nomem(&err);
		return builtin_error(preset->command, &err);
	}
	options.table = all;
	ret = builtin_options(&options, &argc, argv, OPTIONS_STOP_AT_NON_OPTION);
	if (ret >= 0)
		return ret;
	events = o->events.nr ? NULL : preset->events(preset->ctx);
	if ((events && event_spec_list_parse(&o->events, events, &err)) || check(cli, &err))
		return builtin_error(preset->command, &err);
	if (!o->events.nr)
		return builtin_usage(&options);
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

void record_cli_deinit(struct record_cli *cli)
{
	event_spec_list_deinit(&cli->options.events);
	cpulist_deinit(&cli->options.cpus);
	free(cli->options.pids);
	free(cli->options.tids);
}
