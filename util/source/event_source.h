/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct event_source: reads events from an input. struct event_sink receives them.
 *
 * A source is a set of functions and a line in EVENT_SOURCES. Each source is asked whether it reads
 * a file. It delivers its data in time order, in one of these forms:
 *
 *   samples          raw fields of tracepoints, whose formats come first (a perf.data);
 *   complete events  decoded events, with the names that belong to them;
 *   rows             figures by keys, already counted by somebody else.
 *
 * Everything else (filters, time windows, tables by any key, leak, diff, every output format) is
 * the same for all forms. The sink copies the data that it keeps: its arguments are valid only
 * until the function returns. A negative return ends reading and is passed on.
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
 * A new source is one word here, which is also its name for --input-format, and a struct
 * event_source_ops event_source_NAME in its folder. The first source whose probe() returns true
 * reads the input.
 */
#define EVENT_SOURCES(SOURCE)                                                                      \
	SOURCE(perfdata)                                                                           \
	SOURCE(page_owner)                                                                         \
	SOURCE(trace_dat)                                                                          \
	SOURCE(tracefs)                                                                            \
	SOURCE(trace_text)                                                                         \
	SOURCE(page_owner_stacks)                                                                  \
	SOURCE(allocinfo) SOURCE(slabinfo) SOURCE(vmallocinfo) SOURCE(snapshot)

/* " perfdata ...", for users. */
#define EVENT_SOURCE_NAME(name) " " #name
#define EVENT_SOURCE_NAMES	EVENT_SOURCES(EVENT_SOURCE_NAME)

struct tracing_data;

struct event_sink {
	/* Layout of the raw data of samples. Called once, before the first sample. */
	int (*formats)(void *ctx, const struct tracing_data *formats, struct error *err);
	/* Called by live sources once the facts are complete; the first event is delivered after it
	 * returns. May be NULL. */
	int (*ready)(void *ctx, struct error *err);
	int (*sample)(void *ctx, const struct sample *sample, struct error *err);
	/*
	 * Takes the first ones of several samples in time order, as many as it can take quickly,
	 * and returns their number; the next one is passed to sample(). The facts count them
	 * afterwards. NULL: all are passed to sample().
	 */
	int (*samples)(void *ctx, const struct sample *samples, size_t nr, struct error *err);
	int (*event)(void *ctx, const struct complete_event *event, struct error *err);
	/* Returns the place for the next complete event, so that it need not be copied; valid until
	 * event() is called. NULL: the source uses its own memory. */
	struct kmem_event *(*room)(void *ctx);
	/* Figures of allocations. Their keys are those of an event, whose address is ignored. */
	int (*row)(void *ctx, const struct complete_event *keys,
		   const struct source_figures *figures, struct error *err);
	/* A thread has a new name, or a new thread exists; in time order with the events. */
	int (*comm)(void *ctx, uint32_t tid, const char *comm);
	int (*fork)(void *ctx, uint32_t parent_tid, uint32_t tid);
	/* The path ("/system.slice") of the control group with this id; in time order, too. */
	int (*cgroup)(void *ctx, uint64_t id, const char *path);
	/* A thread has ended: its number may be reused. May be NULL. */
	int (*exit)(void *ctx, uint32_t tid);
	/*
	 * Address spaces, in time order with the events. map() is called for each new map of a
	 * process, process() when its address space begins, is replaced or ends.
	 * parent_pid is the parent of a new process, else 0. May be NULL.
	 */
	int (*map)(void *ctx, const struct source_map *map);
	int (*process)(void *ctx, enum source_process_change change, uint32_t pid,
		       uint32_t parent_pid);
	/*
	 * Called by live sources at least about twenty times a second, with or without events:
	 * everything before time_ns has been delivered.
	 */
	int (*tick)(void *ctx, uint64_t time_ns, struct error *err);
};

struct event_source;

struct event_source_ops {
	const char *name;   /* of its input, for the user: "page_owner dump" */
	const char *limits; /* missing data, for the header of reports: "frees"; NULL: none */
	bool is_default;    /* the form that record writes: headers do not mention it */
	bool (*probe)(const struct source_input *input);
	/*
	 * Open the input and read the part before the events. A source has one of these two
	 * functions. open_input() reads bytes in order, and takes over the input, even if it fails.
	 * open() opens the path, or options->opened_fd, itself; packed data have been unpacked into
	 * a file then.
	 */
	int (*open_input)(struct input *input, const struct source_options *options,
			  struct event_source **ret_source, struct error *err);
	int (*open)(const char *path, const struct source_options *options,
		    struct event_source **ret_source, struct error *err);
	/* Its input has parts; options->format may name the one to read. */
	bool has_parts;
	bool seeks; /* open() cannot read a pipe: its data are stored in a file, too */
	/* Called once: reads everything into the sink, whose members may be NULL. Unreadable data
	 * are noted in the facts' damage, and are not an error. An error without a message gets
	 * "cannot read '<path>': " and the errno's text. */
	int (*read)(struct event_source *s, const struct event_sink *sink, void *ctx,
		    struct error *err);
	/*
	 * Set facts->stated_stop_ns, for ages, before everything has been read; called during
	 * read(). NULL: it cannot be found earlier. Errors: with the reason.
	 */
	int (*find_end)(struct event_source *s, struct error *err);
	void (*free)(struct event_source *s);
};

/* The first member of a source's own struct. */
struct event_source {
	const struct event_source_ops *ops;
	struct source_facts *facts; /* owned by the source; complete after reading */
};

/*
 * Find the source for a path, unless options->format names it, and open it. Errors: those of the
 * input and of the source; no source reads it; unknown format.
 */
int event_source_open(const char *path, const struct source_options *options,
		      struct event_source **ret_source, struct error *err);
int event_source_read(struct event_source *s, const struct event_sink *sink, void *ctx,
		      struct error *err);
void event_source_free(struct event_source *s);

/* Errors: it is not a word of EVENT_SOURCES; the message lists them. */
int event_source_check_word(const char *word, struct error *err);

/* Returns the first of nr sources whose probe() returns true, or NULL. */
const struct event_source_ops *event_source_probe(const struct event_source_ops *const *sources,
						  size_t nr, const struct source_input *input);

#endif
