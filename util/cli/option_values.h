/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words that an option's argument can be, for completion and for "did you mean".
 *
 * They are those that --help shows: "bpf|perf" as the argument, or the words after "of:" in the
 * text ("one of: text json csv"). Any character but letters, digits, '_', '-' and '/' in a word
 * ends the list. Allocates no memory.
 */
#ifndef CLI_OPTION_VALUES_H
#define CLI_OPTION_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "util/cli/options.h"

struct option_values {
	const char *at; /* NULL after the last word */
};

void option_values_init(struct option_values *v, const struct option *opt);

/* Returns whether there is another word; *ret_word is not NUL-terminated. */
bool option_values_next(struct option_values *v, const char **ret_word, size_t *ret_len);

/* Whether the argument is a list of words, separated by commas. */
bool option_takes_list(const struct option *opt);

/* Returns the word most similar to a mistyped one in buf, or NULL if none is close. */
const char *option_values_similar(const struct option *opt, const char *typed, char *buf,
				  size_t size);

#endif
