/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf record for other commands: what perf kmem record adds to it.
 */
#ifndef BUILTIN_RECORD_H
#define BUILTIN_RECORD_H

#include <stdbool.h>

#include "util/cli/options.h"

struct record_preset {
	const char *command; /* "perf kmem record", for messages */
	const char *const *usage;
	const struct option *options; /* shown before perf record's; ends in OPT_END() */
	/* After parsing: the events that are recorded when no -e names any. NULL: there are none.
	 */
	const char *(*events)(void *ctx);
	void *ctx;
	bool quiet; /* what options ahead of the command's name said */
	int verbose;
	bool system_wide;     /* unless tasks are named, also with a command */
	const char *announce; /* printed when the whole system is recorded until Ctrl-C */
};

/* Parse argv and record. Returns the exit status. */
int record_with_preset(const struct record_preset *preset, int argc, const char **argv);

#endif
