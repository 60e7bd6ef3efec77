/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct event_source: what events are read from, and struct event_sink: where they go.
 *
 * A source is a set of functions and a line in EVENT_SOURCES; which one reads a file is determined
 * by asking each.  It passes on what it has, in time order, in one of these forms:
 *
 *   samples          raw fields of tracepoints, whose formats come first (a perf.data);
 *   complete events  what a sample becomes when it is decoded, with the names that go with it;
 *   rows             figures that somebody else has counted, by keys.
 *
 * Everything that follows (filters, time windows, tables by any key, leak, diff, every output
 * format) is the same for all.  The sink copies what it wants to keep: what it is passed is valid
 * only until the function returns.  A negative return ends reading and is passed on.
 */
#ifndef SOURCE_EVENT_SOURCE_H
#define SOURCE_EVENT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/source/complete_event.h"
#include "util/source/facts.h"
#include "util/source/sample.h"

/* A new source is one word here and, in its folder, a struct event_source_ops event_source_NAME. */
#define EVENT_SOURCES(SOURCE) SOURCE(perfdata)

/*
 * Reports progress, every megabyte or so and while a pipe is silent.  bytes: how much of the input
 * has reached the consumer as records; bytes_total: 0 if unknown.  Non-zero ends reading, which is
 * not an error: what was read by then goes to the sink in order, and facts->stop says how far that
 * is.  Later return values are ignored.
 */
typedef int (*source_progress_fn)(void *ctx, uint64_t bytes, uint64_t bytes_total,
				  uint64_t nr_samples);

struct source_options {
	bool force;		     /* even files that belong neither to the user nor to root */
	unsigned int jobs;	     /* threads: 1: only the calling one; 0: as many as the CPUs
				      * allow */
	uint64_t held_bytes_max;     /* bytes from a pipe, or unpacked, that may wait; 0: 256 MiB */
	source_progress_fn progress; /* NULL: no progress reports */
	void *progress_ctx;
	/*
	 * > 0: the path is a FIFO, open here; the source duplicates this.  Opened again, a FIFO
	 * whose writer has already gone would never end.
	 */
	int opened_fifo;
};

struct tracing_data;

struct event_sink {
	/* The layout of the raw data of samples; once, before the first sample. */
	int (*formats)(void *ctx, const struct tracing_data *formats, struct error *err);
	int (*sample)(void *ctx, const struct sample *sample, struct error *err);
	int (*event)(void *ctx, const struct complete_event *event, struct error *err);
	/* Figures of allocations, whose keys are those of an event: its address is ignored. */
	int (*row)(void *ctx, const struct complete_event *keys,
		   const struct source_figures *figures, struct error *err);
	/* A thread has a new name / a new thread; in time order with the events. */
	int (*comm)(void *ctx, uint32_t tid, const char *comm);
	int (*fork)(void *ctx, uint32_t parent_tid, uint32_t tid);
	/* The control group with this id has this path ("/system.slice"); in time order, too. */
	int (*cgroup)(void *ctx, uint64_t id, const char *path);
	/* A thread has ended: its number may be used again. NULL: not needed. */
	int (*exit)(void *ctx, uint32_t tid);
	/*
	 * From a source that goes on by itself (a live one), some ten times a second whether or not
	 * there are events: everything before time_ns has been handed over.
	 */
	int (*tick)(void *ctx, uint64_t time_ns, struct error *err);
};

struct event_source;

/* What is known about an input before it is read. */
struct source_input {
	const char *path; /* "-": standard input */
	bool is_directory;
	const uint8_t *head; /* its first bytes */
	size_t head_size;    /* 0: they cannot be looked at without consuming them */
};

/* How many are looked at. */
#define SOURCE_HEAD_SIZE 4096

struct event_source_ops {
	const char *name; /* of what it reads, for the user */
	bool (*probe)(const struct source_input *input);
	/* Read what comes before the events. */
	int (*open)(const char *path, const struct source_options *options,
		    struct event_source **ret_source, struct error *err);
	/* Called once: reads everything into the sink, members of which may be NULL. What cannot be
	 * read is noted in the facts' damage, and is not an error. -ENOMEM needs no message. */
	int (*read)(struct event_source *s, const struct event_sink *sink, void *ctx,
		    struct error *err);
	void (*free)(struct event_source *s);
};

/* The first member of a source's own struct. */
struct event_source {
	const struct event_source_ops *ops;
	const struct source_facts *facts; /* the source's; complete once everything has been read */
};

/*
 * Determine what the path is, and open it. What no source recognizes goes to the first one, which
 * says what is wrong with it. Errors: those of the source.
 */
int event_source_open(const char *path, const struct source_options *options,
		      struct event_source **ret_source, struct error *err);
int event_source_read(struct event_source *s, const struct event_sink *sink, void *ctx,
		      struct error *err);
void event_source_free(struct event_source *s);

/* The first of nr sources whose probe() returns true, or NULL. */
const struct event_source_ops *event_source_probe(const struct event_source_ops *const *sources,
						  size_t nr, const struct source_input *input);

#endif
