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
#include "util/source/input.h"
#include "util/source/sample.h"
#include "util/source/source_map.h"
#include "util/source/source_options.h"

/*
 * A new source is one word here, which is also what --input-format calls it, and, in its folder, a
 * struct event_source_ops event_source_NAME.  The first one whose probe() returns true has it.
 */
#define EVENT_SOURCES(SOURCE)                                                                      \
	SOURCE(perfdata)                                                                           \
	SOURCE(page_owner)                                                                         \
	SOURCE(trace_dat)                                                                          \
	SOURCE(tracefs)                                                                            \
	SOURCE(trace_text)                                                                         \
	SOURCE(page_owner_stacks) SOURCE(allocinfo) SOURCE(slabinfo) SOURCE(snapshot)

/* " perfdata ...", for users. */
#define EVENT_SOURCE_NAME(name) " " #name
#define EVENT_SOURCE_NAMES	EVENT_SOURCES(EVENT_SOURCE_NAME)

struct tracing_data;

struct event_sink {
	/* The layout of the raw data of samples; once, before the first sample. */
	int (*formats)(void *ctx, const struct tracing_data *formats, struct error *err);
	/* The facts are complete up to the first event, which may be made to wait for what is done
	 * here; from a live source only.  NULL: nothing is. */
	int (*ready)(void *ctx, struct error *err);
	int (*sample)(void *ctx, const struct sample *sample, struct error *err);
	int (*event)(void *ctx, const struct complete_event *event, struct error *err);
	/* Where the next complete event may be written, so that it need not be copied; until
	 * event() is called. NULL: the source has memory of its own. */
	struct kmem_event *(*room)(void *ctx);
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
	 * Address spaces, in time order with the events: a process maps something; its address
	 * space begins, is replaced or ends (parent_pid is that of a new one, else 0).  NULL: not
	 * needed.
	 */
	int (*map)(void *ctx, const struct source_map *map);
	int (*process)(void *ctx, enum source_process_change change, uint32_t pid,
		       uint32_t parent_pid);
	/*
	 * From a source that goes on by itself (a live one), some ten times a second whether or not
	 * there are events: everything before time_ns has been handed over.
	 */
	int (*tick)(void *ctx, uint64_t time_ns, struct error *err);
};

struct event_source;

struct event_source_ops {
	const char *name;   /* of what it reads, for the user: "page_owner dump" */
	const char *limits; /* what it cannot tell, for the header of reports: "of frees"; NULL:
			     * nothing to say */
	bool is_usual;	    /* what record writes: headers do not say what it is */
	bool (*probe)(const struct source_input *input);
	/*
	 * Read what comes before the events; the source has one of these functions.  The first
	 * reads bytes in order, and takes over the input, even if it fails.  The second opens the
	 * path, or options->opened_fd, by itself; what is packed has been unpacked into a file
	 * then.
	 */
	int (*open_input)(struct input *input, const struct source_options *options,
			  struct event_source **ret_source, struct error *err);
	int (*open)(const char *path, const struct source_options *options,
		    struct event_source **ret_source, struct error *err);
	/* Its input is made of others; options->format may name the one that is to be read. */
	bool has_parts;
	bool seeks; /* open() cannot read a pipe: what comes through one is put into a file, too */
	/* Called once: reads everything into the sink, members of which may be NULL. What cannot be
	 * understood is noted in the facts' damage, and is not an error. An error without a message
	 * gets "cannot read '<path>': " and what the errno means. */
	int (*read)(struct event_source *s, const struct event_sink *sink, void *ctx,
		    struct error *err);
	/*
	 * Make facts->told_stop_ns known before everything has been read, for ages; called during
	 * read().  NULL: if it is not known then, it cannot be found. Errors: why.
	 */
	int (*find_end)(struct event_source *s, struct error *err);
	void (*free)(struct event_source *s);
};

/* The first member of a source's own struct. */
struct event_source {
	const struct event_source_ops *ops;
	struct source_facts *facts; /* the source's; complete once everything has been read */
};

/*
 * Determine what the path is, unless options->format says it, and open it.  Errors: those of the
 * input and of the source; no source knows it; there is no such format.
 */
int event_source_open(const char *path, const struct source_options *options,
		      struct event_source **ret_source, struct error *err);
int event_source_read(struct event_source *s, const struct event_sink *sink, void *ctx,
		      struct error *err);
void event_source_free(struct event_source *s);

/* Errors: it is not a word of EVENT_SOURCES; which there are. */
int event_source_check_word(const char *word, struct error *err);

/* The first of nr sources whose probe() returns true, or NULL. */
const struct event_source_ops *event_source_probe(const struct event_source_ops *const *sources,
						  size_t nr, const struct source_input *input);

#endif
