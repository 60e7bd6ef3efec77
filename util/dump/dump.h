/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct dump: shared by the sources that read one text of the kernel, line by line, into rows,
 * most of which are live memory.
 *
 * A source is a struct dump_kind and functions for its lines. Its own struct, if it needs one,
 * begins with the dump. dump_open() is its open_input(), dump_read() its read(), dump_free() its
 * free(). Invalid lines are recorded as damage, with the number of the first.
 */
#ifndef DUMP_DUMP_H
#define DUMP_DUMP_H

#include "util/event/kmem_event.h"
#include "util/source/event_source.h"
#include "util/source/site_names.h"
#include "util/source/text_lines.h"

/* More objects or allocations than any kernel can have, so that sums cannot wrap. */
#define DUMP_NUMBER_MAX (1ull << 52)

struct dump;

struct dump_kind {
	const struct event_source_ops *ops;
	size_t size;	     /* size of the source's own struct */
	const char *what;    /* name of its only event: "allocinfo" */
	const char *keys;    /* the keys that it reports, as in the facts */
	const char *slab_by; /* the same */
	enum kmem_kind kind;
	uint32_t page_size; /* bytes, unless the options have it; 0: the size on this machine */
	bool has_callchain;
	bool requests_unknown; /* as in the facts */
	bool takes_torn;       /* accept a last line without a newline, in a truncated input */
	/* Initializes further members of its struct. Errors: -ENOMEM. May be NULL. */
	int (*init)(struct dump *d);
	void (*deinit)(struct dump *d); /* also called if init() failed, or was not called */
	/* Errors: -ENOMEM, or those of the sink. */
	int (*take_line)(struct dump *d, const struct text_line *line);
	/* Called after the last line. May be NULL. */
	int (*finish)(struct dump *d);
};

struct dump {
	struct event_source source;
	struct source_facts facts;
	const struct dump_kind *kind;
	struct input *input;
	struct source_options options;
	struct source_event *event; /* event of the facts */
	struct site_names own_names;
	struct site_names *names; /* its own names, or those of the source that contains it */
	unsigned int nr_headers;  /* number of lines passed to dump_take_header() */
	/* valid while reading */
	const struct event_sink *sink;
	void *ctx;
	struct error *err;
};

/* Takes over the input. */
int dump_open(const struct dump_kind *kind, struct input *input,
	      const struct source_options *options, struct event_source **ret_source,
	      struct error *err);
int dump_read(struct event_source *source, const struct event_sink *sink, void *ctx,
	      struct error *err);
void dump_free(struct event_source *source);

/*
 * Handle a text's first line, "MAGICMAJOR.MINOR": warn of a version that is newer than the known
 * ones, and of a second such line. Returns false for other lines.
 */
bool dump_take_header(struct dump *d, const struct text_line *line, const char *magic,
		      unsigned int major_known);

/* Record an invalid line. Returns 0. */
int dump_bad_line(struct dump *d, const struct text_line *line, const char *why);

/*
 * Deliver a row of live memory: the number of objects or pages, and the bytes requested and
 * allocated. Keys that the source does not report may be unset. The kind, the time and a missing
 * comm are set here.
 */
int dump_add(struct dump *d, struct kmem_event *keys, struct complete_event *row, uint64_t hits,
	     uint64_t bytes_req, uint64_t bytes);
/* The same with figures of memory that need not be live. */
int dump_add_figures(struct dump *d, struct kmem_event *keys, struct complete_event *row,
		     const struct source_figures *figures);
/* Deliver a row that is complete except for its event. */
int dump_add_row(struct dump *d, struct complete_event *row, const struct source_figures *figures);

#endif
