// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/watch/live_source.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/host/cgroup_tree.h"
#include "util/host/tasks.h"
#include "util/watch/convert.h"
#include "util/watch/event_merge.h"
#include "util/watch/live_maps.h"
#include "util/tracepoint/tracefs_formats.h"

/* Aim for this many events a round, within limits: each is read twice and should still be in the
 * cache. */
#define ROUND_EVENTS   16384
#define ROUND_MIN_NS   5000000ULL
#define ROUND_MAX_NS   50000000ULL
#define COUNT_EVERY_NS 1000000000ULL

/* A power of two; a machine has about two hundred caches. */
#define CACHES_KNOWN 512

struct live_source {
	struct live_base base;
	struct bpf_capture *capture;
	struct event_merge merge;
	/* by the low bits of their addresses: a direct lookup without a table */
	struct known_cache {
		uint64_t address;
		const struct bpf_cache *cache;
		uint32_t id; /* cache_id.h */
	} caches[CACHES_KNOWN];
	/* control groups; the path of each is delivered before its first event */
	struct cgroup_news cgroups;
	bool has_cgroups;
	struct live_maps maps; /* open if user callchains are captured */
	bool has_user_stacks;
	struct kmem_event neutral[BPF_KINDS];	     /* for live_convert() */
	uint64_t callchain[2 * (BPF_STACK_MAX + 1)]; /* of the event being delivered */
	double fill;
	uint64_t drained_ns; /* start of the latest drain */
	uint64_t round_ns;   /* time from there to the next one */
	uint64_t counted_ns;
};

/* ---- opening -------------------------------------------------------------------------------- */

static bool is_of_memory(enum kmem_kind kind)
{
	return kind != KMEM_OTHER;
}

static int add_facts(struct live_source *s)
{
	const struct bpf_capture_options *capture = &s->base.options.capture;
	int ret = live_base_add_facts(&s->base, is_of_memory);

	for (unsigned int kind = 0; !ret && kind < BPF_KINDS; kind++) {
		struct source_event *ev = s->base.events[kind];

		if (!ev)
			continue;
		s->neutral[kind] = live_neutral(kind);
		ev->has_cgroup = capture->cgroup_ids;
		ev->has_user_stack = capture->max_user_stack[kind] > 0;
		ev->has_callchain = capture->max_stack[kind] || ev->has_user_stack;
		s->has_user_stacks |= ev->has_user_stack;
	}
	return ret;
}

/* Without a mounted hierarchy, as in a container, groups have numbers and no paths. */
static void find_cgroups(struct live_source *s)
{
	struct error why = ERROR_INIT;

	s->has_cgroups = !cgroup_news_init(&s->cgroups, &why);
	if (!s->has_cgroups)
		log_info("control groups have no paths here: %s", why.msg);
}

static int open_capture(struct live_source *s, struct error *err)
{
	int ret = bpf_capture_open(&s->capture, &s->base.options.capture, err);

	if (ret)
		return ret;
	s->base.facts.pages_relative = bpf_capture_addresses_pages(s->capture);
	if (s->base.facts.pages_relative)
		log_info("pages are numbered from an unknown one on: to find out their numbers "
			 "(pfn) takes the right to trace");
	if (event_merge_init(&s->merge, bpf_capture_nr_cpus(s->capture)))
		return error_nomem(err);
	for (unsigned int i = 0; i < s->merge.nr; i++) {
		s->merge.cpus[i].cpu = bpf_capture_cpu(s->capture, i);
		event_queue_init(&s->merge.cpus[i].queue, bpf_capture_position(s->capture, i));
	}
	return 0;
}

static void free_source(struct event_source *source)
{
	struct live_source *s = (struct live_source *)source;

	bpf_capture_free(s->capture);
	live_maps_close(&s->maps);
	event_merge_deinit(&s->merge);
	if (s->has_cgroups)
		cgroup_news_deinit(&s->cgroups);
	live_base_deinit(&s->base);
	free(s);
}

/* ---- reading -------------------------------------------------------------------------------- */

static const struct known_cache *find_cache(struct live_source *s, const struct bpf_event *e)
{
	uint64_t address = bpf_event_cache(e);
	/* caches have at least 64 bytes */
	struct known_cache *known = &s->caches[(address >> 6 ^ address >> 14) & (CACHES_KNOWN - 1)];

	if (!address)
		return NULL;
	if (known->address != address) {
		const struct bpf_cache *cache = bpf_capture_cache(s->capture, e);

		if (!cache)
			return NULL;
		*known = (struct known_cache){address, cache,
					      cache_id_of(cache->name, strlen(cache->name))};
	}
	return known;
}

/* Changes of address spaces; a thread has that of its process. */
static int take_process(const struct live_source *s, const struct bpf_event *e)
{
	const struct event_sink *sink = s->base.sink;

	if (!s->has_user_stacks || !sink->process)
		return 0;
	if (e->kind == BPF_TASK_NEW && e->task_new.pid != e->pid)
		return sink->process(s->base.ctx, PROCESS_FORKED, e->task_new.pid, e->pid);
	if (e->kind == BPF_TASK_EXIT && e->tid == e->pid)
		return sink->process(s->base.ctx, PROCESS_EXITED, e->pid, 0);
	return 0;
}

static int take_task(const struct live_source *s, const struct bpf_event *e)
{
	const struct event_sink *sink = s->base.sink;
	int ret;

	switch (e->kind) {
	case BPF_TASK_NEW:
		ret = sink->fork ? sink->fork(s->base.ctx, e->tid, e->task_new.tid) : 0;
		return !ret && sink->comm && e->task_new.comm[0]
			       ? sink->comm(s->base.ctx, e->task_new.tid, e->task_new.comm)
			       : ret;
	case BPF_TASK_COMM:
		return sink->comm ? sink->comm(s->base.ctx, e->task_comm.tid, e->task_comm.comm)
				  : 0;
	case BPF_TASK_EXIT:
		return sink->exit ? sink->exit(s->base.ctx, e->tid) : 0;
	default:
		return 0;
	}
}

/* A group that was removed since has no path. */
static int emit_cgroup(struct live_source *s, uint64_t id)
{
	const char *path;

	if (!s->has_cgroups)
		return 0;
	if (cgroup_news_path(&s->cgroups, id, &path))
		return -ENOMEM;
	return path && s->base.sink->cgroup ? s->base.sink->cgroup(s->base.ctx, id, path) : 0;
}

static size_t add_frames(uint64_t *to, uint64_t marker, const uint64_t *frames, size_t nr)
{
	if (!nr)
		return 0;
	to[0] = marker;
	memcpy(to + 1, frames, nr * sizeof(*frames));
	return nr + 1;
}

/* Add markers, as in a sample. */
static void add_callchain(struct live_source *s, const struct bpf_extra *extra,
			  struct complete_event *complete)
{
	uint64_t *to = s->callchain;
	size_t nr = add_frames(to, (uint64_t)PERF_CONTEXT_KERNEL, extra->frames, extra->nr_frames);

	nr += add_frames(to + nr, (uint64_t)PERF_CONTEXT_USER, extra->user_frames,
			 extra->nr_user_frames);
	complete->callchain = nr ? to : NULL;
	complete->nr_callchain = nr;
}

static int add_extra(struct live_source *s, const struct bpf_event *e,
		     struct complete_event *complete)
{
	const struct bpf_extra extra = bpf_capture_extra(s->capture, e);

	complete->cgroup = extra.cgroup;
	add_callchain(s, &extra, complete);
	return emit_cgroup(s, extra.cgroup);
}

/* A merge_fn. */
static int take_event(void *ctx, int cpu, const struct bpf_event *e)
{
	struct live_source *s = ctx;
	struct source_event *event = e->kind < BPF_KINDS ? s->base.events[e->kind] : NULL;
	struct complete_event complete = {.source = event};
	struct kmem_event own, *ev = &own;

	if (s->has_user_stacks && live_maps_time(&s->maps) <= e->time_ns &&
	    live_maps_until(&s->maps, e->time_ns + 1, s->base.sink, s->base.ctx))
		return -ENOMEM;
	if (!event) {
		int ret = take_process(s, e);

		return ret ? ret : take_task(s, e);
	}
	source_facts_count(&s->base.facts, event, e->time_ns);
	if (!s->base.sink->event)
		return 0;
	if ((event->has_cgroup || event->has_callchain) && add_extra(s, e, &complete))
		return -ENOMEM;
	if (s->base.sink->room)
		ev = s->base.sink->room(s->base.ctx);
	live_convert(e, cpu, &s->neutral[e->kind], ev);
	complete.event = ev;
	if (bpf_kind_has_cache(e->kind)) {
		const struct known_cache *known = find_cache(s, e);

		if (known) {
			ev->cache_id = known->id;
			complete.cache = known->cache->name;
			complete.cache_id = (uintptr_t)known->cache;
		}
	}
	return s->base.sink->event(s->base.ctx, &complete, s->base.err);
}

/* Add the new events of the i-th CPU's ring. Returns their number, or -ENOMEM. */
static int64_t drain_cpu(struct live_source *s, unsigned int i)
{
	struct event_queue *q = &s->merge.cpus[i].queue;
	uint64_t at = event_queue_added(q), end = bpf_capture_peek(s->capture, i);
	int64_t nr = 0;

	for (; at < end; nr++)
		if (event_queue_add(q, bpf_capture_event(s->capture, i, &at)))
			return -ENOMEM;
	event_queue_end_round(q, at);
	return nr;
}

static int64_t drain(struct live_source *s)
{
	int64_t sum = 0;

	if (live_maps_drain(&s->maps))
		return -ENOMEM;

	for (unsigned int i = 0; i < s->merge.nr; i++) {
		double fill = (double)bpf_capture_unread(s->capture, i) /
			      (double)bpf_capture_ring_bytes(s->capture);
		int64_t nr = drain_cpu(s, i);

		if (nr < 0)
			return nr;
		sum += nr;
		s->fill = fill > s->fill ? fill : s->fill;
	}
	return sum;
}

static int count(struct live_source *s, struct error *err)
{
	struct bpf_counts counts[BPF_KINDS];
	int ret = bpf_capture_counts(s->capture, counts, err);

	if (!ret)
		live_base_set_lost(&s->base, counts);
	return ret;
}

/* Deliver all events older than limit_ns. */
static int hand_over(struct live_source *s, uint64_t limit_ns)
{
	int ret = event_merge_until(&s->merge, limit_ns, take_event, s);

	for (unsigned int i = 0; !ret && i < s->merge.nr; i++)
		bpf_capture_give_back(s->capture, i,
				      event_queue_taken(&s->merge.cpus[i].queue, limit_ns));
	return ret;
}

/*
 * The time before which no more events will come: at most the start of the previous drain. It is
 * earlier while a CPU has not yet published an event, because it was interrupted, or its virtual
 * CPU preempted.
 */
static uint64_t complete_ns(const struct live_source *s, uint64_t at_most_ns)
{
	for (unsigned int i = 0; i < s->merge.nr; i++) {
		uint64_t ns = bpf_capture_complete_ns(s->capture, i);

		at_most_ns = ns < at_most_ns ? ns : at_most_ns;
	}
	return at_most_ns;
}

/* Returns the length of the round after one of this length and number of events. */
static uint64_t next_round_ns(uint64_t nr_events, uint64_t ns)
{
	double wanted = (double)ns * ROUND_EVENTS / (double)(nr_events + 1);

	if (wanted < ROUND_MIN_NS)
		return ROUND_MIN_NS;
	return wanted < ROUND_MAX_NS ? (uint64_t)wanted : ROUND_MAX_NS;
}

static int finish_round(struct live_source *s, uint64_t now)
{
	uint64_t since_ns = s->drained_ns, limit_ns;
	int64_t nr;
	int ret;

	s->drained_ns = now;
	/* modules first: later events wait for the next round */
	if (module_watch_drain(&s->base.modules, &s->base.facts.modules))
		return -ENOMEM;
	nr = drain(s);
	if (nr < 0)
		return -ENOMEM;
	s->round_ns = next_round_ns((uint64_t)nr, now - since_ns);
	limit_ns = complete_ns(s, since_ns);
	ret = hand_over(s, limit_ns);
	if (!ret && now - s->counted_ns >= COUNT_EVERY_NS) {
		s->counted_ns = now;
		ret = count(s, s->base.err);
	}
	if (!ret)
		ret = live_base_count_slabs_if_due(&s->base, now);
	return ret ? ret : live_base_reached(&s->base, limit_ns);
}

/* Time until the next round. */
static int wait_ms(const struct live_base *b, uint64_t now)
{
	const struct live_source *s = (const struct live_source *)b;
	uint64_t due = s->drained_ns + s->round_ns;

	return now < due ? (int)((due - now + 999999) / 1000000) : 0;
}

static int round_if_due(struct live_base *b, uint64_t now)
{
	struct live_source *s = (struct live_source *)b;

	return now - s->drained_ns >= s->round_ns ? finish_round(s, now) : 0;
}

/* Start before the first event: otherwise modules that are unloaded later would have no names. */
static int watch_modules(struct live_source *s, const struct tracefs *tracefs)
{
	struct error why = ERROR_INIT;

	if (module_watch_open(&s->base.modules, tracefs, CLOCK_MONOTONIC, &why))
		log_info("modules are not followed: %s", why.msg);
	return module_watch_read_names(&s->base.modules);
}

/* The number by which formats are found; other events have none. */
static void find_event_id(const struct tracefs *tracefs, struct source_event *event)
{
	if (!strncmp(event->name, "kmem:", strlen("kmem:")))
		tracefs_event_id(tracefs, "kmem", event->name + strlen("kmem:"), &event->config,
				 NULL);
}

/* Add the names of gfp flags and the order of a pageblock, if they can be read. */
static int hand_over_formats(struct live_source *s)
{
	struct tracing_data formats = {
		.big_endian = s->base.facts.big_endian,
		.long_size = sizeof(long),
		.page_size = s->base.facts.page_size,
	};
	struct error why = ERROR_INIT;
	struct tracefs tracefs;
	int ret = tracefs_find(&tracefs, false, &why);

	if (!ret)
		ret = tracefs_formats_read(&formats, &tracefs, "kmem", &why);
	if (ret)
		log_info("no event formats: %s", why.msg);
	else if (watch_modules(s, &tracefs))
		ret = -ENOMEM;
	for (unsigned int kind = 0; !ret && kind < BPF_KINDS; kind++)
		if (s->base.events[kind])
			find_event_id(&tracefs, s->base.events[kind]);
	if (!ret && s->base.sink->formats)
		ret = s->base.sink->formats(s->base.ctx, &formats, s->base.err);
	else if (ret != -ENOMEM)
		ret = 0;
	tracing_data_deinit(&formats);
	return ret;
}

/* A task_fn. */
static int take_name(void *ctx, uint32_t pid, uint32_t tid, const char *comm)
{
	const struct live_source *s = ctx;

	(void)pid;
	return s->base.sink->comm(s->base.ctx, tid, comm);
}

static int begin(struct live_source *s)
{
	const struct live_options *o = &s->base.options;
	int ret;

	s->base.facts.stated_start_ns = now_ns();
	s->base.facts.stated_stop_ns =
		o->expected_ns ? s->base.facts.stated_start_ns + o->expected_ns : 0;
	ret = hand_over_formats(s);
	if (!ret && s->has_user_stacks)
		ret = live_maps_open(&s->maps, s->base.err);
	if (!ret && s->base.sink->ready)
		ret = s->base.sink->ready(s->base.ctx, s->base.err);
	if (ret)
		return ret;
	if (live_base_count_slabs(&s->base))
		return -ENOMEM;
	s->base.facts.stated_start_ns = s->drained_ns = s->counted_ns = now_ns();
	ret = bpf_capture_enable(s->capture);
	if (ret)
		return error_set_errno(s->base.err, -ret, "cannot enable the BPF programs");
	/* the kernel reports new tasks from now on, so none is missed */
	if (s->base.sink->comm)
		ret = tasks_for_each(take_name, s);
	if (!ret && s->has_user_stacks)
		ret = live_maps_existing(s->base.sink, s->base.ctx);
	return !ret && o->begin ? o->begin(o->ctx, s->base.err) : ret;
}

/* Events in the rings are from before the stop. */
static int end(struct live_source *s)
{
	int ret;

	/* before disabling, as in recorder_finish() */
	if (live_base_count_slabs(&s->base))
		return -ENOMEM;
	ret = bpf_capture_disable(s->capture);
	s->base.facts.stated_stop_ns = now_ns();
	if (ret)
		return error_set_errno(s->base.err, -ret, "cannot stop the BPF programs");
	if (module_watch_drain(&s->base.modules, &s->base.facts.modules) || drain(s) < 0)
		return -ENOMEM;
	return hand_over(s, UINT64_MAX);
}

static int read_source(struct event_source *source, const struct event_sink *sink, void *ctx,
		       struct error *err)
{
	struct live_source *s = (struct live_source *)source;
	static const struct live_rounds rounds = {wait_ms, round_if_due};
	int ret, counted;

	live_base_begin(&s->base, sink, ctx, err);
	ret = begin(s);
	if (!ret)
		ret = live_base_follow(&s->base, &rounds);
	if (!ret)
		ret = end(s);
	else
		bpf_capture_disable(s->capture);
	counted = count(s, ret ? NULL : err);
	return ret ? ret : counted;
}

static const struct event_source_ops live = {
	.name = "this machine",
	.read = read_source,
	.free = free_source,
};

int live_source_open(const struct live_options *options, struct event_source **ret_source,
		     struct error *err)
{
	struct live_source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return error_nomem(err);
	live_base_init(&s->base, &live, options);
	s->base.options.capture.kinds |= BPF_TASK_KINDS;
	s->base.options.capture.may_address_pages = true;
	s->round_ns = ROUND_MAX_NS;
	if (options->capture.cgroup_ids)
		find_cgroups(s);
	ret = add_facts(s) ? error_nomem(err) : open_capture(s, err);
	if (ret)
		free_source(&s->base.source);
	else
		*ret_source = &s->base.source;
	return ret;
}

double live_source_fill(const struct event_source *source)
{
	return ((const struct live_source *)source)->fill;
}
