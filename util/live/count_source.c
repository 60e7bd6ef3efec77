// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/live/count_source.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/clock.h"
#include "util/base/table.h"
#include "util/bpf/count.h"
#include "util/live/convert.h"
#include "util/source/host_facts.h"

#define LOOK_EVERY_MS 50

/* What the kernel has counted, on all CPUs, and how much of that has been handed over. */
struct counted {
	uint64_t hits, bytes_req, bytes_alloc;
};

struct count_row {
	struct count_key {
		uint64_t call_site, cache, kind; /* cache: a struct bpf_cache *, or 0 */
		uint32_t object_bytes, gfp;
	} key;
	struct counted now, told;
};

struct count_source {
	struct event_source source;
	struct source_facts facts;
	struct live_options options;
	struct bpf_counting *counting;
	struct source_event *events[BPF_KINDS]; /* those of the facts */
	struct table rows;			/* struct count_row */
	uint64_t due_ns;			/* when the counts are to be read again */
	/* while it is read */
	const struct event_sink *sink;
	void *ctx;
	struct error *err;
};

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
	table_deinit(&s->rows);
	source_facts_deinit(&s->facts);
	free(s);
}

/* A bpf_count_row_fn: there is one for each CPU. */
static int take_row(void *ctx, const struct bpf_count_row *row)
{
	struct count_source *s = ctx;
	const struct count_key key = {.call_site = row->call_site,
				      .cache = (uintptr_t)row->cache,
				      .kind = row->kind,
				      .object_bytes = row->object_bytes,
				      .gfp = row->gfp};
	struct count_row *to;

	if (row->kind >= BPF_KINDS || !s->events[row->kind])
		return 0;
	to = table_insert(&s->rows, &key);
	if (!to)
		return error_nomem(s->err);
	to->now.hits += row->hits;
	to->now.bytes_req += row->bytes_req;
	to->now.bytes_alloc += row->bytes_alloc;
	return 0;
}

/* What a row has grown by. */
static int hand_over_row(struct count_source *s, const struct count_key *key,
			 const struct counted *growth)
{
	struct source_event *event = s->events[key->kind];
	const struct bpf_cache *cache = (const struct bpf_cache *)(uintptr_t)key->cache;
	const struct kmem_event keys = {
		.time_ns = s->facts.told_stop_ns,
		.cpu = -1,
		.node = NUMA_NO_NODE,
		.kind = KMEM_SLAB_ALLOC,
		.is_kmalloc = key->kind == BPF_KMALLOC || key->kind == BPF_KMALLOC_NODE,
		.in_window = true,
		.gfp_flags = key->gfp,
		.call_site = key->call_site,
		.bytes_req = key->object_bytes,
		.bytes_alloc = key->object_bytes,
	};
	const struct complete_event complete = {
		.source = event,
		.event = &keys,
		.comm = "",
		.cache = cache			  ? cache->name
			 : key->kind == BPF_KFREE ? COUNT_SOURCE_KFREE
						  : NULL,
	};
	struct source_figures figures = {.live_unknown = true};

	event->nr_samples += growth->hits;
	s->facts.nr_samples += growth->hits;
	if (live_kind((unsigned int)key->kind) == KMEM_SLAB_FREE) {
		figures.frees = growth->hits;
	} else if (key->object_bytes) {
		figures.hits = growth->hits;
		figures.bytes_req = growth->bytes_req;
		figures.bytes_alloc = growth->bytes_alloc;
	} else {
		return 0; /* these failed */
	}
	return s->sink->row(s->ctx, &complete, &figures, s->err);
}

static int count_lost(struct count_source *s)
{
	struct bpf_counts counts[BPF_KINDS];
	int ret = bpf_counting_counts(s->counting, counts, s->err);

	s->facts.nr_lost = 0;
	for (unsigned int kind = 0; !ret && kind < BPF_KINDS; kind++)
		if (s->events[kind]) {
			s->events[kind]->nr_lost =
				counts[kind].lost_full + counts[kind].lost_missed;
			s->facts.nr_lost += s->events[kind]->nr_lost;
		}
	return ret;
}

/* What was counted until now. */
static int hand_over(struct count_source *s, uint64_t now)
{
	struct count_row *row;
	uint64_t at = 0;
	int ret = count_lost(s);

	s->facts.told_stop_ns = now;
	if (ret || !s->sink->row)
		return ret;
	ret = bpf_counting_read(s->counting, take_row, s);
	while (!ret && (row = table_next(&s->rows, &at))) {
		const struct counted growth = {
			.hits = row->now.hits - row->told.hits,
			.bytes_req = row->now.bytes_req - row->told.bytes_req,
			.bytes_alloc = row->now.bytes_alloc - row->told.bytes_alloc,
		};

		row->told = row->now;
		row->now = (struct counted){0};
		if (growth.hits)
			ret = hand_over_row(s, &row->key, &growth);
	}
	return ret;
}

/* An interval is over when its counts have been handed over. */
static int tick(struct count_source *s, uint64_t now)
{
	uint64_t every_ns = s->options.every_ns;

	if (now >= s->due_ns) {
		int ret = hand_over(s, now);

		if (ret)
			return ret;
		s->due_ns += (now - s->due_ns) / every_ns * every_ns + every_ns;
	}
	return s->sink->tick ? s->sink->tick(s->ctx, now, s->err) : 0;
}

/* Until the caller has seen enough. */
static int wait_for_end(struct count_source *s)
{
	const struct live_options *o = &s->options;
	struct pollfd fd = {.fd = o->wake_fd, .events = POLLIN};
	int ret = 0;

	while (!ret) {
		uint64_t now;

		if (poll(&fd, 1, LOOK_EVERY_MS) < 0 && errno != EINTR)
			return error_set_errno(s->err, errno, "cannot wait for events");
		now = now_ns();
		if (o->every_ns)
			ret = tick(s, now);
		if (!ret && o->look)
			ret = o->look(o->ctx, now, s->err);
	}
	return ret < 0 ? ret : 0;
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
	s->facts.told_start_ns = s->facts.told_stop_ns = now_ns();
	s->due_ns = s->facts.told_start_ns + s->options.every_ns;
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
	return ret ? ret : hand_over(s, s->facts.told_stop_ns);
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
	table_init(&s->rows, sizeof(struct count_row), sizeof(struct count_key));
	ret = add_facts(s) ? error_nomem(err)
			   : bpf_counting_open(&s->counting, &s->options.capture, 0, err);
	if (ret)
		free_source(&s->source);
	else
		*ret_source = &s->source;
	return ret;
}
