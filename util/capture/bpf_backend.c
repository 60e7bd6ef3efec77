// SPDX-License-Identifier: GPL-2.0-or-later
/* The capture backend of BPF programs: a capture, and samples made from its events. */
#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "util/base/cleanup.h"
#include "util/base/clock.h"
#include "util/bpf/capture.h"
#include "util/bpf/probes.h"
#include "util/capture/bpf_samples.h"
#include "util/capture/capture_backend.h"
#include "util/capture/cgroup.h"
#include "util/capture/map_events.h"
#include "util/capture/rings.h"
#include "util/host/cgroup_tree.h"
#include "util/output/synthesize.h"

/*
 * Readers keep two rounds in memory. All rings together, which may be full if the recorder had to
 * wait for a CPU, would be too much for that. So with more than ROUND_BYTES, rings are drained in
 * slices, the CPU that is furthest behind first, and a round ends after each such amount if it can.
 */
#define ROUND_BYTES (8U << 20)
#define SLICE_BYTES (1U << 20)
#define SLICE_NS    10000000

/* The types of probes' samples: far above those of the kernel's tracepoints, about 3,000. */
#define PROBE_TYPES 65000

#define SLICE_ENDS -EALREADY /* returned by take(): not an error */

struct cpu_drain {
	struct batch_stream stream;
	/* valid while all rings are drained */
	uint64_t end;	  /* its position at the beginning */
	uint64_t upto_ns; /* time of the last event taken */
};

struct bpf_backend {
	struct bpf_samples samples;
	struct bpf_capture *capture;
	uint64_t file_ns;   /* start of the file that they were written to */
	uint64_t drains[2]; /* start of this drain and of the previous one; 0 if there is none */
	/* valid while buffers are drained */
	struct cpu_drain *cpus;
	uint64_t last_ns, newest_ns; /* times of the last event taken, and of the newest */
	uint64_t slice_end_ns;	     /* the slice ends with the first event newer than this */
	struct output *out;
	struct error *err;
	struct cgroup_news cgroups; /* their creation is not reported */
	/* events missed before events were enabled (--delay) are not lost */
	struct bpf_counts before[BPF_KINDS];
	struct map_events maps; /* mappings of processes, if user callchains are recorded */
	bool has_maps, has_cgroups, disabled, in_slices;
	uint8_t kind_of[BPF_KINDS]; /* kind of the evsel with this index */
};

static const struct bpf_cache *find_cache(void *ctx, const struct bpf_event *ev)
{
	struct bpf_backend *b = ctx;

	return bpf_capture_cache(b->capture, ev);
}

/* Whether an option needs perf_event_open. */
static int refuse_options(const struct recorder_options *o, struct error *err)
{
	bool filters = o->filter;

	for (size_t i = 0; i < o->events.nr; i++)
		filters |= o->events.specs[i].filter != NULL;
	if (filters)
		return error_set(err, ENOTSUP, "--filter is in the language of perf_event_open");
	if (o->period > 1)
		return error_set(err, ENOTSUP, "only perf_event_open records one event in several");
	if (o->user_stack_bytes)
		return error_set(err, ENOTSUP,
				 "only perf_event_open copies user stacks (--user-stacks=dwarf)");
	if (o->overwrite)
		return error_set(err, ENOTSUP, "only perf_event_open has buffers that overwrite");
	return 0;
}

/* The kinds, and the depth of the callchain of each. */
static int choose_kinds(struct capture_backend *k, struct bpf_capture_options *c, struct error *err)
{
	struct bpf_backend *b = k->state;
	/* for all kinds at once, because the kernel's types are read for it */
	bpf_kinds_t known = bpf_capture_kinds(BPF_ALL_KINDS);

	for (size_t i = 0; i < k->evlist.nr; i++) {
		const struct evsel *e = &k->evlist.evsels[i];
		enum bpf_kind kind = bpf_plan_kind(e->system, e->name);
		unsigned int frames = e->attr.sample_max_stack;

		if (kind == BPF_KINDS || !(known >> kind & 1))
			return error_set(err, ENOTSUP, "only perf_event_open records '%s:%s'",
					 e->system, e->name);
		b->kind_of[i] = (uint8_t)kind;
		c->kinds |= BPF_BIT(kind);
		c->failed_only |= e->failed_only ? BPF_BIT(kind) : 0;
		if (!(e->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
			continue;
		c->max_stack[kind] =
			(uint8_t)(!frames || frames > BPF_STACK_MAX ? BPF_STACK_MAX : frames);
		if (!e->attr.exclude_callchain_user)
			c->max_user_stack[kind] = c->max_stack[kind];
	}
	c->kinds |= BPF_TASK_KINDS;
	if (~known & BPF_TASK_KINDS)
		return error_set(err, ENOTSUP, "BPF cannot follow the names of tasks here");
	return 0;
}

static int open_cgroup(const struct recorder_options *o, struct error *err)
{
	struct statfs fs;
	int fd = cgroup_open(o->cgroup, err);

	if (fd >= 0 && (fstatfs(fd, &fs) || fs.f_type != CGROUP2_SUPER_MAGIC)) {
		close(fd);
		return error_set(err, ENOTSUP,
				 "the control group '%s' is of version 1, which only "
				 "perf_event_open knows",
				 o->cgroup);
	}
	return fd;
}

/* Add the probes that add to the recorded events. */
static int add_probes(struct evlist *l, struct error *err)
{
	const size_t nr = l->nr;
	bpf_kinds_t kinds = 0, probes;

	for (size_t i = 0; i < nr; i++)
		if (!l->evsels[i].failed_only)
			kinds |= BPF_BIT(bpf_plan_kind(l->evsels[i].system, l->evsels[i].name));
	probes = bpf_probes_for(kinds);
	for (unsigned int kind = 0; kind < BPF_KINDS; kind++) {
		const char *system, *name = bpf_plan_event(kind, &system);
		size_t i = 0;

		if (!(probes >> kind & 1))
			continue;
		while (bpf_plan_kind(l->evsels[i].system, l->evsels[i].name) !=
		       bpf_probe_adds_to(kind))
			i++;
		if (evlist_add_like(l, i, system, name, PROBE_TYPES + kind))
			return error_nomem(err);
	}
	return 0;
}

/* Events whose cache only the programs know get its name, as a field behind the kernel's own:
 * probes and, if `kmallocs`, kmalloc and kfree. */
static int add_cache_names(struct evlist *l, bool kmallocs)
{
	const bpf_kinds_t of_kmalloc =
		BPF_BIT(BPF_KMALLOC) | BPF_BIT(BPF_KMALLOC_NODE) | BPF_BIT(BPF_KFREE);
	const bpf_kinds_t kinds = BPF_PROBE_KINDS | (kmallocs ? of_kmalloc : 0);

	for (size_t i = 0; i < l->nr; i++) {
		struct evsel *e = &l->evsels[i];
		enum bpf_kind kind = bpf_plan_kind(e->system, e->name);

		if (bpf_kind_has_cache(kind) && kinds >> kind & 1 && evsel_add_string(e, "name"))
			return -ENOMEM;
	}
	return 0;
}

static int make_evlist(struct capture_backend *k, const struct tracefs *t, struct error *err)
{
	const struct recorder_options *o = k->options;
	const struct evlist_config config = {
		.callchain = o->callchain,
		.period = o->period,
		.max_stack = o->max_stack,
		.inherit = k->target->nr_tids > 0,
		.cgroups = o->cgroups,
	};
	int ret = evlist_init(&k->evlist, t, &o->events, &config, err);

	if (!ret && o->probes)
		ret = add_probes(&k->evlist, err);
	return ret ? ret : evlist_use_own_ids(&k->evlist, CLOCK_MONOTONIC, err);
}

static int open_maps(struct bpf_backend *b, const struct record_target *target, int cgroup_fd,
		     struct error *err)
{
	const struct open_target to = {.cpus = &target->cpus,
				       .tids = target->tids,
				       .nr_tids = target->nr_tids,
				       .cgroup_fd = cgroup_fd};

	return map_events_init(&b->maps, &to, CLOCK_MONOTONIC, err);
}

static int open_bpf(struct capture_backend *k, const struct tracefs *t, struct error *err)
{
	const struct recorder_options *o = k->options;
	struct bpf_backend *b = calloc(1, sizeof(*b));
	_cleanup_close_ int cgroup_fd = -1;
	struct bpf_capture_options c = {
		.cpus = &k->target->cpus,
		.with_self = o->with_self || k->target->nr_tids,
		.ring_bytes = rings_bytes(o->buffer_bytes, k->target->cpus.nr),
		.cgroup_ids = o->cgroups,
		.find_caches = o->probes,
		.kernel_frees = o->kernel_frees && k->target->nr_tids,
	};
	int ret;

	k->kernel_frees = c.kernel_frees;
	k->state = b;
	if (!b)
		return error_nomem(err);
	ret = refuse_options(o, err);
	if (!ret)
		ret = bpf_capture_probe(err);
	if (!ret)
		ret = make_evlist(k, t, err);
	if (!ret)
		ret = choose_kinds(k, &c, err);
	if (!ret && o->cgroup) {
		cgroup_fd = open_cgroup(o, err);
		ret = cgroup_fd < 0 ? cgroup_fd : 0;
	}
	if (ret)
		return ret;
	c.cgroup_fd = cgroup_fd;
	if (evlist_user_callchains(&k->evlist)) {
		b->has_maps = true;
		ret = open_maps(b, k->target, cgroup_fd, err);
		if (ret)
			return ret;
	}
	if (o->nr_pids) {
		c.pids = o->pids;
		c.nr_pids = o->nr_pids;
	}
	/* named threads, or the command */
	c.tids = o->nr_tids ? o->tids : o->nr_pids ? NULL : k->target->tids;
	c.nr_tids = o->nr_tids ? o->nr_tids : o->nr_pids ? 0 : k->target->nr_tids;
	capture_backend_hide_self(k);
	ret = bpf_capture_open(&b->capture, &c, err);
	k->refused = ret && ret != -ENOMEM; /* perf_event_open needs that memory, too */
	if (ret)
		return ret;
	if (add_cache_names(&k->evlist, bpf_capture_finds_caches(b->capture)))
		return error_nomem(err);
	b->cpus = calloc(bpf_capture_nr_cpus(b->capture), sizeof(*b->cpus));
	if (!b->cpus)
		return error_nomem(err);
	k->buffer_bytes = bpf_capture_ring_bytes(b->capture);
	k->etext = bpf_capture_symbol(b->capture, "_etext");
	/* without a hierarchy they are numbers */
	b->has_cgroups = o->cgroups && !cgroup_news_init(&b->cgroups, NULL);
	return bpf_samples_init(&b->samples, &k->evlist, find_cache, b, err);
}

static int enable(struct capture_backend *k, struct error *err)
{
	struct bpf_backend *b = k->state;
	int ret = bpf_capture_counts(b->capture, b->before, err);

	if (ret)
		return ret;
	ret = bpf_capture_enable(b->capture);
	return ret ? error_set_errno(err, -ret, "cannot start the BPF programs") : 0;
}

static int read_clock(uint64_t *ret_ns)
{
	*ret_ns = now_ns();
	return 0;
}

static void disable(struct capture_backend *k, uint64_t *ret_stop_ns)
{
	struct bpf_backend *b = k->state;

	bpf_capture_disable(b->capture);
	*ret_stop_ns = now_ns();
	b->disabled = true;
}

/*
 * Record an event's control group before all events in it. The first event of the group may be
 * another one, in another CPU's buffer. But that event is not from before the last drain, which
 * would have found it, nor older than the completed part.
 */
static int emit_cgroup(struct bpf_backend *b, uint64_t cgroup)
{
	_cleanup_(strbuf_deinit) struct strbuf record = STRBUF_INIT;
	const struct sample_id when = {
		.time = b->drains[1] > b->out->settled_ns ? b->drains[1] : b->out->settled_ns,
		.id = b->samples.task_id,
	};
	const char *path;

	if (cgroup_news_path(&b->cgroups, cgroup, &path))
		return -ENOMEM;
	if (!path)
		return 0;
	if (synthesize_cgroup(&record, cgroup, path, &when))
		return -ENOMEM;
	memcpy(batch_reserve(&b->out->batch, BATCH_OTHER, record.len), record.buf, record.len);
	return 0;
}

static int take(void *ctx, int cpu, const struct bpf_event *ev, const struct bpf_extra *extra)
{
	struct bpf_backend *b = ctx;

	b->last_ns = ev->time_ns;
	if (ev->time_ns > b->newest_ns)
		b->newest_ns = ev->time_ns;
	if (b->has_cgroups && emit_cgroup(b, extra->cgroup))
		return error_nomem(b->err);
	if (bpf_samples_add(&b->samples, &b->out->batch, cpu, ev, extra))
		return error_nomem(b->err);
	if (ev->time_ns > b->slice_end_ns)
		return SLICE_ENDS;
	return batch_full(&b->out->batch) ? output_add_batch(b->out, b->err) : 0;
}

static int drain_maps(struct bpf_backend *b, size_t i)
{
	bool more = true;
	int ret = 0;

	while (more && !ret) {
		more = map_events_drain(&b->maps, i, b->samples.task_id, &b->out->batch);
		ret = output_add_batch(b->out, b->err);
	}
	return ret;
}

static bool is_drained(const struct bpf_backend *b, unsigned int i)
{
	return bpf_capture_position(b->capture, i) >= b->cpus[i].end;
}

/* The CPU that is furthest behind; -1 if all are drained. */
static int next_cpu(const struct bpf_backend *b)
{
	int next = -1;

	for (unsigned int i = 0; i < bpf_capture_nr_cpus(b->capture); i++)
		if (!is_drained(b, i) && (next < 0 || b->cpus[i].upto_ns < b->cpus[next].upto_ns))
			next = (int)i;
	return next;
}

/* The time before which all events have been taken. */
static uint64_t complete_ns(const struct bpf_backend *b)
{
	uint64_t least = UINT64_MAX;

	for (unsigned int i = 0; i < bpf_capture_nr_cpus(b->capture); i++) {
		uint64_t ns = b->cpus[i].upto_ns;

		/* the clock may step back (see event_queue.h) */
		if (is_drained(b, i))
			ns = bpf_capture_complete_ns(b->capture, i);
		else
			ns = ns > HIDDEN_MAX_NS ? ns - HIDDEN_MAX_NS : 0;
		least = ns < least ? ns : least;
	}
	return least;
}

/* How far to drain this ring: not far ahead of the others. */
static uint64_t slice_end_ns(const struct bpf_backend *b, unsigned int of)
{
	uint64_t behind = UINT64_MAX;

	for (unsigned int i = 0; i < bpf_capture_nr_cpus(b->capture); i++)
		if (i != of && !is_drained(b, i) && b->cpus[i].upto_ns < behind)
			behind = b->cpus[i].upto_ns;
	return behind == UINT64_MAX ? behind : behind + SLICE_NS;
}

static int drain_slice(struct bpf_backend *b, unsigned int i, uint64_t *ret_bytes)
{
	uint64_t from = bpf_capture_position(b->capture, i), to = b->cpus[i].end;
	int ret;

	batch_begin(&b->out->batch, &b->cpus[i].stream);
	b->slice_end_ns = UINT64_MAX;
	if (b->in_slices) {
		b->slice_end_ns = slice_end_ns(b, i);
		to = to - from > SLICE_BYTES ? from + SLICE_BYTES : to;
	}
	ret = bpf_capture_drain(b->capture, i, to, take, b);
	b->cpus[i].upto_ns = b->last_ns;
	*ret_bytes = bpf_capture_position(b->capture, i) - from;
	return ret && ret != SLICE_ENDS ? ret : output_add_batch(b->out, b->err);
}

static int drain_rings(struct bpf_backend *b)
{
	uint64_t waiting = 0, round_bytes = 0, bytes;
	int i, ret = 0;

	for (unsigned int cpu = 0; cpu < bpf_capture_nr_cpus(b->capture); cpu++) {
		b->cpus[cpu].end = bpf_capture_peek(b->capture, cpu);
		b->cpus[cpu].upto_ns = 0;
		waiting += b->cpus[cpu].end - bpf_capture_position(b->capture, cpu);
	}
	b->in_slices = waiting > ROUND_BYTES;
	while (!ret && (i = next_cpu(b)) >= 0) {
		ret = drain_slice(b, (unsigned int)i, &bytes);
		round_bytes += bytes;
		if (ret || round_bytes < ROUND_BYTES)
			continue;
		ret = output_end_round(b->out, complete_ns(b), b->newest_ns, b->err);
		if (!b->out->round_open)
			round_bytes = 0;
	}
	return ret ? ret : output_end_round(b->out, complete_ns(b), b->newest_ns, b->err);
}

static int drain(struct capture_backend *k, struct output *out, struct error *err)
{
	struct bpf_backend *b = k->state;
	int ret = 0;

	b->out = out;
	b->err = err;
	b->drains[1] = b->drains[0];
	b->drains[0] = now_ns();
	if (b->has_cgroups && b->file_ns != out->begun_ns) {
		b->file_ns = out->begun_ns;
		cgroup_news_forget(&b->cgroups);
	}
	batch_begin(&out->batch, NULL);
	for (size_t i = 0; i < b->maps.rings.nr && !ret; i++)
		ret = drain_maps(b, i);
	if (b->has_maps)
		b->newest_ns = now_ns();
	return ret ? ret : drain_rings(b);
}

static int discard(void *ctx, int cpu, const struct bpf_event *ev, const struct bpf_extra *extra)
{
	(void)ctx, (void)cpu, (void)ev, (void)extra;
	return 0;
}

/* The kernel's counts include delivered events, and those that a write error left in the
 * buffers. */
static int read_counts(struct capture_backend *k, struct error *err)
{
	struct bpf_backend *b = k->state;
	struct bpf_counts counts[BPF_KINDS];
	int ret;

	for (unsigned int i = 0; b->disabled && i < bpf_capture_nr_cpus(b->capture); i++)
		bpf_capture_drain(b->capture, i, bpf_capture_peek(b->capture, i), discard, NULL);
	ret = bpf_capture_counts(b->capture, counts, err);
	for (size_t i = 0; i < k->evlist.nr && !ret; i++) {
		const struct bpf_counts *c = &counts[b->kind_of[i]];
		const struct bpf_counts *before = &b->before[b->kind_of[i]];
		struct evsel *e = &k->evlist.evsels[i];

		e->lost = e->fds[0].lost =
			c->lost_full + c->lost_missed - before->lost_full - before->lost_missed;
		e->count = c->delivered + e->lost;
	}
	return ret;
}

static uint64_t unread(const struct capture_backend *k)
{
	const struct bpf_backend *b = k->state;
	uint64_t most = 0;

	for (unsigned int i = 0; i < bpf_capture_nr_cpus(b->capture); i++) {
		uint64_t bytes = bpf_capture_unread(b->capture, i);

		most = bytes > most ? bytes : most;
	}
	return most;
}

static void deinit(struct capture_backend *k)
{
	struct bpf_backend *b = k->state;

	if (b)
		bpf_capture_free(b->capture);
	if (b && b->has_maps)
		map_events_deinit(&b->maps);
	if (b && b->has_cgroups)
		cgroup_news_deinit(&b->cgroups);
	if (b)
		free(b->cpus);
	free(b);
}

const struct capture_backend_ops bpf_backend = {
	.name = "bpf",
	.drain_every_ms = 100,
	.open = open_bpf,
	.enable = enable,
	.disable = disable,
	.drain = drain,
	.read_counts = read_counts,
	.unread = unread,
	.clock = read_clock,
	.deinit = deinit,
};
