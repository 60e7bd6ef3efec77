/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct live_base: shared by the live source and the counting one.
 *
 * It has this machine's facts, its events and losses, and the loop that runs until the caller stops
 * it. It is the first member of each, and begins with the struct event_source of the interface.
 * Times are CLOCK_MONOTONIC.
 */
#ifndef WATCH_LIVE_BASE_H
#define WATCH_LIVE_BASE_H

#include "util/bpf/capture.h"
#include "util/host/module_watch.h"
#include "util/event/kmem_event.h"
#include "util/source/event_source.h"

struct live_options {
	/* The kinds to capture; task kinds are added. Its pointers must outlive the source. */
	struct bpf_capture_options capture;
	uint64_t expected_ns; /* expected duration; 0 if unknown */
	uint64_t every_ns;    /* counting: interval between deliveries; 0: once, at the end */
	int wake_fd;	      /* readable when look() should be called; -1 if none */
	/* Called when capturing has started: time to start a command. May be NULL. */
	int (*begin)(void *ctx, struct error *err);
	/* Called once a round, and when wake_fd is readable. Returns > 0 to stop, < 0 for an
	 * error. */
	int (*look)(void *ctx, uint64_t now_ns, struct error *err);
	void *ctx;
};

struct live_base {
	struct event_source source;
	struct source_facts facts;
	struct live_options options;
	/* the facts' events by enum bpf_kind; NULL for task events, or if not captured */
	struct source_event *events[BPF_KINDS];
	uint64_t slabs_due_ns; /* time of the next reading of the slab counts; UINT64_MAX: none */
	struct module_watch modules; /* not open if modules cannot be followed */
	/* valid while reading */
	const struct event_sink *sink;
	void *ctx;
	struct error *err;
};

void live_base_init(struct live_base *b, const struct event_source_ops *ops,
		    const struct live_options *options);
void live_base_deinit(struct live_base *b);

/* The facts of this machine, and its captured kinds of events. Errors: -ENOMEM. */
int live_base_add_facts(struct live_base *b, bool (*wanted)(enum kmem_kind kind));

/*
 * Read the kernel's counts of slab objects: at the start and the stop, and in between when enough
 * time has passed, so that it takes less than a thousandth of a CPU. Errors: -ENOMEM.
 */
int live_base_count_slabs(struct live_base *b);
int live_base_count_slabs_if_due(struct live_base *b, uint64_t now);

/* Start reading into this sink. */
void live_base_begin(struct live_base *b, const struct event_sink *sink, void *ctx,
		     struct error *err);

/* Update the losses so far, for callers that show them. */
void live_base_set_lost(struct live_base *b, const struct bpf_counts counts[BPF_KINDS]);

/*
 * All events up to this time were delivered: set the end so far, and deliver a tick. The time is at
 * least stated_start_ns.
 */
int live_base_reached(struct live_base *b, uint64_t ns);

/*
 * Run until the caller stops (0), or an error: wait for wait_ms() or an event on a descriptor, then
 * call round() and look().
 */
struct live_rounds {
	int (*wait_ms)(const struct live_base *b, uint64_t now_ns);
	int (*round)(struct live_base *b, uint64_t now_ns);
};
int live_base_follow(struct live_base *b, const struct live_rounds *rounds);

#endif
