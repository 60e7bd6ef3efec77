/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct cpu_events: the events of one CPU's ring buffer in their order, each with its stack.
 *
 * Where the stacktrace option is on, the kernel writes an event ftrace:kernel_stack right after
 * each event (ftrace_trace_stack() in kernel/trace/trace.c).  An interrupt may come between the
 * two, with events and stacks of its own; so the stack belongs to the latest event without one that
 * has the same common_flags, common_preempt_count and common_pid, which the kernel writes into
 * both. An event waits for its stack until CPU_EVENTS_AHEAD others have followed.
 *
 * The events that wait are copies; what is handed out is valid until the next call.
 */
#ifndef FTRACE_CPU_EVENTS_H
#define FTRACE_CPU_EVENTS_H

#include "util/base/strbuf.h"
#include "util/ftrace/ring_page.h"
#include "util/ftrace/ring_pages.h"

#define CPU_EVENTS_AHEAD 64

/* Deeper stacks are cut. */
#define RING_STACK_MAX 256

/* Where ftrace:kernel_stack has its addresses; id 0: there are no such events. */
struct stack_format {
	uint16_t id;
	uint16_t size_at;   /* an int: how many */
	uint16_t caller_at; /* longs, up to the end of the event */
};

/* What is to be known about the ids of events. */
struct event_ids {
	struct stack_format stack;
	const uint8_t *has_stack; /* by id, UINT16_MAX + 1 of them: such events wait for a stack */
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
	uint64_t missed; /* events that were lost before it; UINT64_MAX: some */
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
	uint8_t *buf;	    /* the page that is being read */
	uint64_t next_page; /* after that one */
	struct ring_page page;
	struct waiting_event *waiting; /* a ring */
	size_t cap_waiting;	       /* a power of two, up to CPU_EVENTS_AHEAD; 0: none yet */
	size_t first, nr_waiting;
	uint64_t missed;	  /* before the next event */
	uint64_t nr_broken_pages; /* whose events could not all be read */
	uint64_t first_broken;	  /* its number */
	uint64_t nr_stray_stacks; /* whose event is not known */
	bool truncated;		  /* pages are missing at the end */
};

/* Errors: -ENOMEM; _deinit() may be called even then. */
int cpu_events_init(struct cpu_events *c, const struct ring_layout *layout,
		    const struct event_ids *ids, const struct ring_pages *pages, int32_t cpu);
void cpu_events_deinit(struct cpu_events *c);

/* Start over from the first page. */
void cpu_events_rewind(struct cpu_events *c);

/* The next event, which stays the next one; *ret_event is NULL at the end. Errors: of read(),
 * -ENOMEM. */
int cpu_events_peek(struct cpu_events *c, const struct cpu_event **ret_event);
void cpu_events_pop(struct cpu_events *c);

/*
 * Call fn for each event as the buffer has it, stacks included, without waiting for anything; a
 * negative return ends it.
 */
int cpu_events_scan(struct cpu_events *c, int (*fn)(void *ctx, const struct cpu_event *event),
		    void *ctx);

#endif
