/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct cpu_events: the events of one CPU's ring buffer in their order, each with its stack.
 *
 * With the option stacktrace, the kernel writes an event ftrace:kernel_stack right after each event
 * (ftrace_trace_stack() in kernel/trace/trace.c). An interrupt may come between the two, with
 * events and stacks of its own. So a stack belongs to the latest event that has none and has the
 * same common_flags, common_preempt_count and common_pid, which the kernel writes into both. An
 * event waits for its stack until CPU_EVENTS_AHEAD others have followed.
 *
 * Waiting events are copies. Returned events are valid until the next call.
 */
#ifndef FTRACE_CPU_EVENTS_H
#define FTRACE_CPU_EVENTS_H

#include "util/base/strbuf.h"
#include "util/ftrace/ring_page.h"
#include "util/ftrace/ring_pages.h"

#define CPU_EVENTS_AHEAD 64

/* Deeper stacks are truncated. */
#define RING_STACK_MAX 256

/* Layout of ftrace:kernel_stack; id 0: there are no such events. */
struct stack_format {
	uint16_t id;
	uint16_t size_at;   /* offset of an int: the number of addresses */
	uint16_t caller_at; /* offset of longs, up to the end of the event */
};

/* Properties of events by their ids. */
struct event_ids {
	struct stack_format stack;
	const uint8_t *has_stack; /* UINT16_MAX + 1 entries, by id: these events wait for a stack */
};

struct cpu_event {
	uint64_t time_ns;
	uint16_t id; /* common_type */
	int32_t cpu;
	const uint8_t *data;
	uint32_t size;
	/* PERF_CONTEXT_KERNEL and addresses, in the byte order of the buffer; NULL: none */
	const uint64_t *callchain;
	size_t nr_callchain;
	uint64_t missed; /* number of events lost before it; UINT64_MAX: unknown */
};

struct waiting_event {
	struct cpu_event event;
	uint64_t context; /* flags, preempt count and pid */
	struct strbuf data;
	uint64_t stack[RING_STACK_MAX + 1];
};

struct cpu_events {
	const struct ring_layout *layout;
	const struct event_ids *ids;
	struct ring_pages pages;
	int32_t cpu;
	uint8_t *buf;	    /* the current page */
	uint64_t next_page; /* index of the page after it */
	struct ring_page page;
	struct waiting_event *waiting; /* a ring */
	size_t cap_waiting;	       /* a power of two, up to CPU_EVENTS_AHEAD; 0: none yet */
	size_t first, nr_waiting;
	uint64_t missed;	  /* lost before the next event */
	uint64_t nr_broken_pages; /* pages with unreadable events */
	uint64_t first_broken;	  /* index of the first of them */
	uint64_t nr_stray_stacks; /* stacks without an event */
	bool truncated;		  /* pages are missing at the end */
};

/* Errors: -ENOMEM. Call _deinit() even after an error. */
int cpu_events_init(struct cpu_events *c, const struct ring_layout *layout,
		    const struct event_ids *ids, const struct ring_pages *pages, int32_t cpu);
void cpu_events_deinit(struct cpu_events *c);

/* Start over from the first page. */
void cpu_events_rewind(struct cpu_events *c);

/* Get the next event without removing it; *ret_event is NULL at the end. Errors: those of read(),
 * -ENOMEM. */
int cpu_events_peek(struct cpu_events *c, const struct cpu_event **ret_event);
void cpu_events_pop(struct cpu_events *c);

/*
 * Call fn for each event in the order of the buffer, stacks included, without joining them. A
 * negative return stops it.
 */
int cpu_events_scan(struct cpu_events *c, int (*fn)(void *ctx, const struct cpu_event *event),
		    void *ctx);

#endif
