// SPDX-License-Identifier: GPL-2.0-or-later
/* The capture backend of perf_event_open: descriptors, a ring for each CPU, filters. */
#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/capture/capture_backend.h"
#include "util/capture/cgroup.h"
#include "util/capture/filter.h"
#include "util/capture/kthread_names.h"
#include "util/capture/rings.h"
#include "util/capture/sample_clock.h"

/* The fill level of a buffer for a wakeup; records below it are drained at intervals. */
#define WAKEUP_PART 8
#define WAKEUP_MAX  (4U << 20)

struct perf_backend {
	struct rings rings;
	struct kthread_names kthreads; /* empty unless all tasks are recorded */
};

static struct rings *rings_of(const struct capture_backend *k)
{
	struct perf_backend *p = k->state;

	return &p->rings;
}

static int open_events(struct capture_backend *k, const struct tracefs *t, uint64_t bytes,
		       struct error *err)
{
	const struct recorder_options *o = k->options;
	const struct record_target *target = k->target;
	uint64_t wakeup = bytes / WAKEUP_PART;
	struct evlist_config config = {
		.callchain = o->callchain,
		.user_stack_bytes = o->user_stack_bytes,
		.period = o->period,
		.max_stack = o->max_stack,
		.wakeup_bytes = wakeup > WAKEUP_MAX ? WAKEUP_MAX : (uint32_t)wakeup,
		.inherit = target->nr_tids > 0,
		.cgroups = o->cgroups,
		.overwrite = o->overwrite,
	};
	_cleanup_close_ int cgroup_fd = -1;
	struct open_target to = {
		.cpus = &target->cpus, .tids = target->tids, .nr_tids = target->nr_tids};
	struct filters filters = {.common = o->filter};
	int ret = evlist_init(&k->evlist, t, &o->events, &config, err);

	if (!ret && o->cgroup) {
		cgroup_fd = cgroup_open(o->cgroup, err);
		ret = cgroup_fd < 0 ? cgroup_fd : 0;
	}
	to.cgroup_fd = cgroup_fd;
	if (!ret)
		ret = evlist_open(&k->evlist, &to, err);
	capture_backend_hide_self(k);
	filters.own = *k->filter ? k->filter : NULL;
	return ret ? ret : filters_set(&filters, &k->evlist, t, err);
}

/* Overwritten buffers are not read continuously: nothing to poll. */
static int list_fds(struct capture_backend *k, struct error *err)
{
	const struct rings *rings = rings_of(k);

	k->fds = k->options->overwrite ? NULL : calloc(rings->nr, sizeof(*k->fds));
	if (!k->options->overwrite && !k->fds)
		return error_nomem(err);
	k->nr_fds = k->fds ? rings->nr : 0;
	for (size_t i = 0; i < k->nr_fds; i++)
		k->fds[i] = rings->v[i].fd;
	return 0;
}

/* Whether frees of slab objects are recorded, some of which have no tracepoint. */
static bool records_frees(const struct evlist *l)
{
	for (size_t i = 0; i < l->nr; i++)
		if (!strcmp(l->evsels[i].name, "kfree"))
			return true;
	return false;
}

static int open_perf(struct capture_backend *k, const struct tracefs *t, struct error *err)
{
	const struct recorder_options *o = k->options;
	uint64_t bytes = rings_bytes(o->buffer_bytes, k->target->cpus.nr);
	struct perf_backend *p = calloc(1, sizeof(*p));
	struct error why = ERROR_INIT;
	struct rings *rings;
	int ret;

	k->state = p;
	if (!p)
		return error_nomem(err);
	rings = &p->rings;
	ret = open_events(k, t, bytes, err);
	if (!ret)
		ret = rings_init(rings, &k->evlist, &k->target->cpus, bytes, !o->buffer_bytes,
				 o->overwrite, err);
	if (ret)
		return ret;
	if (o->probes && records_frees(&k->evlist))
		log_info("frees by RCU and in bulk, and bulk allocations, are not recorded: they "
			 "have no tracepoint, only BPF can probe them");
	if (rings->bytes < bytes && !o->buffer_bytes)
		log_warn("buffers cut from %llu to %llu KiB per CPU: the kernel allows no more "
			 "(kernel.perf_event_mlock_kb, ulimit -l)",
			 (unsigned long long)bytes >> 10, (unsigned long long)rings->bytes >> 10);
	k->buffer_bytes = rings->bytes;
	if (!k->target->nr_tids && kthread_names_init(&p->kthreads, t, &k->target->cpus,
						      k->evlist.evsels[0].fds[0].id, &why))
		log_info("new kernel threads get the name kthreadd: %s", why.msg);
	return list_fds(k, err);
}

static int enable(struct capture_backend *k, struct error *err)
{
	return evlist_enable(&k->evlist, err);
}

/*
 * A sample that was being written when its event was disabled becomes visible only when the samples
 * that it interrupted have been written, too. They are written in RCU read-side sections.
 */
static void wait_for_writers(void)
{
	const struct timespec pause = {.tv_nsec = 50000000};

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		nanosleep(&pause, NULL); /* nohz_full, or built without CONFIG_MEMBARRIER */
}

static void disable(struct capture_backend *k, uint64_t *ret_stop_ns)
{
	evlist_disable(&k->evlist);
	sample_clock_read(ret_stop_ns);
	wait_for_writers();
}

static int add_kthread_names(struct capture_backend *k, struct output *out, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf records = STRBUF_INIT;
	struct perf_backend *p = k->state;

	if (kthread_names_drain(&p->kthreads, &records))
		return error_nomem(err);
	return output_add_records(out, &records, err);
}

static int drain(struct capture_backend *k, struct output *out, struct error *err)
{
	struct rings *rings = rings_of(k);
	uint64_t begin_ns = now_ns();
	int ret = 0;

	for (size_t i = 0; i < rings->nr && !ret; i++) {
		struct ring_buffer *rb = &rings->v[i].rb;
		struct iovec pieces[2];
		int nr;

		uint64_t len = ring_buffer_take(rb, pieces, &nr), done = 0;

		while (done < len && !ret) {
			uint64_t at = done;

			ret = output_add(out, &rings->v[i].stream, pieces, nr, &at, err);
			ring_buffer_release(rb, at - done);
			done = at;
		}
	}
	if (!ret)
		ret = add_kthread_names(k, out, err);
	/* not the clock of the samples, but at the same rate */
	return ret ? ret : output_end_round(out, begin_ns - HIDDEN_MAX_NS, now_ns(), err);
}

/* Write the contents of the paused buffers. */
static int write_rings(const struct rings *rings, bool *ret_discarded, struct output *out,
		       struct error *err)
{
	uint64_t size = rings->bytes;
	uint8_t *copy =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ret = 0;

	if (copy == MAP_FAILED)
		return error_nomem(err);
	for (size_t i = 0; i < rings->nr && !ret; i++) {
		uint64_t len = ring_buffer_copy_newest(&rings->v[i].rb, copy);
		struct iovec piece = {copy + size - len, len};
		/* a buffer that was not overwritten since the last snapshot is written again */
		struct batch_stream stream = {0};

		*ret_discarded |= ring_buffer_overwritten(&rings->v[i].rb);
		for (uint64_t at = 0; at < len && !ret;)
			ret = output_add(out, &stream, &piece, 1, &at, err);
	}
	munmap(copy, size);
	return ret;
}

static int snapshot(struct capture_backend *k, bool last, uint64_t *ret_stop_ns,
		    bool *ret_discarded, struct output *out, struct error *err)
{
	const struct rings *rings = rings_of(k);
	int ret;

	rings_pause(rings, true);
	if (!last)
		sample_clock_read(ret_stop_ns);
	ret = write_rings(rings, ret_discarded, out, err);
	if (!ret)
		ret = add_kthread_names(k, out, err);
	if (!last)
		rings_pause(rings, false);
	return ret;
}

static int read_counts(struct capture_backend *k, struct error *err)
{
	return evlist_read_counts(&k->evlist, err);
}

static uint64_t unread(const struct capture_backend *k)
{
	const struct rings *rings = rings_of(k);
	uint64_t most = 0;

	for (size_t i = 0; i < rings->nr && !k->options->overwrite; i++) {
		uint64_t bytes = ring_buffer_unread(&rings->v[i].rb);

		most = bytes > most ? bytes : most;
	}
	return most;
}

/* The kernel does not report that a CPU's events end when it goes offline; if the CPU comes back,
 * they do not. */
static int look_at_cpus(struct capture_backend *k, const struct cpulist *online)
{
	struct rings *rings = rings_of(k);
	int *gone = calloc(rings->nr, sizeof(*gone));
	size_t nr = 0;

	if (!gone)
		return -ENOMEM;
	for (size_t i = 0; i < rings->nr; i++) {
		rings->v[i].gone |= !cpulist_has(online, rings->v[i].cpu);
		if (rings->v[i].gone)
			gone[nr++] = rings->v[i].cpu;
	}
	cpulist_deinit(&k->gone);
	k->gone = (struct cpulist){gone, nr};
	return 0;
}

static void deinit(struct capture_backend *k)
{
	struct perf_backend *p = k->state;

	if (p) {
		kthread_names_deinit(&p->kthreads);
		rings_deinit(&p->rings);
	}
	free(p);
}

const struct capture_backend_ops perf_backend = {
	.name = "perf",
	.drain_every_ms = 250,
	.open = open_perf,
	.enable = enable,
	.disable = disable,
	.drain = drain,
	.snapshot = snapshot,
	.read_counts = read_counts,
	.unread = unread,
	.clock = sample_clock_read,
	.look_at_cpus = look_at_cpus,
	.deinit = deinit,
};
