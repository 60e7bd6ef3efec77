/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct event_merge: merges the queues of all CPUs into one stream in time order.
 *
 * A heap of queues by the time of their first events. A CPU's events come in runs, so the heap
 * changes once for each run, not for each event. If times are equal, the event of the lower CPU
 * number comes first.
 */
#ifndef WATCH_EVENT_MERGE_H
#define WATCH_EVENT_MERGE_H

#include "util/watch/event_queue.h"

struct event_merge {
	struct merge_cpu {
		struct event_queue queue;
		int cpu;
	} * cpus; /* by CPU number */
	unsigned int nr;
	unsigned int *heap; /* heap: numbers of queues with events, while events are taken */
};

/* A result < 0 ends merging and is returned. */
typedef int (*merge_fn)(void *ctx, int cpu, const struct bpf_event *event);

/* Start with nr empty queues; the caller sets their CPUs. Errors: -ENOMEM. */
int event_merge_init(struct event_merge *m, unsigned int nr);
void event_merge_deinit(struct event_merge *m);

/* Deliver all events older than limit_ns. An error leaves the others in their queues. */
int event_merge_until(struct event_merge *m, uint64_t limit_ns, merge_fn fn, void *ctx);

#endif
