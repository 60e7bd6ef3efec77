/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct record_preset: perf record as a part of other commands, and their changes to it.
 */
#ifndef BUILTIN_PERF_RECORD_H
#define BUILTIN_PERF_RECORD_H

#include <stdbool.h>

#include "builtin/record-options.h"

struct record_preset {
	const struct options *options; /* options of the command, which include record_options */
	/* Called after parsing: the events to record without -e. May be NULL. */
	const char *(*events)(void *command);
	/* Called when the options are consistent. Returns an exit status, or -1 to record. May be
	 * NULL. */
	int (*instead)(void *command);
	bool hands_over; /* hand a command line that only stock understands over to the next perf */
	enum record_via via;  /* the default without --via */
	bool system_wide;     /* record the system unless tasks are named, even with a command */
	const char *announce; /* printed if the whole system is recorded until Ctrl-C */
};

/*
 * Parse argv into `command`, the struct of preset->options, which *cli is part of, and record.
 * Returns the exit status.
 */
int record_with_preset(const struct record_preset *preset, void *command, struct record_cli *cli,
		       int argc, const char **argv);

#endif
