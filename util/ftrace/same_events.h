/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct same_events: joins what several ring buffers have of one event.
 *
 * The kernel writes the same bytes into each instance in which a tracepoint is enabled, one after
 * the other, but for common_flags: an interrupt in between may ask for the CPU.  So an event is the
 * same as one of another buffer if its CPU and the other bytes are, and it came less than
 * SAME_EVENTS_NS after; of either, the stack is kept.  Each is joined once per buffer: two equal
 * events of one buffer are two.
 *
 * Events go in in time order, wait that long, and come out in the same order.
 */
#ifndef FTRACE_SAME_EVENTS_H
#define FTRACE_SAME_EVENTS_H

#include "util/ftrace/cpu_events.h"

#define SAME_EVENTS_NS 1000000

/* As many wait at most: some ten thousand events a second and CPU are much. */
#define SAME_EVENTS_NR 512

struct same_events;

typedef int (*same_events_fn)(void *ctx, const struct cpu_event *event);

/* fn gets what comes out. NULL: no memory. */
struct same_events *same_events_new(same_events_fn fn, void *ctx);
void same_events_free(struct same_events *s);

/* Errors: -ENOMEM, what fn returns. */
int same_events_add(struct same_events *s, const struct cpu_event *e, uint32_t buffer);

/* At the end: what still waits comes out. */
int same_events_flush(struct same_events *s);

/* How many were joined to another. */
uint64_t same_events_joined(const struct same_events *s);

#endif
