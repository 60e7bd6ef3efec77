/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct user_skip: libraries, functions and source files that are not a program's own code.
 *
 * In a user callchain they are passed over: they are the user side of an allocation, as the page
 * allocator's own functions are the kernel's. They are the C library, standard libraries, memory
 * allocators and run-time systems. The rules are data: see user_skip.c. The user may add
 * expressions, which apply to libraries, functions and source files.
 */
#ifndef USERSYM_USER_SKIP_H
#define USERSYM_USER_SKIP_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/base/error.h"

struct user_skip {
	struct user_skip_rule *rules; /* the built-in ones, then the user's */
	size_t nr_rules;
};

/* Errors: -ENOMEM. user_skip_deinit() is needed in any case. */
int user_skip_init(struct user_skip *s, struct error *err);
void user_skip_deinit(struct user_skip *s);

/* Add an expression (POSIX extended). Errors: -EINVAL with the reason, -ENOMEM. */
int user_skip_add(struct user_skip *s, const char *regex, struct error *err);

/* The path of a program or library. */
bool user_skip_library(const struct user_skip *s, const char *path);

/* The demangled name, without parameters. */
bool user_skip_function(const struct user_skip *s, const char *name);

/* The name of a function that a run-time system generated. */
bool user_skip_generated(const struct user_skip *s, const char *name);

/* The path of a source file. */
bool user_skip_source(const struct user_skip *s, const char *path);

/* A run-time system that generates code. Its programs and libraries, and those that it uses, are
 * passed over where they allocate for that code. */
struct runtime {
	const char *name;     /* "Java" */
	const char *advice;   /* what to run and to record for the names of its functions */
	const char *files[9]; /* globs, of the path if they have a '/', else of the last part */
	const char *uses[2];  /* globs of libraries that others use, too */
};

#define NR_RUNTIMES 3

extern const struct runtime runtimes[NR_RUNTIMES];

/* Index of the run-time system that a program or library belongs to; NR_RUNTIMES if none. */
size_t runtime_of_path(const char *path);

/* Is it a library that a run-time system uses to allocate, and that is not its own? */
bool runtime_uses_library(const char *path);

#endif
