/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct live_base: what the live source and the counting one have in common: this machine's facts,
 * its events and what was lost of them, and going on until the caller has seen enough.
 *
 * It is the first member of each, and begins with the struct event_source that their callers have.
 * Times are CLOCK_MONOTONIC.
 */
#ifndef WATCH_LIVE_BASE_H
#define WATCH_LIVE_BASE_H

#include "util/bpf/capture.h"
#include "util/host/module_watch.h"
#include "util/event/kmem_event.h"
#include "util/source/event_source.h"

struct live_options {
	/* Which kinds, of what; those of tasks are added. What it points to must outlive the
	 * source. */
	struct bpf_capture_options capture;
	uint64_t expected_ns; /* how long it will take; 0: nobody knows */
	uint64_t every_ns;    /* counting: hand over so often; 0: once, at the end */
	int wake_fd;	      /* readable: there is something for look(); -1: none */
	/* Events are being captured from now on: time to start a command. NULL: nothing to do. */
	int (*begin)(void *ctx, struct error *err);
	/* Once a round, and when wake_fd is readable: > 0: that was all, < 0: an error. */
	int (*look)(void *ctx, uint64_t now_ns, struct error *err);
	void *ctx;
};

struct live_base {
	struct event_source source;
	struct source_facts facts;
	struct live_options options;
	/* those of the facts, by enum bpf_kind; NULL: of tasks, or not captured */
	struct source_event *events[BPF_KINDS];
	struct module_watch modules; /* not open: none are followed */
	/* while it is read */
	const struct event_sink *sink;
	void *ctx;
	struct error *err;
};

void live_base_init(struct live_base *b, const struct event_source_ops *ops,
		    const struct live_options *options);
void live_base_deinit(struct live_base *b);

/* The facts of this machine, and those of the captured kinds of events that are wanted. Errors:
 * -ENOMEM. */
int live_base_add_facts(struct live_base *b, bool (*wanted)(enum kmem_kind kind));

/* Reading begins: what it is handed over to. */
void live_base_begin(struct live_base *b, const struct event_sink *sink, void *ctx,
		     struct error *err);

/* What was lost so far, for those who look meanwhile. */
void live_base_set_lost(struct live_base *b, const struct bpf_counts counts[BPF_KINDS]);

/*
 * All events until then were handed over: this is where it stops, so far, and a tick.  Nothing
 * happened before told_start_ns, so that is the least.
 */
int live_base_reached(struct live_base *b, uint64_t ns);

/*
 * Until the caller has seen enough (0), or an error: wait for as long as wait_ms() says or until
 * there is something to look at, then round(), look().
 */
struct live_rounds {
	int (*wait_ms)(const struct live_base *b, uint64_t now_ns);
	int (*round)(struct live_base *b, uint64_t now_ns);
};
int live_base_follow(struct live_base *b, const struct live_rounds *rounds);

#endif
