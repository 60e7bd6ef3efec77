/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The possible meanings of a typed option, in a table and in those of subcommands, and the errors
 * for unknown and ambiguous options.
 *
 * Used only by the parsing of the command line.
 */
#ifndef CLI_OPTION_MATCH_H
#define CLI_OPTION_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "util/cli/options.h"

/* An option as written on the command line; its text is not NUL-terminated. */
struct typed_option {
	const char *dashes;
	const char *text;
	int len;
};

#define TYPED_FMT     "'%s%.*s'"
#define TYPED_ARGS(t) (t)->dashes, (t)->len > 80 ? 80 : (t)->len, (t)->text

/* An option that was found, and the struct that it sets. */
struct found_option {
	struct option opt;
	void *into;
};

#define CANDIDATES_MAX 8

/* The meanings of a long name, complete or a prefix. */
struct option_match {
	struct found_option found; /* unless it is --help */
	bool unset;
	bool help;
	bool exact;
	bool differ; /* some take an argument and some do not */
	unsigned int nr;
	struct {
		const char *no, *name;
	} candidates[CANDIDATES_MAX];
};

bool option_takes_no_argument(const struct option *opt);

/* into: the struct of the table, or NULL. ret_found: NULL if only its existence matters. */
bool option_find_short(const struct option *table, void *into, char c,
		       struct found_option *ret_found);

/* Match a long name in the table itself, which always has --help. */
void option_match_own(const struct option *table, void *into, const char *text, size_t len,
		      struct option_match *ret_match);

/* Match a long name in the tables of subcommands, which end with NULL. */
void option_match_subcommands(const struct subcommand *const *commands, const char *text,
			      size_t len, struct option_match *ret_match);

/* Set the error; all return -EINVAL. */
int option_error_ambiguous(const struct option_match *m, const struct typed_option *typed,
			   struct error *err);
/* The error names the most similar option, or the commands that have it. */
int option_error_unknown_long(const struct options *options, const struct typed_option *typed,
			      struct error *err);
/* p: points to the letter in the word. */
int option_error_unknown_short(const struct options *options, const char *word, const char *p,
			       struct error *err);

#endif
