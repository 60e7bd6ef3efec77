/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands by name, from a table: perf's commands, and those of perf kmem.
 *
 * A table is an array of pointers that ends with NULL; each command is defined next to its code. A
 * command with min_prefix may be abbreviated to that number of letters; 0: only its whole name. No
 * two commands may share an abbreviation. A command without help is neither listed nor suggested.
 * Allocates no memory.
 */
#ifndef CLI_SUBCOMMAND_H
#define CLI_SUBCOMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/base/error.h"

struct options;

struct subcommand {
	const char *name;
	size_t min_prefix;
	const char *help;	       /* one line */
	const struct options *options; /* NULL: no options */
	/* It may pass on unsupported requests to the next program of our name
	 * (cli/next_program.h). */
	bool hands_over;
	/* argv[0] is the name as typed. Returns the exit status. */
	int (*run)(int argc, const char **argv, void *context);
};

/* Returns the command with that name or abbreviation, or NULL. */
const struct subcommand *subcommand_find(const struct subcommand *const *table, const char *name);

/* Returns the name most similar to a mistyped one, or NULL if none is close. */
const char *subcommand_similar(const struct subcommand *const *table, const char *name);

/*
 * Set the error for an unknown name: "unknown <what> 'stta', did you mean 'stat'?" or "..., want
 * one of record, stat". Returns -EINVAL.
 */
int subcommand_unknown(const struct subcommand *const *table, const char *what, const char *name,
		       struct error *err);

/* List one command per line: name and help, indented by 4, wrapped to this number of columns. */
void subcommand_list(const struct subcommand *const *table, FILE *out, int columns);

#endif
