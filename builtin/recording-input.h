/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recording that script, report, annotate, evlist and buildid-list read: its options, opening
 * it, and what is said about it at the end.
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

/*
 * For a recording without samples.  Errors: ENODATA, it is not a perf.data; there may be events in
 * it that perf kmem reads (texts of the kernel have been decoded already).  to: "print".
 */
int recording_input_check_samples(const struct event_source *source, const char *to,
				  struct error *err);

/*
 * Print warnings, free the source, and print the error if ret, the command's result, is one.
 * Returns the exit status, EXIT_PARTIAL if the recording was damaged.
 */
int recording_input_close(struct event_source *source, const char *command, int ret,
			  const struct error *err);

/*
 * Log what the user should know besides the result: damage, unknown events.  so: what follows from
 * damage, appended to what is said about it.
 */
void recording_input_warn_damage(const struct source_facts *facts, const char *so);

#endif
