// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/watch/count_source.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/base/table.h"
#include "util/counting/count.h"
#include "util/watch/convert.h"

#define LOOK_EVERY_MS 50

/* The kernel's counts, summed over CPUs, and the part already delivered. */
struct counted {
	uint64_t hits, bytes_req, bytes_alloc;
};

struct count_row {
	struct count_key {
		uint64_t call_site, cache, kind; /* cache: address of a struct bpf_cache, or 0 */
		uint32_t object_bytes, gfp;
	} key;
	struct counted now, told;
};

struct count_source {
	struct live_base base;
	struct bpf_counting *counting;
	struct table rows; /* struct count_row */
	uint64_t due_ns;   /* time of the next reading */
};

static void free_source(struct event_source *source)
{
	struct count_source *s = (struct count_source *)source;

	bpf_counting_free(s->counting);
	table_deinit(&s->rows);
	live_base_deinit(&s->base);
	free(s);
}

/* A bpf_count_row_fn, called once for each CPU. */
static int take_row(void *ctx, const struct bpf_count_row *row)
{
	struct count_source *s = ctx;
	const struct count_key key = {.call_site = row->call_site,
				      .cache = (uintptr_t)row->cache,
				      .kind = row->kind,
				      .object_bytes = row->object_bytes,
				      .gfp = row->gfp};
	struct count_row *to;

	if (row->kind >= BPF_KINDS || !s->base.events[row->kind])
		return 0;
	to = table_insert(&s->rows, &key);
	if (!to)
		return error_nomem(s->base.err);
	to->now.hits += row->hits;
	to->now.bytes_req += row->bytes_req;
	to->now.bytes_alloc += row->bytes_alloc;
	return 0;
}

/* Deliver a row's growth. */
static int hand_over_row(struct count_source *s, const struct count_key *key,
			 const struct counted *growth)
{
	struct source_event *event = s->base.events[key->kind];
	const struct bpf_cache *cache = (const struct bpf_cache *)(uintptr_t)key->cache;
	const struct kmem_event keys = {
		.time_ns = s->base.facts.stated_stop_ns,
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
	s->base.facts.nr_samples += growth->hits;
	if (live_kind((unsigned int)key->kind) == KMEM_SLAB_FREE) {
		figures.frees = growth->hits;
	} else if (key->object_bytes) {
		figures.hits = growth->hits;
		figures.bytes_req = growth->bytes_req;
		figures.bytes_alloc = growth->bytes_alloc;
	} else {
		return 0; /* failed allocations */
	}
	return s->base.sink->row(s->base.ctx, &complete, &figures, s->base.err);
}

/* Deliver all counts up to now. */
static int hand_over(struct count_source *s, uint64_t now)
{
	struct bpf_counts counts[BPF_KINDS];
	struct count_row *row;
	uint64_t at = 0;
	int ret = bpf_counting_counts(s->counting, counts, s->base.err);

	if (ret)
		return ret;
	live_base_set_lost(&s->base, counts);
	s->base.facts.stated_stop_ns = now;
	if (!s->base.sink->row)
		return 0;
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

static int wait_ms(const struct live_base *b, uint64_t now)
{
	(void)b, (void)now;
	return LOOK_EVERY_MS;
}

/* An interval ends when its counts have been delivered. */
static int tick(struct live_base *b, uint64_t now)
{
	struct count_source *s = (struct count_source *)b;
	uint64_t every_ns = s->base.options.every_ns;

	if (!every_ns)
		return 0;
	if (now >= s->due_ns) {
		int ret = hand_over(s, now);

		if (ret)
			return ret;
		s->due_ns += (now - s->due_ns) / every_ns * every_ns + every_ns;
	}
	return live_base_reached(b, now);
}

/* Counts have no times: call sites in an unloaded module get the names of its successor. */
static void warn_of_modules(struct count_source *s)
{
	struct strbuf *lines = &s->base.facts.modules;

	if (!module_watch_drain(&s->base.modules, lines) &&
	    (*lines->buf == '-' || strstr(lines->buf, "\n- ")))
		log_warn("modules were unloaded while the kernel counted: call sites in them have "
			 "no names, or those of modules that were loaded at the same addresses "
			 "(without --in-kernel, times tell them apart)");
}

static int read_source(struct event_source *source, const struct event_sink *sink, void *ctx,
		       struct error *err)
{
	struct count_source *s = (struct count_source *)source;
	static const struct live_rounds rounds = {wait_ms, tick};
	const struct live_options *o = &s->base.options;
	struct tracefs tracefs;
	int ret, stopped;

	if (!tracefs_find(&tracefs, false, NULL))
		module_watch_open(&s->base.modules, &tracefs, CLOCK_MONOTONIC, NULL);
	live_base_begin(&s->base, sink, ctx, err);
	s->base.facts.stated_start_ns = s->base.facts.stated_stop_ns = now_ns();
	s->due_ns = s->base.facts.stated_start_ns + s->base.options.every_ns;
	ret = bpf_counting_enable(s->counting);
	if (ret)
		return error_set_errno(err, -ret, "cannot enable the BPF programs");
	ret = o->begin ? o->begin(o->ctx, err) : 0;
	if (!ret)
		ret = live_base_follow(&s->base, &rounds);
	stopped = bpf_counting_disable(s->counting);
	warn_of_modules(s);
	s->base.facts.stated_stop_ns = now_ns();
	s->base.facts.first_ns = s->base.facts.stated_start_ns;
	s->base.facts.last_ns = s->base.facts.stated_stop_ns;
	if (!ret && stopped)
		ret = error_set_errno(err, -stopped, "cannot stop the BPF programs");
	return ret ? ret : hand_over(s, s->base.facts.stated_stop_ns);
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
	live_base_init(&s->base, &counting, options);
	s->base.facts.live_unknown = true;
	table_init(&s->rows, sizeof(struct count_row), sizeof(struct count_key));
	ret = live_base_add_facts(&s->base, kmem_kind_is_slab)
		      ? error_nomem(err)
		      : bpf_counting_open(&s->counting, &s->base.options.capture, 0, err);
	if (ret)
		free_source(&s->base.source);
	else
		*ret_source = &s->base.source;
	return ret;
}
