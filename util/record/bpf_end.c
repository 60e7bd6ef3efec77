// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel end of BPF programs: a capture, and samples made of its events. */
#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "util/base/cleanup.h"
#include "util/base/clock.h"
#include "util/bpf/capture.h"
#include "util/record/bpf_samples.h"
#include "util/record/cgroup.h"
#include "util/record/cgroup_news.h"
#include "util/record/kernel_end.h"
#include "util/record/map_events.h"
#include "util/record/rings.h"

#define TASK_KINDS (1U << BPF_TASK_NEW | 1U << BPF_TASK_COMM | 1U << BPF_TASK_EXIT)

struct bpf_end {
	struct bpf_samples samples;
	struct bpf_capture *capture;
	uint64_t file_ns;   /* when the file that they were written to was begun */
	uint64_t drains[2]; /* when this drain and the one before it began; 0: there is none */
	/* while buffers are drained */
	struct output *out;
	struct error *err;
	struct cgroup_news cgroups;
	/* what was missed before events were enabled (--delay) is not lost */
	struct bpf_counts before[BPF_KINDS];
	bool disabled;
	struct map_events maps; /* of processes, if user callchains are recorded */
	bool has_maps;
	bool has_cgroups;	    /* of which nobody tells when they are made */
	uint8_t kind_of[BPF_KINDS]; /* of the evsel with this number */
};

static const struct bpf_cache *find_cache(void *ctx, const struct bpf_event *ev)
{
	struct bpf_end *b = ctx;

	return bpf_capture_cache(b->capture, ev);
}

/* Does this need what only perf_event_open can do? */
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

/* How deep is the callchain of each event, and which kinds are there? */
static int choose_kinds(struct kernel_end *k, struct bpf_capture_options *c, struct error *err)
{
	struct bpf_end *b = k->state;

	for (size_t i = 0; i < k->evlist.nr; i++) {
		const struct evsel *e = &k->evlist.evsels[i];
		enum bpf_kind kind = bpf_samples_kind(e->system, e->name);
		unsigned int frames = e->attr.sample_max_stack;

		if (kind == BPF_KINDS || !bpf_capture_kinds(1U << kind))
			return error_set(err, ENOTSUP, "only perf_event_open records '%s:%s'",
					 e->system, e->name);
		b->kind_of[i] = (uint8_t)kind;
		c->kinds |= 1U << kind;
		if (!(e->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
			continue;
		c->max_stack[kind] =
			(uint8_t)(!frames || frames > BPF_STACK_MAX ? BPF_STACK_MAX : frames);
		if (!e->attr.exclude_callchain_user)
			c->max_user_stack[kind] = c->max_stack[kind];
	}
	c->kinds |= TASK_KINDS;
	if (bpf_capture_kinds(TASK_KINDS) != TASK_KINDS)
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

static int make_evlist(struct kernel_end *k, const struct tracefs *t, struct error *err)
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

	return ret ? ret : evlist_use_own_ids(&k->evlist, CLOCK_MONOTONIC, err);
}

static int open_maps(struct bpf_end *b, const struct record_target *target, int cgroup_fd,
		     struct error *err)
{
	const struct open_target to = {.cpus = &target->cpus,
				       .tids = target->tids,
				       .nr_tids = target->nr_tids,
				       .cgroup_fd = cgroup_fd};

	return map_events_init(&b->maps, &to, CLOCK_MONOTONIC, err);
}

static int open_bpf(struct kernel_end *k, const struct tracefs *t, struct error *err)
{
	const struct recorder_options *o = k->options;
	struct bpf_end *b = calloc(1, sizeof(*b));
	_cleanup_close_ int cgroup_fd = -1;
	struct bpf_capture_options c = {
		.cpus = &k->target->cpus,
		.with_self = o->with_self || k->target->nr_tids,
		.ring_bytes = rings_bytes(o->buffer_bytes, k->target->cpus.nr),
		.cgroup_ids = o->cgroups,
	};
	int ret;

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
	/* threads that were named, or the command */
	c.tids = o->nr_tids ? o->tids : o->nr_pids ? NULL : k->target->tids;
	c.nr_tids = o->nr_tids ? o->nr_tids : o->nr_pids ? 0 : k->target->nr_tids;
	kernel_end_hide_self(k);
	ret = bpf_capture_open(&b->capture, &c, err);
	if (ret)
		return ret;
	k->buffer_bytes = bpf_capture_ring_bytes(b->capture);
	/* without a hierarchy they are numbers */
	b->has_cgroups = o->cgroups && !cgroup_news_init(&b->cgroups, NULL);
	return bpf_samples_init(&b->samples, &k->evlist, find_cache, b, err);
}

static int enable(struct kernel_end *k, struct error *err)
{
	struct bpf_end *b = k->state;
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

static void disable(struct kernel_end *k, uint64_t *ret_stop_ns)
{
	struct bpf_end *b = k->state;

	bpf_capture_disable(b->capture);
	*ret_stop_ns = now_ns();
	b->disabled = true;
}

/*
 * Tell of an event's control group ahead of all events that are in it.  The event may not be the
 * first one: that may be in another CPU's buffer, but not from before the last drain, which would
 * have found it.
 */
static int tell_cgroup(struct bpf_end *b, uint64_t cgroup)
{
	_cleanup_(strbuf_deinit) struct strbuf record = STRBUF_INIT;
	const struct sample_id when = {.time = b->drains[1], .id = b->samples.task_id};

	if (cgroup_news_add(&b->cgroups, cgroup, &when, &record))
		return -ENOMEM;
	if (!record.len)
		return 0;
	memcpy(batch_room(&b->out->batch, BATCH_OTHER, record.len), record.buf, record.len);
	return 0;
}

static int take(void *ctx, int cpu, const struct bpf_event *ev, const struct bpf_extra *extra)
{
	struct bpf_end *b = ctx;

	if (b->has_cgroups && tell_cgroup(b, extra->cgroup))
		return error_nomem(b->err);
	if (bpf_samples_add(&b->samples, &b->out->batch, cpu, ev, extra))
		return error_nomem(b->err);
	return batch_full(&b->out->batch) ? output_add_batch(b->out, b->err) : 0;
}

static int drain_maps(struct bpf_end *b, size_t i)
{
	bool more = true;
	int ret = 0;

	while (more && !ret) {
		more = map_events_drain(&b->maps, i, b->samples.task_id, &b->out->batch);
		ret = output_add_batch(b->out, b->err);
	}
	return ret;
}

static int drain(struct kernel_end *k, struct output *out, struct error *err)
{
	struct bpf_end *b = k->state;
	int ret = 0;

	b->out = out;
	b->err = err;
	b->drains[1] = b->drains[0];
	b->drains[0] = now_ns();
	if (b->has_cgroups && b->file_ns != out->begun_ns) {
		b->file_ns = out->begun_ns;
		cgroup_news_forget(&b->cgroups);
	}
	batch_begin(&out->batch);
	for (size_t i = 0; i < b->maps.rings.nr && !ret; i++)
		ret = drain_maps(b, i);
	/* A batch is of one CPU, so that each event's samples stay in order. */
	for (unsigned int i = 0; i < bpf_capture_nr_cpus(b->capture) && !ret; i++) {
		ret = bpf_capture_drain(b->capture, i, take, b);
		if (!ret)
			ret = output_add_batch(out, err);
	}
	return ret;
}

static int discard(void *ctx, int cpu, const struct bpf_event *ev, const struct bpf_extra *extra)
{
	(void)ctx, (void)cpu, (void)ev, (void)extra;
	return 0;
}

/* The kernel's counts have what was delivered; what a write error left in the buffers is counted,
 * too. */
static int read_counts(struct kernel_end *k, struct error *err)
{
	struct bpf_end *b = k->state;
	struct bpf_counts counts[BPF_KINDS];
	int ret;

	for (unsigned int i = 0; b->disabled && i < bpf_capture_nr_cpus(b->capture); i++)
		bpf_capture_drain(b->capture, i, discard, NULL);
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

static uint64_t unread(const struct kernel_end *k)
{
	const struct bpf_end *b = k->state;
	uint64_t most = 0;

	for (unsigned int i = 0; i < bpf_capture_nr_cpus(b->capture); i++) {
		uint64_t bytes = bpf_capture_unread(b->capture, i);

		most = bytes > most ? bytes : most;
	}
	return most;
}

static void deinit(struct kernel_end *k)
{
	struct bpf_end *b = k->state;

	if (b)
		bpf_capture_free(b->capture);
	if (b && b->has_maps)
		map_events_deinit(&b->maps);
	if (b && b->has_cgroups)
		cgroup_news_deinit(&b->cgroups);
	free(b);
}

const struct kernel_end_ops bpf_end = {
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
