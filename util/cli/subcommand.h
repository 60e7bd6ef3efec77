/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands by name, from a table: perf's commands, and those of perf kmem.
 *
 * A table is an array that ends in an entry without a name.  An entry with
 * min_prefix may be abbreviated to that many letters; 0: only its whole name.
 * Two entries must not share an abbreviation.  An entry without help is not
 * listed and not suggested.  Nothing is allocated.
 */
#ifndef CLI_SUBCOMMAND_H
#define CLI_SUBCOMMAND_H

#include <stddef.h>
#include <stdio.h>

#include "util/base/error.h"

struct subcommand {
	const char *name;
	size_t min_prefix;
	/* argv[0] is the name as it was typed; returns the exit status. One of the two is set. */
	int (*run)(int argc, const char **argv);
	int (*run_with)(int argc, const char **argv, void *context);
	const char *help; /* one line */
};

/* The entry of that name or abbreviation, or NULL. */
const struct subcommand *subcommand_find(const struct subcommand *table, const char *name);

/* Call it; context goes to run_with. Returns its exit status. */
int subcommand_run(const struct subcommand *cmd, int argc, const char **argv, void *context);

/* The name that is most like a mistyped one, or NULL when none is near. */
const char *subcommand_similar(const struct subcommand *table, const char *name);

/*
 * The error for a name that is not there, -EINVAL:
 * "unknown <what> 'stta', did you mean 'stat'?" or "..., want one of record, stat".
 */
int subcommand_unknown(const struct subcommand *table, const char *what, const char *name,
		       struct error *err);

/* One line for each: name and help, indented by 4, wrapped to so many columns. */
void subcommand_list(const struct subcommand *table, FILE *out, int columns);

#endif
