/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct pager: long output through less, when a person looks at it.
 *
 * The pager is $PERF_PAGER, else $PAGER, else less where that is installed; an empty value or "cat"
 * is none, and neither is one when stdout is no terminal.  The caller keeps the struct from
 * pager_start() to pager_finish(), and owns the process in between.  The child
 * does not outlive the output: finish closes stdout, so nothing is printed after.
 * A reader who quits early closes the pipe; writes then fail with EPIPE.
 */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/base/error.h"

struct pager {
	pid_t pid;    /* 0: none runs */
	int plain_fd; /* what stdout was before */
};

#define PAGER_INIT                                                                                 \
	{                                                                                          \
		0, -1                                                                              \
	}

/*
 * Run the pager and put stdout into it.  Returns 0 also when there is none to
 * run; a pager that cannot be started is no reason to fail: the output is plain.
 */
int pager_start(struct pager *pager, struct error *err);

/*
 * Flush and close stdout, and wait until the person has left the pager.  False: the pager could
 * not be run (the shell has said why) and read nothing; stdout is what it was, print again.
 */
bool pager_finish(struct pager *pager);

#endif
