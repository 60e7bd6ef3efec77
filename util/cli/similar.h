/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How similar two short words are, for "did you mean".
 *
 * The distance is the number of single-character insertions, deletions, replacements and swaps of
 * neighbours that turn one into the other (case matters).  Words longer than SIMILAR_MAX are never
 * similar.  No allocation.
 */
#ifndef CLI_SIMILAR_H
#define CLI_SIMILAR_H

#include <stdbool.h>

#define SIMILAR_MAX 48

/* The distance, or a value > SIMILAR_MAX if a word is too long to compare. */
unsigned int similar_distance(const char *a, const char *b);

/* Is this distance small enough for a typed word to be worth suggesting? */
bool similar_is_close(const char *typed, unsigned int distance);

#endif
