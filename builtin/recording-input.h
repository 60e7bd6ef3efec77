/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recording that evlist, buildid-list and script read: its options, opening and reading it, and
 * what is said about it at the end.
 *
 * It may be of any source (util/source) that has samples.
 */
#ifndef BUILTIN_RECORDING_INPUT_H
#define BUILTIN_RECORDING_INPUT_H

#include <stdbool.h>

#include "util/cli/options.h"
#include "util/source/event_source.h"

struct recording_input {
	const char *path;
	bool force;
	uint64_t jobs; /* 0: as many threads as the CPUs allow */
	int verbose;
	bool quiet;
};

extern const struct option recording_input_options[];

void recording_input_init(struct recording_input *in);

/*
 * Open it.  If its events come with its data (a pipe), it has none yet: `events` reads it to its
 * end then, as there is no telling when the last of them has come.
 */
int recording_input_open(const struct recording_input *in, bool events,
			 struct event_source **ret_source, struct error *err);

/* Log what the user should know besides the result: damage, unknown events. */
void recording_input_warn(const struct source_facts *facts);

/* The same; so: what follows from damage, appended to what is said about it. */
void recording_input_warn_damage(const struct source_facts *facts, const char *so);

struct trace;

/* Name the tracepoints that have no name yet, as in a pipe, after their formats. Errors: -ENOMEM.
 */
int recording_input_name_events(struct source_facts *facts, const struct trace *trace);

#endif
