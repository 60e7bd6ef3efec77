// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/kmem/live.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <unistd.h>

#include "builtin/command.h"
#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/units.h"
#include "util/capture/cgroup.h"
#include "util/cli/terminal.h"
#include "util/record/priority.h"
#include "util/record/target.h"
#include "util/watch/count_source.h"
#include "util/watch/live_kinds.h"
#include "util/watch/live_source.h"

#define PROGRESS_NS 1000000000ULL

/* Memory of the program beside buffers and tables, and the least value of --memory. */
#define MEMORY_FIXED (32ULL << 20)
#define MEMORY_MIN   (48ULL << 20)

const struct option kmem_live_options[] = {
	OPT_GROUP("Without a recording: as it happens"),
	OPT_BOOL('b', "use-bpf", struct kmem_live, use_bpf,
		 "account what happens on this machine, until Ctrl-C, through BPF; also meant by "
		 "a command after -- and by --duration"),
	OPT_INCLUDE_FOR(struct kmem_live, record, record_live_options),
	OPT_SIZE_BOUNDED(0, "memory", struct kmem_live, memory_bytes, "<size>",
			 "use about this much memory at the most (64M): buffers and tables are "
			 "sized by it, and of more live memory a sample is followed",
			 MEMORY_MIN, UINT64_MAX),
	OPT_U64_BOUNDED(0, "max-live", struct kmem_live, max_live, "<n>",
			"objects and blocks of pages to follow at a time (one for each 4 KiB of "
			"memory); of more, a sample",
			1, UINT64_MAX),
	OPT_END(),
};

void kmem_live_init(struct kmem_live *l)
{
	*l = (struct kmem_live){.wake_fd = -1};
}

void kmem_live_deinit(struct kmem_live *l)
{
	record_cli_deinit(&l->record);
}

static bool narrows_tasks(const struct recorder_options *o)
{
	return o->nr_pids || o->nr_tids || o->cgroup || o->only_command;
}

static bool narrows_capture(const struct recorder_options *o)
{
	return o->system_wide || o->cpus.nr || narrows_tasks(o) || o->with_self || o->buffer_bytes;
}

/* Limits on memory, however long it runs. */
#define ROWS_MAX       (1u << 17)
#define SWEEP_EVERY_NS 1000000000ULL

/* Most memory of an object and of a row of a table, with room for growth. */
#define BYTES_PER_LIVE 150
#define BYTES_PER_ROW  2048

/* A quarter of --memory is for the kernel's buffers, and MEMORY_FIXED for symbols, types and a
 * report. Two thirds of the rest are for live objects, one is for rows. */
static uint64_t memory_for_buffers(const struct kmem_live *l)
{
	return l->memory_bytes / 4;
}

static uint64_t memory_for_tables(const struct kmem_live *l)
{
	return l->memory_bytes - memory_for_buffers(l) - MEMORY_FIXED;
}

/* of each CPU */
static uint64_t buffer_bytes(const struct kmem_live *l)
{
	const struct recorder_options *o = &l->record.options;
	uint64_t nr_cpus = o->cpus.nr ? o->cpus.nr : (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t each = 1;

	if (o->buffer_bytes || !l->memory_bytes)
		return o->buffer_bytes;
	while (each * 2 * nr_cpus <= memory_for_buffers(l))
		each *= 2;
	return each;
}

static unsigned int nr_tables(const struct kmem_options *o, unsigned int *ret_allocators)
{
	unsigned int nr = 0;

	*ret_allocators = 0;
	for (int i = 0; i < ACCOUNTS_NR; i++) {
		*ret_allocators += o->wanted[i] && account_table[i]->allocator;
		nr += o->wanted[i] ? o->tables[i].nr : 0;
	}
	return nr;
}

static void set_bounds(const struct kmem_live *l, struct kmem_options *o)
{
	/* 2 to 4 % of the machine's memory */
	uint64_t live =
		(uint64_t)sysconf(_SC_PHYS_PAGES) * ((uint64_t)sysconf(_SC_PAGESIZE) / 4096);
	uint64_t rows = ROWS_MAX, full = 0;

	if (l->memory_bytes) {
		unsigned int allocators, tables = nr_tables(o, &allocators);
		uint64_t bytes = memory_for_tables(l);

		live = bytes / 3 * 2 / BYTES_PER_LIVE / (allocators ? allocators : 1);
		full = bytes / 3 / BYTES_PER_ROW / (tables ? tables : 1);
		full = full < ROWS_MAX ? full : ROWS_MAX;
		rows = full / 5 * 4;
	}
	if (l->max_live || !o->bounds.max_live)
		o->bounds.max_live = l->max_live ? l->max_live : live;
	if (!o->bounds.max_rows)
		o->bounds.max_rows = (uint32_t)rows;
	o->bounds.full_rows = (uint32_t)full;
	/* memory is freed when an interval ends */
	if (!o->ticks.interval_ns)
		o->ticks.interval_ns = SWEEP_EVERY_NS;
}

/* On fewer CPUs, if all are busy, a second thread only competes with the first one. */
#define CPUS_FOR_THREADS 4

static void choose_jobs(struct kmem_options *o)
{
	if (!o->jobs && sysconf(_SC_NPROCESSORS_ONLN) < CPUS_FOR_THREADS)
		o->jobs = 1;
}

int kmem_live_check(const struct kmem_live *l, const struct kmem_input *in, bool has_windows,
		    struct error *err)
{
	const struct recorder_options *o = &l->record.options;

	if (!kmem_live_wanted(l)) {
		if (narrows_capture(o) || l->max_live || l->memory_bytes)
			return error_set(err, EINVAL,
					 "-a, -C, -p, -t, -G, -m, --only-command, --with-self, "
					 "--memory and --max-live are for what happens now: with "
					 "-b, --duration "
					 "or -- <command>");
		return 0;
	}
	if (l->command && !l->command[0])
		return error_set(err, EINVAL, "no command stands after --");
	if (in->path != kmem_input_default)
		return error_set(err, EINVAL,
				 "'%s' has been recorded: -i does not go with -b, --duration or "
				 "a command",
				 in->path);
	if (has_windows)
		return error_set(err, EINVAL,
				 "--time is for recordings; --duration says how long to watch");
	return record_check_target(o, l->command, err);
}

/* Context of the source's callbacks. */
struct watch {
	struct kmem_live *live;
	const struct source_facts *facts;
	bool show; /* progress */
	bool quiet;
	bool began;
	/* reading ends when these tasks have ended; without any it does not */
	pid_t *tids;
	size_t nr_tids;
	struct status_line progress;
	uint64_t start_ns, progress_ns, events;
};

static int begin(void *ctx, struct error *err)
{
	struct watch *w = ctx;
	struct kmem_live *l = w->live;

	w->began = true;
	/* loading the BPF program and the kernel's types took memory that is free now */
	malloc_trim(0);
	w->start_ns = w->progress_ns = w->facts->stated_start_ns;
	if (l->command)
		return workload_start(&l->ending.workload, err);
	if (!l->record.options.duration_ns && !w->quiet)
		fprintf(stderr, "[ Accounting what happens on this machine, Ctrl-C to stop ]\n");
	return 0;
}

static void report_progress(struct watch *w, uint64_t now_ns)
{
	const struct source_facts *f = w->facts;
	uint64_t ns = now_ns - w->progress_ns;
	char rate[UNITS_BUF];

	if (!w->show || ns < PROGRESS_NS)
		return;
	units_group(rate, sizeof(rate),
		    (uint64_t)((double)(f->nr_samples - w->events) * 1e9 / (double)ns), ",");
	status_line_show(&w->progress, "[ %" PRIu64 " s: %s events/s, %" PRIu64 " lost ]",
			 (now_ns - w->start_ns) / 1000000000, rate, f->nr_lost);
	w->progress_ns = now_ns;
	w->events = f->nr_samples;
}

static int look(void *ctx, uint64_t now_ns, struct error *err)
{
	struct watch *w = ctx;
	struct kmem_live *l = w->live;
	uint64_t duration_ns = l->record.options.duration_ns;

	(void)err;
	if (ending_look(&l->ending))
		return 1;
	if (duration_ns && now_ns - w->start_ns >= duration_ns)
		return 1;
	if (w->nr_tids && !target_alive(w->tids, w->nr_tids))
		return 1;
	report_progress(w, now_ns);
	return 0;
}

static int open_source(struct watch *w, const struct kmem_options *options, int cgroup_fd,
		       struct event_source **ret_source, struct error *err)
{
	const struct recorder_options *o = &w->live->record.options;
	struct live_options how = {
		.capture = {.cpus = &o->cpus,
			    .pids = o->pids,
			    .nr_pids = o->nr_pids,
			    .tids = o->tids,
			    .nr_tids = o->nr_tids,
			    .cgroup_fd = cgroup_fd,
			    .kernel_frees = narrows_tasks(o),
			    .with_self = o->with_self,
			    .ring_bytes = buffer_bytes(w->live)},
		.expected_ns = o->duration_ns,
		.every_ns = options->ticks.interval ? options->ticks.interval_ns : 0,
		.wake_fd = w->live->ending.signal_fd,
		.begin = begin,
		.look = look,
		.ctx = w,
	};
	int ret = live_kinds_choose(options, &how.capture, err);

	if (ret)
		return ret;
	if (o->only_command) {
		how.capture.tids = &w->live->ending.workload.pid;
		how.capture.nr_tids = 1;
	}
	if (!w->live->in_kernel) {
		if (!w->live->record.no_probes)
			live_kinds_add_probes(&how.capture);
		return live_source_open(&how, ret_source, err);
	}
	ret = live_kinds_check_counted(options, err);
	return ret ? ret : count_source_open(&how, ret_source, err);
}

static int follow(struct watch *w, const struct kmem_options *options,
		  struct event_source **ret_source, struct kmem_pipeline *a, struct error *err)
{
	const struct recorder_options *o = &w->live->record.options;
	_cleanup_close_ int cgroup_fd = -1;
	struct event_source *source = NULL;
	struct priority priority = {.raised = false};
	int ret = 0;

	if (o->cgroup) {
		cgroup_fd = cgroup_open_unified(o->cgroup, err);
		ret = cgroup_fd < 0 ? cgroup_fd : 0;
	}
	if (!ret)
		ret = open_source(w, options, cgroup_fd, &source, err);
	if (ret)
		return ret;
	w->facts = source->facts;
	/* the command was forked before and keeps its own */
	priority_raise_threads(&priority);
	ret = kmem_pipeline_run(a, source, options, err);
	priority_lower(&priority);
	status_line_clear(&w->progress);
	if (ret)
		event_source_free(source);
	else
		*ret_source = source;
	return ret;
}

/* Check that the CPUs are online and the tasks exist. */
static int find_target(struct watch *w, bool end_with_tasks, struct error *err)
{
	const struct recorder_options *o = &w->live->record.options;
	_cleanup_(cpulist_deinit) struct cpulist cpus = CPULIST_INIT;
	int ret = target_cpus(&cpus, &o->cpus, err);

	if (!ret)
		ret = target_tids(o, 0, &w->tids, &w->nr_tids, err);
	if (!end_with_tasks)
		w->nr_tids = 0;
	return ret;
}

int kmem_live_read(struct kmem_live *l, struct kmem_input *in, const struct kmem_options *options,
		   struct event_source **ret_source, struct kmem_pipeline *a, struct error *err)
{
	struct watch w = {
		.live = l,
		/* the display of intervals shows more than progress does */
		.quiet = in->quiet || options->ticks.interval,
		.show = !in->quiet && isatty(STDERR_FILENO) && !options->ticks.interval,
		.progress = {stderr},
	};
	struct kmem_options o = *options;
	int ret = bpf_capture_probe(err);

	if (ret)
		return ret;
	kmem_input_apply(in, 0, &o);
	set_bounds(l, &o);
	choose_jobs(&o);
	ret = ending_init(&l->ending, err);
	l->is_running = true;
	if (!ret)
		ret = find_target(&w, !l->command && !options->ticks.interval, err);
	if (!ret && l->command)
		ret = ending_fork(&l->ending, l->command, -1, err);
	if (!ret)
		ret = follow(&w, &o, ret_source, a, err);
	free(w.tids);
	if (ret)
		return ret;
	if (!l->in_kernel)
		log_info("the fullest buffer was %.1f %% full",
			 100 * live_source_fill(*ret_source));
	kmem_input_warn(a);
	if (l->ending.workload.pid && !l->ending.signal)
		builtin_say("perf kmem", "the command goes on; the report follows");
	/* from here on a signal ends the program, unless it is for the command */
	if (!l->ending.workload.pid)
		ending_deinit(&l->ending);
	return 0;
}

int kmem_live_end(struct kmem_live *l, int status)
{
	if (!l->is_running)
		return status;
	l->is_running = false;
	if (l->ending.workload.pid && l->ending.workload.go_fd < 0 && !ending_reap(&l->ending))
		builtin_say("perf kmem",
			    "the command (pid %d) ignores SIGTERM and is still running",
			    (int)l->ending.workload.pid);
	if (l->ending.workload.status)
		status = l->ending.workload.status;
	ending_deinit(&l->ending);
	return status;
}
