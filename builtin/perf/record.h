/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf record for other commands, and what they can change.
 */
#ifndef BUILTIN_PERF_RECORD_H
#define BUILTIN_PERF_RECORD_H

#include <stdbool.h>

#include "builtin/record-options.h"

struct record_preset {
	const struct options *options; /* of the command; they include record_options */
	/* Called after parsing: the events to record if there is no -e. NULL: none. */
	const char *(*events)(void *command);
	/* Called when the options make sense: an exit status, or -1 to go on and record.  NULL:
	 * none. */
	int (*instead)(void *command);
	bool hands_over;      /* pass a command line that only stock understands to the next perf */
	enum record_via via;  /* without --via */
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
