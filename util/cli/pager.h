/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct pager: long output through less, when a user is looking at it.
 *
 * The pager is $PERF_PAGER, else $PAGER, else less if it is installed. An empty value or "cat"
 * means none; nor is one used when stdout is not a terminal.  The caller keeps the struct from
 * pager_start() to pager_finish(), and owns the process in between.  The child does not outlive the
 * output: finish closes stdout, so nothing is printed after it. A reader who quits early closes the
 * pipe; writes then fail with EPIPE.
 */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/base/error.h"

struct pager {
	pid_t pid;    /* 0: no pager is running */
	int plain_fd; /* what stdout was before */
};

#define PAGER_INIT                                                                                 \
	{                                                                                          \
		0, -1                                                                              \
	}

/*
 * Run the pager and connect stdout to it.  Returns 0 also if there is none to run; failing to start
 * a pager is not fatal: the output is then plain.
 */
int pager_start(struct pager *pager, struct error *err);

/*
 * Flush and close stdout, and wait until the user has left the pager.  False: the pager could not
 * be run (the shell has said why) and read nothing; stdout is what it was before, so print again.
 */
bool pager_finish(struct pager *pager);

/*
 * The same for output that cannot be printed again, and ended with ret.  Returns that; where it is
 * 0 but the pager could not be run, -ENOENT with err filled.
 */
int pager_finish_once(struct pager *pager, int ret, struct error *err);

#endif
