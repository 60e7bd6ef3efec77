/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf record for other commands: its options, to be included in theirs, and what they can change.
 */
#ifndef BUILTIN_RECORD_H
#define BUILTIN_RECORD_H

#include <stdbool.h>

#include "util/cli/options.h"
#include "util/record/recorder.h"

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
};

/* The options of perf record, for a struct record_cli. */
extern const struct option record_options[];

struct record_preset {
	const struct options *options; /* of the command; they include record_options */
	/* Called after parsing: the events to record if there is no -e. NULL: none. */
	const char *(*events)(void *command);
	bool system_wide;     /* unless tasks are named, even with a command */
	const char *announce; /* printed if the whole system is recorded until Ctrl-C */
};

/*
 * Parse argv into `command`, the struct of preset->options, which *cli is part of, and record.
 * Returns the exit status.
 */
int record_with_preset(const struct record_preset *preset, void *command, struct record_cli *cli,
		       int argc, const char **argv);

#endif
