/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands by name, from a table: perf's commands, and those of perf kmem.
 *
 * A table is an array of pointers that ends in NULL; each command is made where its
 * code is.  One with min_prefix may be abbreviated to that many letters; 0: only its
 * whole name.  Two must not share an abbreviation.  One without help is not listed and
 * not suggested.  Nothing is allocated.
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
	const struct options *options; /* NULL: it has none */
	/* It may leave what it cannot do to the next program of our name (cli/next_program.h). */
	bool hands_over;
	/* argv[0] is the name as it was typed; returns the exit status. */
	int (*run)(int argc, const char **argv, void *context);
};

/* The entry of that name or abbreviation, or NULL. */
const struct subcommand *subcommand_find(const struct subcommand *const *table, const char *name);

/* The name most similar to a mistyped one, or NULL if none is close. */
const char *subcommand_similar(const struct subcommand *const *table, const char *name);

/*
 * The error for an unknown name, -EINVAL: "unknown <what> 'stta', did you mean 'stat'?" or "...,
 * want one of record, stat".
 */
int subcommand_unknown(const struct subcommand *const *table, const char *what, const char *name,
		       struct error *err);

/* One line each: name and help, indented by 4, wrapped to this many columns. */
void subcommand_list(const struct subcommand *const *table, FILE *out, int columns);

#endif
