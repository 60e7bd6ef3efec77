/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct recording_input: the recording that perf's commands read: options, opening, and messages
 * at the end.
 *
 * Used by script, report, annotate, evlist and buildid-list. It may be of any source (util/source)
 * with samples.
 */
#ifndef BUILTIN_RECORDING_INPUT_H
#define BUILTIN_RECORDING_INPUT_H

#include <stdbool.h>

#include "util/cli/options.h"
#include "util/source/event_source.h"

struct recording_input {
	const char *path;
	bool force;
	uint64_t jobs; /* 0: as the number of CPUs allows */
	int verbose;
	bool quiet;
};

extern const struct option recording_input_options[];

void recording_input_init(struct recording_input *in);

/*
 * Open it. A pipe has its events among its data, so its list of events is empty after opening. With
 * `events` the pipe is read to its end, because an event may be anywhere.
 */
int recording_input_open(const struct recording_input *in, bool events,
			 struct event_source **ret_source, struct error *err);

/*
 * The error for a recording without samples: ENODATA, not a perf.data. perf kmem may be able to
 * read it (text dumps of the kernel have no samples). to: "print".
 */
int recording_input_check_samples(const struct event_source *source, const char *to,
				  struct error *err);

/*
 * Print warnings, free the source, and print the error if ret, the command's result, is one.
 * Returns the exit status: EXIT_PARTIAL if the recording was damaged.
 */
int recording_input_close(struct event_source *source, const char *command, int ret,
			  const struct error *err);

/*
 * Log damage and unknown events. so: the consequence of damage, appended to the message.
 */
void recording_input_warn_damage(const struct source_facts *facts, const char *so);

#endif
