/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of perf record, which commands that record include in theirs, and what they fill in.
 *
 * Strings are those of argv; record_cli_deinit() frees the lists.
 */
#ifndef BUILTIN_RECORD_OPTIONS_H
#define BUILTIN_RECORD_OPTIONS_H

#include <stdbool.h>

#include "util/cli/options.h"
#include "util/record/recorder_options.h"

/* What the options of perf record fill in. */
struct record_cli {
	struct recorder_options options;
	bool stacks;
	bool user_stacks;
	bool raw;
	bool quiet;
	bool snapshot_on; /* --snapshot-on was given */
	bool switch_output;
	int verbose;
	uint64_t max_stack;
	bool takes_foreign;  /* note an event that is not a tracepoint instead of failing */
	const char *foreign; /* the first -e that names such an event; NULL: none */
};

/* The options of perf record, for a struct record_cli. */
extern const struct option record_options[];

/* Those of commands that account what happens without recording it. */
extern const struct option record_live_options[];

/* Which tasks and CPUs, and for how long: for a command that only counts. */
extern const struct option record_target_options[];

/* Do the options of record make sense together? Completes what follows from others. */
int record_options_check(struct record_cli *cli, struct error *err);

void record_cli_deinit(struct record_cli *cli);

#endif
