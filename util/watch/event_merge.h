/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct event_merge: the queues of all CPUs as one stream in time order.
 *
 * A heap of the queues by the time of their first events.  Events of one CPU come in runs, so the
 * heap is touched once in each run, not once for each event.  Of equal times, that of the CPU with
 * the lower number is the first.
 */
#ifndef WATCH_EVENT_MERGE_H
#define WATCH_EVENT_MERGE_H

#include "util/watch/event_queue.h"

struct event_merge {
	struct merge_cpu {
		struct event_queue queue;
		int cpu;
	} * cpus; /* in the order of their numbers */
	unsigned int nr;
	unsigned int *heap; /* numbers of those that have events, when events are taken */
};

/* < 0 ends merging, and is returned. */
typedef int (*merge_fn)(void *ctx, int cpu, const struct bpf_event *event);

/* With so many empty queues; the caller sets their CPUs. Errors: -ENOMEM. */
int event_merge_init(struct event_merge *m, unsigned int nr);
void event_merge_deinit(struct event_merge *m);

/* Hand over all that are older than limit_ns; an error leaves the rest where it is. */
int event_merge_until(struct event_merge *m, uint64_t limit_ns, merge_fn fn, void *ctx);

#endif
