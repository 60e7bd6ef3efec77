// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/live/count_source.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/bpf/count.h"
#include "util/live/convert.h"
#include "util/source/host_facts.h"

#define LOOK_EVERY_MS 50

struct count_source {
	struct event_source source;
	struct source_facts facts;
	struct live_options options;
	struct bpf_counting *counting;
	struct source_event *events[BPF_KINDS]; /* those of the facts */
	/* while it is read */
	const struct event_sink *sink;
	void *ctx;
	struct error *err;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int add_facts(struct count_source *s)
{
	uint32_t kinds = bpf_capture_kinds(s->options.capture.kinds);

	s->facts.path = strdup("this machine");
	s->facts.is_live = s->facts.live_unknown = s->facts.knows_lost_events = true;
	if (!s->facts.path || source_facts_fill_from_host(&s->facts))
		return -ENOMEM;
	for (unsigned int kind = 0; kind < BPF_KINDS; kind++)
		if (kinds >> kind & 1 && kmem_kind_is_slab(live_kind(kind))) {
			s->events[kind] = live_add_event(&s->facts, kind);
			if (!s->events[kind])
				return -ENOMEM;
		}
	return 0;
}

static void free_source(struct event_source *source)
{
	struct count_source *s = (struct count_source *)source;

	bpf_counting_free(s->counting);
	source_facts_deinit(&s->facts);
	free(s);
}

/* Until the caller has seen enough. */
static int wait_for_end(struct count_source *s)
{
	const struct live_options *o = &s->options;
	struct pollfd fd = {.fd = o->wake_fd, .events = POLLIN};
	int ret = 0;

	while (!ret) {
		if (poll(&fd, 1, LOOK_EVERY_MS) < 0 && errno != EINTR)
			return error_set_errno(s->err, errno, "cannot wait for events");
		ret = o->look ? o->look(o->ctx, now_ns(), s->err) : 0;
	}
	return ret < 0 ? ret : 0;
}

/* A bpf_count_row_fn. */
static int take_row(void *ctx, const struct bpf_count_row *row)
{
	struct count_source *s = ctx;
	struct source_event *event = row->kind < BPF_KINDS ? s->events[row->kind] : NULL;
	const struct kmem_event keys = {
		.time_ns = s->facts.told_stop_ns,
		.cpu = -1,
		.node = NUMA_NO_NODE,
		.kind = KMEM_SLAB_ALLOC,
		.is_kmalloc = row->kind == BPF_KMALLOC || row->kind == BPF_KMALLOC_NODE,
		.in_window = true,
		.gfp_flags = row->gfp,
		.call_site = row->call_site,
		.bytes_req = row->object_bytes,
		.bytes_alloc = row->object_bytes,
	};
	const struct complete_event complete = {
		.source = event,
		.event = &keys,
		.comm = "",
		.cache = row->cache		  ? row->cache->name
			 : row->kind == BPF_KFREE ? COUNT_SOURCE_KFREE
						  : NULL,
	};
	struct source_figures figures = {.live_unknown = true};

	if (!event || !s->sink->row)
		return 0;
	event->nr_samples += row->figures.hits;
	s->facts.nr_samples += row->figures.hits;
	if (live_kind(row->kind) == KMEM_SLAB_FREE) {
		figures.frees = row->figures.hits;
	} else if (row->object_bytes) {
		figures.hits = row->figures.hits;
		figures.bytes_req = row->figures.bytes_req;
		figures.bytes_alloc = row->figures.bytes_alloc;
	} else {
		return 0; /* these failed */
	}
	return s->sink->row(s->ctx, &complete, &figures, s->err);
}

static int count_lost(struct count_source *s)
{
	struct bpf_counts counts[BPF_KINDS];
	int ret = bpf_counting_counts(s->counting, counts, s->err);

	for (unsigned int kind = 0; !ret && kind < BPF_KINDS; kind++)
		if (s->events[kind]) {
			s->events[kind]->nr_lost =
				counts[kind].lost_full + counts[kind].lost_missed;
			s->facts.nr_lost += s->events[kind]->nr_lost;
		}
	return ret;
}

static int read_source(struct event_source *source, const struct event_sink *sink, void *ctx,
		       struct error *err)
{
	struct count_source *s = (struct count_source *)source;
	const struct live_options *o = &s->options;
	int ret, stopped;

	s->sink = sink;
	s->ctx = ctx;
	s->err = err;
	s->facts.told_start_ns = now_ns();
	ret = bpf_counting_enable(s->counting);
	if (ret)
		return error_set_errno(err, -ret, "cannot enable the BPF programs");
	ret = o->begin ? o->begin(o->ctx, err) : 0;
	if (!ret)
		ret = wait_for_end(s);
	stopped = bpf_counting_disable(s->counting);
	s->facts.told_stop_ns = now_ns();
	s->facts.first_ns = s->facts.told_start_ns;
	s->facts.last_ns = s->facts.told_stop_ns;
	if (!ret && stopped)
		ret = error_set_errno(err, -stopped, "cannot stop the BPF programs");
	if (!ret)
		ret = count_lost(s);
	return ret ? ret : bpf_counting_read(s->counting, take_row, s, err);
}

static const struct event_source_ops counting = {
	.name = "this machine",
	.read = read_source,
	.free = free_source,
};

int count_source_open(const struct live_options *options, struct event_source **ret_source,
		      struct error *err)
{
	struct count_source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return error_nomem(err);
	s->options = *options;
	s->source = (struct event_source){&counting, &s->facts};
	source_facts_init(&s->facts);
	ret = add_facts(s) ? error_nomem(err)
			   : bpf_counting_open(&s->counting, &s->options.capture, 0, err);
	if (ret)
		free_source(&s->source);
	else
		*ret_source = &s->source;
	return ret;
}
