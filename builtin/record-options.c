// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/record-options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/units.h"
#include "util/capture/capture_backend.h"
#include "util/machine/user_regs.h"
#include "util/perfdata/pack.h"

static int opt_events(const struct option_use *use, struct error *err)
{
	struct record_cli *cli = use->into;
	int ret = event_spec_list_parse(&cli->options.events, use->arg, err);

	if (ret != -EINVAL || !cli->takes_foreign)
		return ret;
	if (!cli->foreign)
		cli->foreign = use->arg;
	return 0;
}

static int opt_cpus(const struct option_use *use, struct error *err)
{
	struct record_cli *cli = use->into;
	struct cpulist *cpus = &cli->options.cpus;
	int ret = cpulist_parse(cpus, use->arg, err);

	if (!ret && !cpus->nr)
		return error_set(err, EINVAL, "'%s' names no CPU; all of them: without -C",
				 use->arg);
	return ret;
}

/* As in stock: a bare number is pages, a number with a suffix bytes. */
static int opt_buffer(const struct option_use *use, struct error *err)
{
	struct record_cli *cli = use->into;
	uint64_t *bytes = &cli->options.buffer_bytes, page_size = (uint64_t)sysconf(_SC_PAGESIZE),
		 pages;

	if (!units_parse_u64(use->arg, &pages)) {
		if (!pages || pages > (1ULL << 40) / page_size)
			return error_set(err, ERANGE, "'%s' pages is not a buffer size", use->arg);
		*bytes = pages * page_size;
		return 0;
	}
	if (units_parse_size(use->arg, bytes) || !*bytes || *bytes > 1ULL << 40)
		return error_set(err, EINVAL, "'%s' is neither pages nor a size such as 64M",
				 use->arg);
	return 0;
}

static int opt_level(const struct option_use *use, struct error *err)
{
	struct record_cli *cli = use->into;
	uint64_t n = 1;

	if (use->arg && units_parse_u64_bounded(use->arg, 0, PACKER_LEVEL_MAX, &n))
		return error_set(err, EINVAL, "'%s' is not a level from 0 (none) to %d", use->arg,
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

static int opt_pids(const struct option_use *use, struct error *err)
{
	struct record_cli *cli = use->into;

	return add_ids(&cli->options.pids, &cli->options.nr_pids, use->arg, err);
}

static int opt_tids(const struct option_use *use, struct error *err)
{
	struct record_cli *cli = use->into;

	return add_ids(&cli->options.tids, &cli->options.nr_tids, use->arg, err);
}

/* The size of the stack copy, with the limits of stock's --call-graph: a multiple of 8 that fits
 * into a record. */
static int parse_stack_bytes(const char *text, uint32_t *ret_bytes, struct error *err)
{
	uint64_t bytes;

	if (units_parse_size(text, &bytes) || !bytes || bytes > USER_STACK_BYTES_MAX)
		return error_set(err, EINVAL, "'%s' is not a number of bytes from 8 to %u", text,
				 USER_STACK_BYTES_MAX);
	*ret_bytes = (uint32_t)(bytes + 7) / 8 * 8;
	return 0;
}

static int opt_user_stacks(const struct option_use *use, struct error *err)
{
	struct record_cli *cli = use->into;
	uint32_t *bytes = &cli->options.user_stack_bytes;

	cli->user_stacks = true;
	*bytes = 0;
	if (!use->arg || !strcmp(use->arg, "fp"))
		return 0;
	if (strncmp(use->arg, "dwarf", strlen("dwarf")) != 0 || (use->arg[5] && use->arg[5] != ','))
		return error_set(err, EINVAL, "'%s' is neither fp nor dwarf nor dwarf,<bytes>",
				 use->arg);
	if (!USER_REGS_HERE)
		return error_set(
			err, ENOTSUP,
			"user stacks are not copied on this kind of machine, only followed "
			"by frame pointers (--user-stacks=fp)");
	*bytes = USER_STACK_BYTES_DEFAULT;
	return use->arg[5] ? parse_stack_bytes(use->arg + 6, bytes, err) : 0;
}

static int opt_filter(const struct option_use *use, struct error *err)
{
	struct record_cli *cli = use->into;
	struct recorder_options *o = &cli->options;

	if (o->events.nr)
		return event_spec_list_filter(&o->events, use->arg, err);
	o->filter = use->arg;
	return 0;
}

static int opt_delay(const struct option_use *use, struct error *err)
{
	struct record_cli *cli = use->into;

	if (units_parse_time(use->arg, 1000000, &cli->options.delay_ns))
		return error_set(err, EINVAL, "'%s' is not a time such as 500ms or 10s", use->arg);
	return 0;
}

static int opt_duration(const struct option_use *use, struct error *err)
{
	struct record_cli *cli = use->into;
	uint64_t *ns = &cli->options.duration_ns;

	if (units_parse_time(use->arg, 1000000000, ns) || !*ns)
		return error_set(err, EINVAL, "'%s' is not a time such as 10s, 5m or 2h", use->arg);
	return 0;
}

static int opt_snapshot_on(const struct option_use *use, struct error *err)
{
	struct record_cli *cli = use->into;
	struct recorder_options *o = &cli->options;

	if (!*use->arg)
		return error_set(err, EINVAL, "wants exit, signal or a file");
	cli->snapshot_on = true;
	if (!strcasecmp(use->arg, "exit"))
		o->triggers |= TRIGGER_EXIT;
	else if (!strcasecmp(use->arg, "signal"))
		o->triggers |= TRIGGER_SIGNAL;
	else
		o->trigger_file = use->arg;
	return 0;
}

static int opt_via(const struct option_use *use, struct error *err)
{
	struct record_cli *cli = use->into;

	if (record_via_parse(use->arg, &cli->options.via))
		return error_set(err, EINVAL, "'%s' is neither bpf nor perf", use->arg);
	return 0;
}

/* A size has an upper-case suffix (100M), a time a lower-case one (10m), as in stock. */
static int opt_switch_output(const struct option_use *use, struct error *err)
{
	struct record_cli *cli = use->into;
	struct recorder_options *o = &cli->options;

	cli->switch_output = true;
	if (!use->arg || !strcmp(use->arg, "signal"))
		o->triggers |= TRIGGER_SIGNAL;
	else if (strpbrk(use->arg, "BKMGT") && !units_parse_size(use->arg, &o->switch_bytes) &&
		 o->switch_bytes)
		return 0;
	else if (units_parse_time(use->arg, 0, &o->switch_ns) || !o->switch_ns)
		return error_set(err, EINVAL,
				 "'%s' is neither 'signal' nor a size such as 100M nor a time such "
				 "as 10s",
				 use->arg);
	return 0;
}

const struct option record_options[] = {
	OPT_GROUP("Events and tasks"),
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
	OPT_BOOL(0, "only-command", struct record_cli, options.only_command,
		 "only the command and its children, from its first instruction"),
	OPT_CALLBACK('C', "cpu", "<list>", "only these CPUs, such as 0-3,8", opt_cpus),
	OPT_CALLBACK('p', "pid", "<pid,...>", "only these processes", opt_pids),
	OPT_CALLBACK('t', "tid", "<tid,...>", "only these threads", opt_tids),
	OPT_STRING('G', "cgroup", struct record_cli, options.cgroup, "<name>",
		   "only the tasks of this cgroup"),
	OPT_BOOL(0, "all-cgroups", struct record_cli, options.cgroups,
		 "record of each event in which control group it happened"),
	OPT_CALLBACK('D', "delay", "<time>",
		     "start recording after this time (milliseconds, or 10s)", opt_delay),
	OPT_CALLBACK(0, "duration", "<time>", "record for this long (seconds, or 500ms, 5m, 2h)",
		     opt_duration),
	OPT_BOOL(0, "with-self", struct record_cli, options.with_self,
		 "record the recorder's own events too"),
	OPT_U64_BOUNDED('c', "count", struct record_cli, options.period, "<n>",
			"record every n-th event (1)", 1, UINT64_MAX),
	OPT_BOOL('g', "stacks", struct record_cli, stacks,
		 "record kernel callchains, with all frames"),
	OPT_OPTARG_CALLBACK(
		0, "user-stacks", "fp|dwarf[,<bytes>]",
		"record user callchains too: by frame pointers (the default), or by copying "
		"<bytes> of stack (8192) to unwind later",
		opt_user_stacks),
	OPT_U64_BOUNDED(0, "max-stack", struct record_cli, max_stack, "<n>",
			"frames of a callchain (of page events 12, with -g the kernel's limit)", 1,
			UINT16_MAX),
	OPT_CALLBACK(0, "via", "bpf|perf",
		     "how: BPF programs, or perf_event_open (BPF where it can do what is asked)",
		     opt_via),
	OPT_GROUP("Where to"),
	OPT_STRING('o', "output", struct record_cli, options.output, "<file>",
		   "write to this file (perf.data)"),
	OPT_OPTARG_CALLBACK('z', "compression-level", "<level>",
			    "compress with zstd, 1 (fast, the default) to 22; 0: uncompressed, "
			    "for readers such as hotspot",
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

const struct option record_live_options[] = {
	OPT_CALLBACK(0, "duration", "<time>", "for this long (seconds, or 500ms, 5m, 2h)",
		     opt_duration),
	OPT_BOOL('a', "all-cpus", struct record_cli, options.system_wide,
		 "accepted: the whole system, also with a command"),
	OPT_BOOL(0, "only-command", struct record_cli, options.only_command,
		 "only the command and its children, from its first instruction"),
	OPT_CALLBACK('C', "capture-cpu", "<list>", "capture only on these CPUs, such as 0-3,8",
		     opt_cpus),
	OPT_CALLBACK('p', "capture-pid", "<pid,...>",
		     "capture only what these processes do themselves, and their children",
		     opt_pids),
	OPT_CALLBACK('t', "capture-tid", "<tid,...>", "the same of these threads", opt_tids),
	OPT_STRING('G', "capture-cgroup", struct record_cli, options.cgroup, "<name>",
		   "the same of the tasks of this cgroup (version 2)"),
	OPT_BOOL(0, "with-self", struct record_cli, options.with_self,
		 "capture our own events too"),
	OPT_BOOL(0, "no-probes", struct record_cli, no_probes,
		 "only tracepoints: no BPF programs on the functions that free by RCU or in bulk"),
	OPT_CALLBACK('m', "mmap-pages", "<pages|size>",
		     "buffer per CPU: pages, or a size such as 64M (by the machine's memory)",
		     opt_buffer),
	OPT_END(),
};

/* The same options and help texts as in record. */
const struct option record_target_options[] = {
	OPT_BOOL('a', "all-cpus", struct record_cli, options.system_wide,
		 "the whole system, also with a command"),
	OPT_CALLBACK('C', "cpu", "<list>", "only these CPUs, such as 0-3,8", opt_cpus),
	OPT_CALLBACK('p', "pid", "<pid,...>", "only these processes", opt_pids),
	OPT_CALLBACK('t', "tid", "<tid,...>", "only these threads", opt_tids),
	OPT_CALLBACK(0, "duration", "<time>", "for this long (seconds, or 500ms, 5m, 2h)",
		     opt_duration),
	OPT_BOOL(0, "no-mount", struct record_cli, options.no_mount,
		 "do not mount tracefs where it is not mounted"),
	OPT_END(),
};

int record_check_target(const struct recorder_options *o, char *const *command, struct error *err)
{
	const bool has_tasks = o->nr_pids || o->nr_tids;

	if (o->only_command && !command)
		return error_set(err, EINVAL,
				 "--only-command needs a command, such as '-- make'; a process "
				 "that is running: with -p");
	if (o->only_command && (o->system_wide || has_tasks || o->cgroup))
		return error_set(err, EINVAL,
				 "--only-command and -a, -p, -t or -G exclude each other");
	if (o->cgroup && !*o->cgroup)
		return error_set(err, EINVAL,
				 "'' is not the name of a cgroup; the whole system: without -G");
	if (o->cgroup && has_tasks)
		return error_set(err, EINVAL, "-G and -p or -t exclude each other");
	return 0;
}

int record_options_check(struct record_cli *cli, struct error *err)
{
	struct recorder_options *o = &cli->options;
	int ret = record_check_target(o, o->command, err);

	if (ret)
		return ret;
	if (recorder_to_stdout(o) && isatty(STDOUT_FILENO))
		return error_set(
			err, EINVAL,
			"'-o -': standard output is a terminal; send it to a pipe or a file");
	if (recorder_to_stdout(o) && (o->overwrite || cli->switch_output))
		return error_set(err, EINVAL,
				 "'-o -' is one recording: no --overwrite, no "
				 "--switch-output");
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

void record_cli_deinit(struct record_cli *cli)
{
	event_spec_list_deinit(&cli->options.events);
	cpulist_deinit(&cli->options.cpus);
	free(cli->options.pids);
	free(cli->options.tids);
}
