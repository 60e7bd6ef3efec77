/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct ring_reader: the events of ring buffers, from any number of CPUs, as samples in time
 * order.
 *
 * What a trace.dat and a tracefs have in common.  Its owner adds the pages of each CPU, then lets
 * it look at all of them once (ring_reader_scan(): which events there are, and which have stacks)
 * and hand them to a sink (ring_reader_read()).  The pid of a sample is that of the thread: a ring
 * buffer has no other.  An event that several buffers (tracefs instances) have got comes once.
 */
#ifndef FTRACE_RING_READER_H
#define FTRACE_RING_READER_H

#include "util/base/bytes.h"
#include "util/base/error.h"
#include "util/ftrace/cpu_events.h"
#include "util/source/event_source.h"
#include "util/tracepoint/tracing_data.h"

#define RING_IDS (UINT16_MAX + 1)

struct same_events;
struct ring_cpu;

/* What is known about an event with a certain id. */
struct ring_id {
	struct source_event *event; /* NULL: it does not occur, or has no format */
	uint32_t buffer;	    /* 0: none has it; 1 + the one that has it */
};

struct ring_reader {
	struct event_ids ids;
	struct ring_id *by_id;
	uint8_t *has_stack; /* by id */
	struct ring_cpu **cpus;
	size_t nr_cpus;
	uint64_t first_ns, last_ns; /* of all events */
	bool only_known;	  /* events without a format are none of ours: do not count them */
	bool several;		  /* an event is in several buffers */
	struct same_events *same; /* NULL: none is */
	uint64_t bytes, bytes_total; /* of pages */
	uint64_t told;		     /* the value of `bytes` when progress was last reported */
	uint64_t nr_missed;	     /* events that were lost, according to the pages */
	/* while it reads */
	struct ring_cpu **heap; /* those with events left, the earliest first */
	size_t nr_heap;
	struct source_facts *facts;
	const struct source_options *options;
	const struct event_sink *sink;
	void *ctx;
	struct error *err;
};

/* stack_format: the text of ftrace:kernel_stack; NULL: there is none. Errors: -ENOMEM; _deinit()
 * may be called even then. */
int ring_reader_init(struct ring_reader *r, const char *stack_format);
void ring_reader_deinit(struct ring_reader *r);

/* Pages of a buffer; buffers are numbered from 0. Errors: -ENOMEM. */
int ring_reader_add_cpu(struct ring_reader *r, const struct ring_layout *layout,
			const struct ring_pages *pages, uint32_t buffer, int32_t cpu);

/* Add to the facts each event that occurs and has a format, and the time span of all events.
 * Errors: read errors, -ENOMEM; -ECANCELED: the options' progress function wants to stop. */
int ring_reader_scan(struct ring_reader *r, const struct tracing_data *formats,
		     struct source_facts *facts, const struct source_options *options,
		     struct error *err);

/*
 * Formats, names (lines "PID NAME", as in saved_cmdlines), then samples go to the sink; counts, and
 * what could not be read, to the facts.  overrun: events that the kernel counted as lost, among
 * which are those that the pages tell of.  Errors: of reading, -ENOMEM, what the sink returns.
 */
int ring_reader_read(struct ring_reader *r, const struct tracing_data *formats,
		     struct bytes cmdlines, uint64_t overrun, struct source_facts *facts,
		     const struct source_options *options, const struct event_sink *sink, void *ctx,
		     struct error *err);

#endif
