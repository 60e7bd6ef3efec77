/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct record_cli: the values of perf record's options, which other recording commands include.
 *
 * Strings are those of argv; record_cli_deinit() frees the lists.
 */
#ifndef BUILTIN_RECORD_OPTIONS_H
#define BUILTIN_RECORD_OPTIONS_H

#include <stdbool.h>

#include "util/capture/recorder_options.h"
#include "util/cli/options.h"

/* The values of perf record's options. */
struct record_cli {
	struct recorder_options options;
	bool stacks;
	bool user_stacks;
	bool no_probes; /* with the command's own events; otherwise there are none */
	bool raw;
	bool quiet;
	bool snapshot_on; /* --snapshot-on was given */
	bool switch_output;
	int verbose;
	uint64_t max_stack;
	bool takes_foreign;  /* remember an event that is not a tracepoint instead of failing */
	const char *foreign; /* the first such event of -e; may be NULL */
};

/* The options of perf record, for a struct record_cli. */
extern const struct option record_options[];

/* The subset for commands that account live events without a recording. */
extern const struct option record_live_options[];

/* The subset for a command that only counts: tasks, CPUs, duration. */
extern const struct option record_target_options[];

/* Check the options that select tasks, for this command, which may be NULL. */
int record_check_target(const struct recorder_options *o, char *const *command, struct error *err);

/* Check that the options are consistent, and set those that follow from others. */
int record_options_check(struct record_cli *cli, struct error *err);

void record_cli_deinit(struct record_cli *cli);

#endif
