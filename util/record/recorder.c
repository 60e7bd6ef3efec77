// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/recorder.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/record/host_features.h"
#include "util/record/kernel_symbols.h"
#include "util/record/synthesize.h"
#include "util/record/target.h"
#include "util/record/tracing_data.h"

/* Wake up when this part of a buffer is full; what lies in buffers longer is drained by time. */
#define WAKEUP_PART    8
#define WAKEUP_MAX     (4U << 20)
#define DRAIN_EVERY_MS 250

/*
 * FINISHED_ROUND promises that nothing older than the round before last follows.  A sample
 * may stay hidden for as long as a softirq that interrupted the writing of an earlier one
 * takes (seen: milliseconds, thousands of samples), so rounds must be longer than that.
 */
#define ROUND_MIN_NS 50000000ULL

static int take_signals(struct recorder *r, struct error *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &r->old_mask);
	r->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return r->signal_fd < 0 ? error_set_errno(err, errno, "cannot take signals") : 0;
}

/*
 * On a machine with hundreds of runnable tasks the recorder's fair share is too small to
 * empty the buffers in time.  It runs for milliseconds per second, so let it go first; where
 * that is not allowed, it stays as it is.  The command was forked before and is not touched.
 */
static void raise_priority(void)
{
	struct sched_param param = {.sched_priority = 1};

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param))
		log_info("no right to raise the recorder's priority: %s", strerror(errno));
}

static void lower_priority(void)
{
	struct sched_param param = {0};

	if (sched_getscheduler(0) & SCHED_FIFO)
		sched_setscheduler(0, SCHED_OTHER, &param);
}

static int open_events(struct recorder *r, struct error *err)
{
	const struct recorder_options *o = r->options;
	uint64_t bytes = rings_bytes(o->buffer_bytes, r->cpus.nr);
	uint64_t wakeup = bytes / WAKEUP_PART;
	struct evlist_config config = {
		.callchain = o->callchain,
		.period = o->period,
		.max_stack = o->max_stack,
		.wakeup_bytes = wakeup > WAKEUP_MAX ? WAKEUP_MAX : (uint32_t)wakeup,
		.inherit = r->nr_tids > 0,
	};
	struct open_target target = {.cpus = &r->cpus, .tids = r->tids, .nr_tids = r->nr_tids};
	int ret = evlist_init(&r->evlist, &r->tracefs, &o->events, &config, err);

	if (!ret)
		ret = evlist_open(&r->evlist, &target, err);
	if (!ret && !r->nr_tids && !o->with_self) {
		snprintf(r->filter, sizeof(r->filter), "common_pid != %d", (int)getpid());
		ret = evlist_set_filter(&r->evlist, r->filter, err);
	}
	if (!ret)
		ret = rings_init(&r->rings, &r->evlist, &r->cpus, bytes, !o->buffer_bytes, err);
	if (!ret && r->rings.bytes < bytes && !o->buffer_bytes)
		log_warn("buffers cut from %llu to %llu KiB per CPU: the kernel allows no more "
			 "(kernel.perf_event_mlock_kb, ulimit -l)",
			 (unsigned long long)bytes >> 10, (unsigned long long)r->rings.bytes >> 10);
	return ret;
}

static int append(struct recorder *r, const struct strbuf *records, struct error *err)
{
	struct iovec piece = {records->buf, records->len};

	if (records->failed)
		return error_nomem(err);
	return perfdata_writer_append(&r->writer, &piece, 1, err);
}

/* Header, attrs, then the event formats and the kernel's place as the first records. */
static int begin_file(struct recorder *r, struct error *err)
{
	_cleanup_free_ struct perfdata_writer_attr *attrs = calloc(r->evlist.nr, sizeof(*attrs));
	_cleanup_(strbuf_deinit) struct strbuf tracing = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf records = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf ids = STRBUF_INIT;
	_cleanup_(kernel_symbols_deinit) struct kernel_symbols ks = {.text = STRBUF_INIT};
	size_t at = 0;
	int ret;

	for (size_t i = 0; i < r->evlist.nr; i++)
		for (size_t j = 0; j < r->evlist.evsels[i].nr_fds; j++)
			strbuf_add(&ids, &r->evlist.evsels[i].fds[j].id, sizeof(uint64_t));
	if (!attrs || ids.failed)
		return error_nomem(err);
	for (size_t i = 0; i < r->evlist.nr; i++) {
		const struct evsel *e = &r->evlist.evsels[i];

		attrs[i] = (struct perfdata_writer_attr){
			.attr = &e->attr,
			.ids = (const uint64_t *)ids.buf + at,
			.nr_ids = e->nr_fds,
		};
		at += e->nr_fds;
	}
	ret = perfdata_writer_open(&r->writer, r->options->output, err);
	if (!ret && r->options->compress_level)
		ret = perfdata_writer_compress(&r->writer, r->options->compress_level, err);
	if (!ret)
		ret = perfdata_writer_begin(&r->writer, attrs, r->evlist.nr, err);
	if (!ret)
		ret = tracing_data_make(&tracing, &r->tracefs, &r->evlist,
					&(struct strbuf)STRBUF_INIT, err);
	if (!ret)
		ret = kernel_symbols_init(&ks, NULL, err);
	if (ret)
		return ret;
	r->symbols_hidden = ks.hidden;
	tracing_data_early_records(&records, &tracing);
	synthesize_kernel(&records, &ks);
	return append(r, &records, err);
}

int recorder_init(struct recorder *r, const struct recorder_options *options, struct error *err)
{
	int ret;

	*r = (struct recorder){.options = options, .signal_fd = -1, .writer = {.fd = -1}};
	r->workload = (struct workload){.go_fd = -1, .result_fd = -1};
	ret = take_signals(r, err);
	if (!ret)
		ret = tracefs_find(&r->tracefs, err);
	if (!ret)
		ret = target_cpus(&r->cpus, &options->cpus, err);
	if (!ret && options->command)
		ret = workload_fork(&r->workload, options->command, &r->old_mask, err);
	if (!ret)
		ret = target_tids(options, r->workload.pid, &r->tids, &r->nr_tids, err);
	if (!ret)
		ret = open_events(r, err);
	if (!ret)
		ret = begin_file(r, err);
	return ret;
}

int recorder_start(struct recorder *r, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf records = STRBUF_INIT;
	const struct recorder_options *o = r->options;
	int ret;

	raise_priority();
	ret = evlist_enable(&r->evlist, err);
	if (!ret && r->workload.pid)
		ret = workload_start(&r->workload, err);
	if (!ret)
		ret = perfdata_writer_publish(&r->writer, err);
	if (ret)
		return ret;
	/* After enabling: a task that begins now is told by the kernel, no task is missed. */
	if (!r->nr_tids || o->nr_pids)
		ret = synthesize_tasks(&records, o->pids, o->nr_pids,
				       evlist_user_callchains(&r->evlist));
	if (!ret && append(r, &records, &r->write_error))
		log_info("%s", r->write_error.msg);
	return ret ? error_nomem(err) : 0;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int drain(struct recorder *r, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf round = STRBUF_INIT;
	uint64_t now = now_ns();
	int ret = 0;

	for (size_t i = 0; i < r->rings.nr && !ret; i++) {
		struct ring_buffer *rb = &r->rings.v[i].rb;
		struct iovec pieces[2];
		int nr;

		if (!ring_buffer_take(rb, pieces, &nr))
			continue;
		r->round_open = true;
		ret = perfdata_writer_append(&r->writer, pieces, nr, err);
		ring_buffer_release(rb);
	}
	if (ret || !r->round_open || now - r->round_ns < ROUND_MIN_NS)
		return ret;
	r->round_open = false;
	r->round_ns = now;
	synthesize_finished_round(&round);
	return append(r, &round, err);
}

/*
 * A sample whose writing was begun before its event was disabled is seen only when all
 * that it interrupted are written too.  They are written in RCU read sections.
 */
static void wait_for_writers(void)
{
	const struct timespec pause = {.tv_nsec = 50000000};

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		nanosleep(&pause, NULL); /* nohz_full, or built without CONFIG_MEMBARRIER */
}

/* True: something ends the recording. */
static bool handle_signals(struct recorder *r)
{
	struct signalfd_siginfo si;

	while (read(r->signal_fd, &si, sizeof(si)) == sizeof(si))
		if (si.ssi_signo != SIGCHLD)
			r->signal = (int)si.ssi_signo;
	return r->signal || (r->options->command && workload_ended(&r->workload));
}

int recorder_run(struct recorder *r, struct error *err)
{
	_cleanup_free_ struct pollfd *fds = calloc(r->rings.nr + 1, sizeof(*fds));
	bool ended = r->write_error.code;

	if (!fds)
		return error_nomem(err);
	fds[0] = (struct pollfd){.fd = r->signal_fd, .events = POLLIN};
	for (size_t i = 0; i < r->rings.nr; i++)
		fds[i + 1] = (struct pollfd){.fd = r->rings.v[i].fd, .events = POLLIN};
	while (!ended) {
		int n = poll(fds, r->rings.nr + 1, DRAIN_EVERY_MS);

		if (n < 0 && errno != EINTR)
			return error_set_errno(err, errno, "cannot wait for events");
		ended = handle_signals(r);
		/* A task's event hangs up at its end for good: from then on drain by time. */
		for (size_t i = 1; i <= r->rings.nr; i++)
			if (fds[i].revents & (POLLHUP | POLLERR))
				fds[i].fd = -1;
		if (!r->options->command && r->nr_tids && !target_alive(r->tids, r->nr_tids))
			ended = true;
		if (drain(r, &r->write_error))
			ended = true;
	}
	return 0;
}

/* Read over what was written: samples, times, and which addresses want a name. */
static int scan_file(struct recorder *r, struct error *err)
{
	uint64_t start = r->writer.header.data.offset, end = r->writer.pos;
	int ret = sample_scan_init(&r->scan, &r->evlist, err);
	uint8_t *map;

	if (ret || !r->writer.regular || start == end)
		return ret;
	map = mmap(NULL, end, PROT_READ, MAP_SHARED, r->writer.fd, 0);
	if (map == MAP_FAILED)
		return error_set_errno(err, errno, "cannot read back '%s'", r->options->output);
	madvise(map, end, MADV_SEQUENTIAL);
	ret = sample_scan_data(&r->scan, map + start, end - start, err);
	munmap(map, end);
	return ret;
}

static int add_features(struct recorder *r, struct perfdata_features *f, struct error *err)
{
	_cleanup_(kernel_symbols_deinit) struct kernel_symbols ks = {.text = STRBUF_INIT};
	_cleanup_(strbuf_deinit) struct strbuf kallsyms = STRBUF_INIT;
	uint64_t times[2] = {r->scan.first_ns, r->scan.last_ns};
	struct strbuf *tracing;
	int ret;

	/* Again, not as it was at the start: modules may have come. */
	ret = kernel_symbols_init(&ks, NULL, err);
	if (ret)
		return ret;
	if (kernel_symbols_select(&ks, (const uint64_t *)r->scan.addresses.rows,
				  r->scan.addresses.nr, &kallsyms))
		return error_nomem(err);
	tracing = perfdata_features_set(f, HEADER_TRACING_DATA);
	if (!tracing)
		return error_nomem(err);
	ret = tracing_data_make(tracing, &r->tracefs, &r->evlist, &kallsyms, err);
	if (!ret)
		ret = host_features_add(f, r->options->version, err);
	if (!ret)
		ret = host_features_add_events(f, &r->evlist, err);
	if (!ret)
		ret = host_features_add_info(f, &r->evlist, *r->filter ? r->filter : NULL, err);
	if (!ret && r->writer.packer && host_features_add_compressed(f, r->writer.level))
		ret = error_nomem(err);
	if (!ret && r->scan.last_ns && perfdata_features_set_u64(f, HEADER_SAMPLE_TIME, times, 2))
		ret = error_nomem(err);
	return ret;
}

int recorder_finish(struct recorder *r, struct error *err)
{
	_cleanup_(perfdata_features_deinit) struct perfdata_features f = PERFDATA_FEATURES_INIT;
	_cleanup_(strbuf_deinit) struct strbuf records = STRBUF_INIT;
	int ret;

	evlist_disable(&r->evlist);
	wait_for_writers();
	if (!r->write_error.code)
		drain(r, &r->write_error);
	lower_priority();
	ret = evlist_read_counts(&r->evlist, err);
	if (ret)
		return ret;
	synthesize_lost(&records, &r->evlist);
	if (!r->write_error.code && records.len)
		append(r, &records, &r->write_error);
	ret = scan_file(r, err);
	if (!ret)
		ret = add_features(r, &f, err);
	if (!ret)
		ret = perfdata_writer_finish(&r->writer, &f, err);
	r->bytes = r->writer.pos;
	return ret;
}

void recorder_reap(struct recorder *r)
{
	struct pollfd fd = {.fd = r->signal_fd, .events = POLLIN};
	int last = r->signal;

	if (!r->workload.pid)
		return;
	if (r->signal)
		kill(r->workload.pid, r->signal);
	while (!workload_ended(&r->workload)) {
		poll(&fd, 1, -1);
		r->signal = 0;
		handle_signals(r);
		/* A second Ctrl-C: wait no longer. */
		if (r->signal && last && !workload_ended(&r->workload)) {
			r->workload.status = 128 + r->signal;
			break;
		}
		if (r->signal)
			kill(r->workload.pid, r->signal);
		last = r->signal ? r->signal : last;
	}
	r->signal = last;
}

void recorder_deinit(struct recorder *r)
{
	lower_priority();
	sample_scan_deinit(&r->scan);
	rings_deinit(&r->rings);
	evlist_deinit(&r->evlist);
	workload_deinit(&r->workload);
	perfdata_writer_deinit(&r->writer);
	cpulist_deinit(&r->cpus);
	free(r->tids);
	r->tids = NULL;
	if (r->signal_fd >= 0) {
		close(r->signal_fd);
		sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
	}
	r->signal_fd = -1;
}
