/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct event_source: what events are read from, and struct event_sink: where they go.
 *
 * A source is a set of functions and a line in EVENT_SOURCES; which one reads a file is found out
 * by asking each.  It hands over what it has, in the order of time, at the height that it has it:
 *
 *   samples          raw fields of tracepoints, whose formats come first (a perf.data);
 *   complete events  what a sample becomes when it is decoded, with the names that go with it;
 *   rows             figures that somebody else has counted, by keys.
 *
 * All that follows (filters, time windows, tables by any key, leak, diff, every form) is the same
 * for each.  The sink copies what it wants to keep: what it is given holds until the function
 * returns.  A negative return ends the reading and is passed on.
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
 * Hears how far the reading is, every megabyte or so and while a pipe brings nothing.  bytes: of
 * the input, those whose records the consumer has; bytes_total: 0 when not known.  Non-zero ends
 * the reading, which is no error: what was read by then goes to the sink in order, and facts->stop
 * says how far that is.  Later answers do not count.
 */
typedef int (*source_progress_fn)(void *ctx, uint64_t bytes, uint64_t bytes_total,
				  uint64_t nr_samples);

struct source_options {
	bool force;		     /* also files that are neither the user's nor root's */
	unsigned int jobs;	     /* threads: 1: none but ours; 0: as many as the CPUs allow */
	uint64_t held_bytes_max;     /* of a pipe, or unpacked, that may wait; 0: 256 MiB */
	source_progress_fn progress; /* NULL: nobody wants to know */
	void *progress_ctx;
};

struct tracing_data;

struct event_sink {
	/* What the raw data of samples look like; once, before the first one. */
	int (*formats)(void *ctx, const struct tracing_data *formats, struct error *err);
	int (*sample)(void *ctx, const struct sample *sample, struct error *err);
	int (*event)(void *ctx, const struct complete_event *event, struct error *err);
	/* Figures of allocations, whose keys are those of an event: its address means nothing. */
	int (*row)(void *ctx, const struct complete_event *keys,
		   const struct source_figures *figures, struct error *err);
	/* A thread has a new name / a new thread; in time order with the events. */
	int (*comm)(void *ctx, uint32_t tid, const char *comm);
	int (*fork)(void *ctx, uint32_t parent_tid, uint32_t tid);
};

struct event_source;

/* What is known of an input before somebody reads it. */
struct source_input {
	const char *path; /* "-": standard input */
	bool is_directory;
	const uint8_t *head; /* its first bytes */
	size_t head_size;    /* 0: they cannot be seen without being taken */
};

/* As many as are looked at. */
#define SOURCE_HEAD_SIZE 4096

struct event_source_ops {
	const char *name; /* of what it reads, for people */
	bool (*probe)(const struct source_input *input);
	/* Read what stands ahead of the events. */
	int (*open)(const char *path, const struct source_options *options,
		    struct event_source **ret_source, struct error *err);
	/* Once: everything, into the sink, members of which may be NULL. What cannot be read is
	 * noted in the facts' damage, and is no error. -ENOMEM needs no words. */
	int (*read)(struct event_source *s, const struct event_sink *sink, void *ctx,
		    struct error *err);
	void (*free)(struct event_source *s);
};

/* The first member of a source's own struct. */
struct event_source {
	const struct event_source_ops *ops;
	const struct source_facts *facts; /* the source's; complete when all is read */
};

/*
 * Find out what the path is, and open it. What nobody knows goes to the first source, which says
 * what is wrong with it. Errors: as the source's.
 */
int event_source_open(const char *path, const struct source_options *options,
		      struct event_source **ret_source, struct error *err);
int event_source_read(struct event_source *s, const struct event_sink *sink, void *ctx,
		      struct error *err);
void event_source_free(struct event_source *s);

/* The first of nr sources whose probe() says yes, or NULL. */
const struct event_source_ops *event_source_probe(const struct event_source_ops *const *sources,
						  size_t nr, const struct source_input *input);

#endif
