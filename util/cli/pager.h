/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct pager: shows long output with less, if stdout is a terminal.
 *
 * The pager is $PERF_PAGER, else $PAGER, else less if it is installed. An empty value or "cat"
 * means none. The caller keeps the struct from pager_start() to pager_finish(), and owns the
 * process in between. The child does not outlive the output: finish closes stdout, so nothing can
 * be printed after it. If the user quits early, the pipe is closed and writes fail with EPIPE.
 */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/base/error.h"

struct pager {
	pid_t pid;    /* 0: no pager is running */
	int plain_fd; /* stdout before the pager */
};

#define PAGER_INIT                                                                                 \
	{                                                                                          \
		0, -1                                                                              \
	}

/*
 * Run the pager and connect stdout to it. Returns 0 also if there is no pager. Errors: those of
 * pipe() and fork(). A pager that the shell cannot run is reported by pager_finish().
 */
int pager_start(struct pager *pager, struct error *err);

/*
 * Flush and close stdout, and wait until the user has left the pager. Returns false if the pager
 * could not be run (the shell has printed the reason) and has read nothing. stdout is then as
 * before, so the output can be printed again.
 */
bool pager_finish(struct pager *pager);

/*
 * The same for output that cannot be printed again and ended with ret. Returns ret, or -ENOENT with
 * err filled if ret is 0 but the pager could not be run.
 */
int pager_finish_once(struct pager *pager, int ret, struct error *err);

#endif
