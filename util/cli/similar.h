/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Similarity of two short words, for "did you mean": one algorithm, for commands, options, columns
 * and values of filters.
 *
 * The distance is the number of single-character insertions, deletions, replacements and swaps of
 * neighbours that turn one word into the other (case matters). Words longer than SIMILAR_MAX are
 * never similar. Allocates no memory.
 */
#ifndef CLI_SIMILAR_H
#define CLI_SIMILAR_H

#include <stdbool.h>

#define SIMILAR_MAX 48

/* The distance, or a value > SIMILAR_MAX if a word is too long to compare. */
unsigned int similar_distance(const char *a, const char *b);

/* Whether a word at this distance is worth suggesting for the typed one. */
bool similar_is_close(const char *typed, unsigned int distance);

#endif
