/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples of another source as a perf.data, in the tracepoints' own formats.
 *
 * So what a kernel traced into its ring buffers is kept, with callchains, names and, of the running
 * kernel, its symbols and the facts about the machine; stock perf reads it.  The events must come
 * in time order.  Losses that the source knows of are in the file (LOST).
 */
#ifndef OUTPUT_SAVE_H
#define OUTPUT_SAVE_H

#include "util/host/tracefs.h"
#include "util/source/event_source.h"

struct save_options {
	const char *output;	       /* a file */
	const char *version;	       /* of this program */
	int compress_level;	       /* 0: do not */
	const struct tracefs *tracefs; /* the formats of the events are there */
	bool this_machine;	       /* the events are of the running kernel */
};

struct save_result {
	uint64_t nr_samples, nr_lost;
	uint64_t bytes; /* of the file's records */
};

/* Reads the source, which was opened.  Errors: there are no events, or they cannot be written. */
int save_source(struct event_source *source, const struct save_options *options,
		struct save_result *ret_result, struct error *err);

#endif
