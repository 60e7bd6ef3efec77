/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the samples of another source as a perf.data, in the tracepoints' own formats.
 *
 * It saves the kernel's trace buffers with callchains, names and, of the running kernel, its
 * symbols and the facts about the machine; stock perf reads it. The events must come in time order.
 * Losses that the source reports are in the file (LOST).
 */
#ifndef OUTPUT_SAVE_H
#define OUTPUT_SAVE_H

#include "util/host/tracefs.h"
#include "util/source/event_source.h"

struct save_options {
	const char *output;	       /* a file */
	const char *version;	       /* version of this program */
	int compress_level;	       /* 0: do not compress */
	const struct tracefs *tracefs; /* tracefs with the formats of the events */
	bool this_machine;	       /* the events are of the running kernel */
};

struct save_result {
	uint64_t nr_samples, nr_lost;
	uint64_t bytes; /* of the file's records */
};

/* Reads the source, which must be open.  Errors: there are no events, or they cannot be written. */
int save_source(struct event_source *source, const struct save_options *options,
		struct save_result *ret_result, struct error *err);

#endif
