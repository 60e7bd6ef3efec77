// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/units.h"
#include "util/event/known_events.h"
#include "util/record/target.h"

#define PROGRESS_NS   1000000000ULL
#define LOOK_EVERY_NS 500000000ULL
#define RATE_AFTER_NS 2000000000ULL
#define DISK_LASTS_S  3600

/*
 * A slow reader of a pipe has no time limit. After a signal, a reader that reads nothing is given
 * up after a moment.
 */
#define STUCK_MS 1000
#define LOOK_MS	 100

static int wait_writable(void *ctx, int fd)
{
	struct recorder *r = ctx;
	struct pollfd fds[] = {{.fd = fd, .events = POLLOUT},
			       {.fd = r->ending.signal_fd, .events = POLLIN}};

	for (;;) {
		int ms = fd < 0 ? LOOK_MS : r->ending.signal ? STUCK_MS : -1;
		int n = poll(fds, 2, ms);

		if (n > 0 && fds[1].revents)
			ending_look(&r->ending);
		if (fd < 0)
			return r->ending.signal ? -ECANCELED : 0;
		if (n > 0 && fds[0].revents)
			return 0;
		if (!n && r->ending.signal)
			return -ECANCELED;
	}
}

static int packing_level(void *ctx)
{
	struct recorder *r = ctx;
	uint64_t most = r->capture.ops->unread(&r->capture);
	struct pace_step step;

	ending_look(&r->ending);
	step = pace_next(&r->pace, most, r->capture.buffer_bytes, r->ending.signal);
	priority_realtime(&r->priority, step.urgent);
	return step.level;
}

/*
 * ---- modules: loads and unloads during the recording, for each of its files ----
 *
 * Each is written before the samples that follow it (HEADER_MODULES in util/perfdata/format.h). A
 * file begins with all known modules, because a snapshot contains earlier samples.
 */

/* Start watching, on the clock of the samples, if this kernel allows it. */
static void watch_modules(struct recorder *r)
{
	const struct perf_event_attr *attr = &r->capture.evlist.evsels[0].attr;
	struct error why = ERROR_INIT;

	r->module_lines = (struct strbuf)STRBUF_INIT;
	if (module_watch_open(&r->modules, &r->tracefs,
			      attr->use_clockid ? attr->clockid : MODULE_WATCH_LOCAL_CLOCK, &why))
		log_info("modules are not followed: %s", why.msg);
}

/* Write new loads and unloads to the file. o: may be NULL: only take them from the kernel's
 * buffers. */
static int write_modules(struct recorder *r, struct output *o, struct error *err)
{
	const struct strbuf *lines = &r->module_lines;

	if (module_watch_drain(&r->modules, &r->module_lines))
		return error_nomem(err);
	if (!o || r->module_bytes == lines->len)
		return 0;
	if (output_add_modules(o, lines->buf + r->module_bytes, lines->len - r->module_bytes, err))
		return -err->code;
	r->module_bytes = lines->len;
	return 0;
}

/*
 * ---- files: the current one, switching to the next, snapshots ----
 *
 * The caller stores write errors in write_error. A file made meanwhile is reported to
 * options.report.
 */

/* Whether the recording makes several files with names of their own. */
static bool switches_files(const struct recorder_options *o)
{
	return !o->overwrite &&
	       (o->switch_bytes || o->switch_ns || o->triggers & TRIGGER_SIGNAL || o->trigger_file);
}

static int name_file(struct recorder *r, struct error *err)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	free(r->output_path);
	r->output_path = files_name(r->options->output, &now);
	return r->output_path ? 0 : error_nomem(err);
}

/* Open the first file, not yet under its name; with overwrite only check that it can be created. */
static int open_output(struct recorder *r, struct error *err)
{
	const struct recorder_options *o = r->options;
	struct stat st;
	int ret = 0;

	if ((o->overwrite || switches_files(o)) && !stat(o->output, &st) && !S_ISREG(st.st_mode))
		return error_set(err, EINVAL,
				 "several files or snapshots cannot go to '%s'; name a file (-o)",
				 o->output);
	if (switches_files(o))
		ret = name_file(r, err);
	if (!ret)
		ret = output_open(&r->output, &r->config,
				  r->output_path ? r->output_path : o->output, err);
	if (o->overwrite)
		output_deinit(&r->output);
	return ret;
}

static bool records(const struct recorder *r, enum known_event_id id)
{
	const struct evlist *l = &r->capture.evlist;

	for (size_t i = 0; i < l->nr; i++)
		if (!strcmp(l->evsels[i].system, "kmem") && !l->evsels[i].filter &&
		    !strcmp(l->evsels[i].name, strchr(known_events[id].name, ':') + 1))
			return true;
	return false;
}

/* Whether it records all allocations and frees of slab objects. */
static bool records_slab(const struct recorder *r)
{
	return records(r, EVENT_kmalloc) && records(r, EVENT_kfree) &&
	       records(r, EVENT_kmem_cache_alloc) && records(r, EVENT_kmem_cache_free);
}

/* Read the kernel's count of slab objects at the first and the last moment of a file. */
static int count_slabs(struct recorder *r, uint64_t time_ns, struct error *err)
{
	const struct recorder_options *o = r->options;

	/* the beginning of a snapshot is not known before it is taken */
	if (o->overwrite || !records_slab(r))
		return 0;
	r->slab_counts.whole = !r->target.nr_tids && !o->nr_pids && !o->cgroup && !o->cpus.nr &&
			       !o->filter && o->period <= 1;
	if (slab_counts_read(&r->slab_counts, SLAB_CACHES_INFO, SLAB_CACHES_DIR, time_ns))
		return error_nomem(err);
	return 0;
}

static bool whole_system(const struct recorder *r)
{
	return !r->target.nr_tids || r->options->nr_pids;
}

/* Records of the current state: the kernel only reports changes. */
static int add_existing(struct recorder *r, struct error *err)
{
	const struct recorder_options *o = r->options;
	int ret = 0;

	if (o->cgroups)
		ret = output_add_cgroups(&r->output, err);
	r->module_bytes = 0;
	if (!ret)
		ret = write_modules(r, &r->output, err);
	if (!ret && whole_system(r))
		ret = output_add_tasks(&r->output, o->pids, o->nr_pids, err);
	else if (!ret && r->ending.workload.pid)
		ret = output_add_tasks(&r->output, &r->ending.workload.pid, 1, err);
	return ret;
}

/* Write the records of the current state. */
static int begin_file(struct recorder *r, struct error *err)
{
	if (r->options->overwrite)
		return 0;
	r->nr_files++;
	output_begin(&r->output);
	/* After enabling: the kernel reports new tasks from now on, so none is missed. */
	if (add_existing(r, &r->write_error) && r->write_error.code == ENOMEM)
		return error_nomem(err);
	return 0;
}

/* Whether it is time for the next file or a snapshot. Removes the trigger file. */
static bool wants_file(struct recorder *r, uint64_t now)
{
	const struct recorder_options *o = r->options;
	bool wants = r->ending.triggered && o->triggers & TRIGGER_SIGNAL;

	r->ending.triggered = false;
	/* A trigger file that cannot be removed would trigger for ever. */
	if (o->trigger_file && !access(o->trigger_file, F_OK))
		wants |= !unlink(o->trigger_file);
	if (o->switch_ns && now - r->switched_ns >= o->switch_ns)
		wants = true;
	if (o->switch_bytes && !o->overwrite && output_bytes(&r->output) >= o->switch_bytes)
		wants = true;
	return wants && r->enabled;
}

/* Add up the figures of a finished file. */
static int account(struct recorder *r, bool report)
{
	const char *path = r->output_path ? r->output_path : r->options->output;
	struct recorder_news news = {
		.path = path,
		.bytes = output_bytes(&r->output),
		.events = r->output.scan.nr_samples,
	};

	for (size_t i = 0; i < r->capture.evlist.nr; i++) {
		r->samples[i] += r->output.scan.samples[i];
		news.lost += r->capture.evlist.evsels[i].lost;
	}
	r->nr_samples += news.events;
	if (r->output.symbols > r->symbols)
		r->symbols = r->output.symbols;
	if (files_add(&r->files, path, news.bytes))
		return -ENOMEM;
	if (report && r->options->report)
		r->options->report(r->options->report_ctx, &news);
	return 0;
}

static int finish_file(struct recorder *r, bool last, struct error *err)
{
	_cleanup_free_ struct event_counts *counts = calloc(r->capture.evlist.nr, sizeof(*counts));
	int ret;

	if (!counts)
		return error_nomem(err);
	ret = r->capture.ops->read_counts(&r->capture, err);
	if (ret)
		return ret;
	/* Records that an overwritten buffer dropped were discarded, not lost. */
	if (r->options->overwrite)
		evlist_told(&r->capture.evlist);
	evlist_count_file(&r->capture.evlist, r->output.scan.samples,
			  last && !r->options->overwrite, r->write_error.code, counts);
	ret = output_finish(&r->output, counts, &r->span, r->write_error.code, err);
	if (!ret && !r->place_error.code)
		output_check(&r->output, &r->place_error);
	evlist_told(&r->capture.evlist);
	return ret;
}

static int switch_file(struct recorder *r, struct error *err)
{
	int ret;

	r->capture.ops->clock(&r->span.stop_ns);
	ret = count_slabs(r, r->span.stop_ns, err);
	if (!ret)
		ret = finish_file(r, false, err);
	slab_counts_restart(&r->slab_counts);
	/* events in the buffers now belong to the next file */
	r->span.start_ns = r->span.stop_ns;
	if (!ret && account(r, true))
		ret = error_nomem(err);
	if (ret)
		return ret;
	output_deinit(&r->output);
	ret = name_file(r, err);
	if (!ret)
		ret = output_open(&r->output, &r->config, r->output_path, err);
	if (!ret)
		ret = output_publish(&r->output, err);
	return ret ? ret : begin_file(r, err);
}

static int snapshot(struct recorder *r, bool last, struct error *err)
{
	int ret = last ? 0 : name_file(r, err);
	bool discarded = false;

	if (last) {
		free(r->output_path);
		r->output_path = NULL;
	}
	if (!ret)
		ret = output_open(&r->output, &r->config,
				  r->output_path ? r->output_path : r->options->output, err);
	if (!ret)
		ret = output_publish(&r->output, err);
	if (!ret)
		ret = add_existing(r, err);
	if (!ret)
		ret = r->capture.ops->snapshot(&r->capture, last, &r->span.stop_ns, &discarded,
					       &r->output, err);
	if (discarded)
		r->span.start_ns = 0; /* it begins with the oldest remaining event */
	if (ret) {
		/* A full disk: complete the file as far as it was written. */
		r->write_error = *err;
		if (!r->output.config)
			return ret;
	}
	r->nr_files++;
	ret = finish_file(r, last, err);
	if (!ret && account(r, !last))
		ret = error_nomem(err);
	output_deinit(&r->output);
	return ret;
}

/* End this file and begin the next one, or take a snapshot, while the recording continues. */
static int next_file(struct recorder *r, uint64_t now, struct error *err)
{
	r->switched_ns = now;
	return r->options->overwrite ? snapshot(r, false, err) : switch_file(r, err);
}

/* Events are disabled and everything has been written: finish the last file. */
static int end_files(struct recorder *r, struct error *err)
{
	int ret = 0;

	if (!r->options->overwrite) {
		ret = finish_file(r, true, err);
		if (!ret && account(r, false))
			ret = error_nomem(err);
	} else if (r->options->triggers & TRIGGER_EXIT && !r->write_error.code) {
		ret = snapshot(r, true, err);
	}
	r->bytes = r->files.bytes;
	return ret;
}

/* ---- the main loop --------------------------------------------------------------------------- */

static int open_file(struct recorder *r, struct error *err)
{
	r->samples = calloc(r->capture.evlist.nr, sizeof(*r->samples));
	if (!r->samples)
		return error_nomem(err);
	r->config = (struct output_config){
		.version = r->options->version,
		.tracefs = &r->tracefs,
		.evlist = &r->capture.evlist,
		.gone = &r->capture.gone,
		.filter = *r->capture.filter ? r->capture.filter : NULL,
		.slab_counts = &r->slab_counts,
		.kernel_frees = r->capture.kernel_frees,
		.etext = r->capture.etext,
		.compress_level = r->options->compress_level,
		.hooks = {.wait = {wait_writable, r}, .level = packing_level, .ctx = r},
	};
	r->files.max = r->options->max_files;
	return open_output(r, err);
}

int recorder_init(struct recorder *r, const struct recorder_options *options, struct error *err)
{
	int ret;

	*r = (struct recorder){.options = options};
	r->pace = (struct pace){options->compress_level, options->compress_level};
	ret = ending_init(&r->ending, err);
	if (!ret)
		ret = tracefs_find(&r->tracefs, !options->no_mount, err);
	if (!ret)
		ret = target_cpus(&r->target.cpus, &options->cpus, err);
	if (!ret && options->command)
		ret = ending_fork(&r->ending, options->command,
				  /* the command's output would corrupt the stream */
				  recorder_to_stdout(options) ? STDERR_FILENO : -1, err);
	if (!ret)
		ret = target_tids(options, r->ending.workload.pid, &r->target.tids,
				  &r->target.nr_tids, err);
	if (!ret)
		ret = capture_backend_open(&r->capture, options, &r->target, &r->tracefs, err);
	if (!ret)
		watch_modules(r);
	if (!ret)
		ret = open_file(r, err);
	return ret;
}

static int enable(struct recorder *r, struct error *err)
{
	r->enabled = true;
	r->capture.ops->clock(&r->span.start_ns);
	if (count_slabs(r, r->span.start_ns, err))
		return -ENOMEM;
	r->capture.ops->clock(&r->span.start_ns);
	r->start_ns = r->switched_ns = r->progress_ns = now_ns();
	return r->capture.ops->enable(&r->capture, err);
}

int recorder_start(struct recorder *r, struct error *err)
{
	int ret = 0;

	priority_raise(&r->priority);
	r->start_ns = now_ns();
	if (!r->options->delay_ns)
		ret = enable(r, err);
	/* before the command runs: it could rename itself otherwise */
	if (!ret)
		ret = begin_file(r, err);
	/* the names in loaded modules, before they may be unloaded */
	if (!ret && module_watch_read_names(&r->modules))
		ret = error_nomem(err);
	if (!ret && r->ending.workload.pid)
		ret = workload_start(&r->ending.workload, err);
	return ret || r->options->overwrite ? ret : output_publish(&r->output, err);
}

/* Modules first: samples taken after them wait for the next drain. */
static int drain(struct recorder *r, struct error *err)
{
	int ret = write_modules(r, r->options->overwrite ? NULL : &r->output, err);

	if (ret || r->options->overwrite)
		return ret;
	ret = r->capture.ops->drain(&r->capture, &r->output, err);

	priority_realtime(&r->priority, true);
	return ret;
}

static uint64_t written(const struct recorder *r)
{
	return r->files.bytes + (r->output.config ? output_bytes(&r->output) : 0);
}

static void report_progress(struct recorder *r, uint64_t now)
{
	struct recorder_news news = {
		.time_ns = now - r->start_ns,
		.bytes = written(r),
	};

	if (!r->options->report_progress || now - r->progress_ns < PROGRESS_NS ||
	    r->capture.ops->read_counts(&r->capture, NULL))
		return;
	r->progress_ns = now;
	for (size_t i = 0; i < r->capture.evlist.nr; i++) {
		news.events += r->capture.evlist.evsels[i].count;
		news.lost += r->capture.evlist.evsels[i].lost;
	}
	r->options->report(r->options->report_ctx, &news);
}

/* Copies of user stacks of the whole system can fill a disk within minutes: warn once, if they will
 * within the recording and an hour. */
static void warn_rate(struct recorder *r, uint64_t now)
{
	const struct recorder_options *o = r->options;
	const char *path = r->output_path ? r->output_path : o->output;
	char rate[UNITS_BUF];
	struct statvfs fs;
	uint64_t per_s, left_s, wanted_s = DISK_LASTS_S;

	if (r->warned_rate || !o->user_stack_bytes || r->target.nr_tids || o->max_bytes ||
	    o->max_files || !r->output.config || now - r->start_ns < RATE_AFTER_NS)
		return;
	r->warned_rate = true;
	per_s = written(r) * 1000000000 / (now - r->start_ns);
	if (!per_s || recorder_to_stdout(o) || statvfs(path, &fs))
		return;
	left_s = (uint64_t)fs.f_bavail * fs.f_frsize / per_s;
	if (o->duration_ns && o->duration_ns / 1000000000 < wanted_s)
		wanted_s = o->duration_ns / 1000000000;
	if (left_s > wanted_s)
		return;
	units_bytes(rate, sizeof(rate), per_s);
	log_warn("user stacks of the whole system take %s/s: the disk of '%s' is full in %" PRIu64
		 " %s (to record less: --only-command, -p; to stop before: --max-size)",
		 rate, path, left_s < 600 ? left_s : left_s / 60, left_s < 600 ? "s" : "minutes");
}

static void look_at_cpus(struct recorder *r, uint64_t now)
{
	_cleanup_(cpulist_deinit) struct cpulist online = CPULIST_INIT;

	if (!r->capture.ops->look_at_cpus || now - r->looked_ns < LOOK_EVERY_NS)
		return;
	r->looked_ns = now;
	if (!target_online(&online, NULL))
		r->capture.ops->look_at_cpus(&r->capture, &online);
}

/* Do everything that is due. Returns true if the recording must end. */
static bool tick(struct recorder *r, uint64_t now, struct error *err)
{
	const struct recorder_options *o = r->options;

	/* Enabling sets start_ns later than now: nothing else is due yet. */
	if (!r->enabled)
		return now - r->start_ns >= o->delay_ns && enable(r, err);
	if (o->duration_ns && now - r->start_ns >= o->duration_ns)
		return true;
	if (wants_file(r, now) && next_file(r, now, &r->write_error))
		return true;
	if (r->write_error.code)
		return true;
	if (o->max_bytes && written(r) >= o->max_bytes)
		return true;
	report_progress(r, now);
	warn_rate(r, now);
	look_at_cpus(r, now);
	return false;
}

/* The time until the next thing is due, at most until the buffers must be drained. */
static int wait_ms(const struct recorder *r, uint64_t now)
{
	uint64_t due = r->enabled ? r->options->duration_ns : r->options->delay_ns;
	uint64_t passed = now - r->start_ns;
	unsigned int drain_ms = r->capture.ops->drain_every_ms;

	if (!due || passed + drain_ms * 1000000ULL < due)
		return (int)drain_ms;
	return passed >= due ? 0 : (int)((due - passed + 999999) / 1000000);
}

int recorder_run(struct recorder *r, struct error *err)
{
	const struct capture_backend *k = &r->capture;
	size_t nr_news = k->nr_fds + r->modules.nr_cpus;
	_cleanup_free_ struct pollfd *fds = calloc(nr_news + 2, sizeof(*fds));
	/* With snapshots, there is nothing to drain. */
	nfds_t nr_fds = nr_news + (r->options->overwrite ? 1 : 2);
	bool ended = r->write_error.code;

	if (!fds)
		return error_nomem(err);
	fds[0] = (struct pollfd){.fd = r->ending.signal_fd, .events = POLLIN};
	for (size_t i = 0; i < k->nr_fds; i++)
		fds[i + 1] = (struct pollfd){.fd = k->fds[i], .events = POLLIN};
	module_watch_fds(&r->modules, fds + k->nr_fds + 1);
	/* the reader of a pipe may close it while nothing is written */
	fds[nr_news + 1] = (struct pollfd){.fd = output_stream(&r->output)};
	while (!ended) {
		int n = poll(fds, nr_fds, wait_ms(r, now_ns()));

		if (n < 0 && errno != EINTR)
			return error_set_errno(err, errno, "cannot wait for events");
		ended = ending_look(&r->ending);
		/* After a task has ended, its event signals hangup for ever: from then on drain by
		 * time. */
		for (size_t i = 1; i <= nr_news; i++)
			if (fds[i].revents & (POLLHUP | POLLERR))
				fds[i].fd = -1;
		if (!r->options->overwrite && fds[nr_news + 1].revents & POLLERR) {
			error_set(&r->write_error, EPIPE, "the reader of '%s' went away",
				  r->options->output);
			break;
		}
		if (!r->options->command && r->target.nr_tids &&
		    !target_alive(r->target.tids, r->target.nr_tids))
			ended = true;
		if (drain(r, &r->write_error))
			ended = true;
		if (!ended)
			ended = tick(r, now_ns(), err);
		if (err->code)
			return -err->code;
	}
	return 0;
}

int recorder_finish(struct recorder *r, struct error *err)
{
	r->looked_ns = 0;
	look_at_cpus(r, now_ns());
	/* before disabling, which takes 20 ms: the last processes may be freeing their objects */
	r->capture.ops->clock(&r->span.stop_ns);
	count_slabs(r, r->span.stop_ns, &r->write_error);
	r->capture.ops->disable(&r->capture, &r->span.stop_ns);
	if (!r->write_error.code)
		drain(r, &r->write_error);
	priority_lower(&r->priority);
	return end_files(r, err);
}

void recorder_deinit(struct recorder *r)
{
	priority_lower(&r->priority);
	output_deinit(&r->output);
	files_deinit(&r->files);
	free(r->output_path);
	free(r->samples);
	slab_counts_deinit(&r->slab_counts);
	module_watch_close(&r->modules);
	strbuf_deinit(&r->module_lines);
	capture_backend_deinit(&r->capture);
	cpulist_deinit(&r->target.cpus);
	free(r->target.tids);
	r->target.tids = NULL;
	ending_deinit(&r->ending);
}
