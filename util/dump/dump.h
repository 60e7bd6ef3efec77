/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct dump: what the sources have in common that read one text of the kernel, line by line, into
 * rows, most of them of what is live.
 *
 * A source is a struct dump_kind and the functions for its lines; its own struct, if it needs one,
 * begins with the dump.  dump_open() is its open_input(), dump_read() its read(), dump_free() its
 * free().  Lines that cannot be understood are noted as damage, with the number of the first.
 */
#ifndef DUMP_DUMP_H
#define DUMP_DUMP_H

#include "util/event/kmem_event.h"
#include "util/source/event_source.h"
#include "util/source/site_names.h"
#include "util/source/text_lines.h"

/* No kernel has as many objects or allocations: there are fewer bytes. So sums cannot wrap. */
#define DUMP_NUMBER_MAX (1ull << 52)

struct dump;

struct dump_kind {
	const struct event_source_ops *ops;
	size_t size;	     /* of the source's own struct */
	const char *what;    /* the name of its one event: "allocinfo" */
	const char *keys;    /* that it has, as in the facts */
	const char *slab_by; /* the same */
	enum kmem_kind kind;
	uint32_t page_size; /* bytes, where the options do not tell; 0: those of this machine */
	bool has_callchain;
	bool takes_torn; /* also a last line whose end is missing because its input was cut */
	/* Further members of its struct. Errors: -ENOMEM. NULL: there are none. */
	int (*init)(struct dump *d);
	void (*deinit)(struct dump *d); /* also of one whose init() failed, or was not called */
	/* Errors: -ENOMEM, or those of the sink. */
	int (*take_line)(struct dump *d, const struct text_line *line);
	/* After the last line; NULL: nothing to do. */
	int (*finish)(struct dump *d);
};

struct dump {
	struct event_source source;
	struct source_facts facts;
	const struct dump_kind *kind;
	struct input *input;
	struct source_options options;
	struct source_event *event; /* of the facts */
	struct site_names own_names;
	struct site_names *names; /* these, or those of the source that it is a part of */
	unsigned int nr_headers;  /* lines that dump_take_header() was given */
	/* while it is read */
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
 * A text's first line, "MAGICMAJOR.MINOR": warn of a version that is newer than any that is known,
 * and if there is a second such line.  False: it is another line.
 */
bool dump_take_header(struct dump *d, const struct text_line *line, const char *magic,
		      unsigned int major_known);

/* Note the line as one that cannot be understood. Returns 0. */
int dump_bad_line(struct dump *d, const struct text_line *line, const char *why);

/*
 * Hand over a row of live memory: the number of objects or pages, and the bytes requested and
 * allocated.  Keys may lack what the source does not report; their kind and time are set here, and
 * so is a missing comm.
 */
int dump_add(struct dump *d, struct kmem_event *keys, struct complete_event *row, uint64_t hits,
	     uint64_t bytes_req, uint64_t bytes);
/* Hand over a row of which the source knows everything but the event that it belongs to. */
int dump_add_row(struct dump *d, struct complete_event *row, const struct source_figures *figures);

#endif
