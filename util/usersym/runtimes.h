/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run-time systems that generate code: their programs and libraries, and how to see names of that
 * code.
 */
#ifndef USERSYM_RUNTIMES_H
#define USERSYM_RUNTIMES_H

#include <stddef.h>

struct runtime {
	const char *name;     /* "Java" */
	const char *advice;   /* what to run and to record for the names of its functions */
	const char *files[9]; /* globs, of the path if they have a '/', else of the last part */
};

#define NR_RUNTIMES 3

extern const struct runtime runtimes[NR_RUNTIMES];

/* Index of the run-time system that a program or library belongs to; NR_RUNTIMES if none. */
size_t runtime_of_path(const char *path);

#endif
