/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct same_events: joins the copies of one event from several ring buffers.
 *
 * The kernel writes the same bytes into each instance in which a tracepoint is enabled, one after
 * the other. Only common_flags may differ: an interrupt in between may request the CPU. So two
 * events of different buffers are the same if their CPU and all other bytes are equal and they are
 * less than SAME_EVENTS_NS apart. The stack of either is kept. Two equal events of one buffer are
 * two events.
 *
 * Events are added in time order, wait for SAME_EVENTS_NS, and come out in the same order.
 */
#ifndef FTRACE_SAME_EVENTS_H
#define FTRACE_SAME_EVENTS_H

#include "util/ftrace/cpu_events.h"

#define SAME_EVENTS_NS 1000000

/* Limit for waiting events: some ten thousand events per second and CPU are many. */
#define SAME_EVENTS_NR 512

struct same_events;

typedef int (*same_events_fn)(void *ctx, const struct cpu_event *event);

/* fn receives the joined events. NULL if out of memory. */
struct same_events *same_events_new(same_events_fn fn, void *ctx);
void same_events_free(struct same_events *s);

/* Errors: -ENOMEM, those of fn. */
int same_events_add(struct same_events *s, const struct cpu_event *e, uint32_t buffer);

/* At the end: pass on all waiting events. */
int same_events_flush(struct same_events *s);

/* Number of events joined to another one. */
uint64_t same_events_joined(const struct same_events *s);

#endif
