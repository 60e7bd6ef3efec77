/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct ring_reader: the events of ring buffers, from any number of CPUs, as samples in time
 * order.
 *
 * Shared by trace.dat and tracefs. Its owner adds the pages of each CPU, then calls
 * ring_reader_scan() to find the existing events and those with stacks, then ring_reader_read() to
 * pass them to a sink. The pid of a sample is that of the thread, because a ring buffer has no
 * other. An event that is in several buffers (tracefs instances) is delivered once.
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

/* Properties of the events with a certain id. */
struct ring_id {
	struct source_event *event; /* NULL: no such event, or no format */
	uint32_t buffer;	    /* 1 + the buffer that has it; 0: none */
};

struct ring_reader {
	struct event_ids ids;
	struct ring_id *by_id;
	uint8_t *has_stack; /* by id */
	struct ring_cpu **cpus;
	size_t nr_cpus;
	uint64_t first_ns, last_ns;  /* times of all events */
	bool only_known;	     /* count only events with a format */
	bool several;		     /* an event is in several buffers */
	struct same_events *same;    /* NULL: no event is in several buffers */
	uint64_t bytes, bytes_total; /* bytes of pages */
	uint64_t reported;	     /* value of `bytes` at the last progress report */
	uint64_t nr_missed;	     /* number of lost events according to the pages */
	/* while reading */
	struct ring_cpu **heap; /* CPUs with remaining events, the earliest first */
	size_t nr_heap;
	struct source_facts *facts;
	const struct source_options *options;
	const struct event_sink *sink;
	void *ctx;
	struct error *err;
};

/* stack_format: the text of ftrace:kernel_stack; NULL if there is none. Errors: -ENOMEM. Call
 * _deinit() even after an error. */
int ring_reader_init(struct ring_reader *r, const char *stack_format);
void ring_reader_deinit(struct ring_reader *r);

/* Add the pages of a CPU; buffers are numbered from 0. Errors: -ENOMEM. */
int ring_reader_add_cpu(struct ring_reader *r, const struct ring_layout *layout,
			const struct ring_pages *pages, uint32_t buffer, int32_t cpu);

/* Add to the facts each existing event with a format, and the time span of all events. Errors: read
 * errors, -ENOMEM; -ECANCELED if the options' progress function stopped it. */
int ring_reader_scan(struct ring_reader *r, const struct tracing_data *formats,
		     struct source_facts *facts, const struct source_options *options,
		     struct error *err);

/*
 * Pass the formats, the names (lines "PID NAME", as in saved_cmdlines) and then the samples to the
 * sink. Counts and read errors go to the facts. overrun: number of lost events according to the
 * kernel, including those noted in the pages. Errors: read errors, -ENOMEM, those of the sink.
 */
int ring_reader_read(struct ring_reader *r, const struct tracing_data *formats,
		     struct bytes cmdlines, uint64_t overrun, struct source_facts *facts,
		     const struct source_options *options, const struct event_sink *sink, void *ctx,
		     struct error *err);

/*
 * Number of events missing from a buffer, by its per_cpu/cpuN/stats in a tracefs or its copy in a
 * trace.dat: overwritten by later ones, or dropped because it was full.
 *
 * Facts: tracing_stats_read() in kernel/trace/trace.c, lines "NAME: NUMBER".
 */
uint64_t ring_stats_lost(const char *text);

/* Only the dropped ones. The text of `trace` counts the overwritten events, but not these. */
uint64_t ring_stats_dropped(const char *text);

/*
 * Log the properties of a buffer's trace clock that matter to the user. clock: for example "local";
 * NULL if unknown.
 *
 * Facts: Documentation/trace/ftrace.rst, trace_clock.
 */
void ring_clock_note(const char *path, const char *clock);

#endif
