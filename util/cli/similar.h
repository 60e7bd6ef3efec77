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

#include <stddef.h>

#define SIMILAR_MAX 48

/* The distance, or a value > SIMILAR_MAX if a word is too long to compare. */
unsigned int similar_distance(const char *a, const char *b);

/* The most similar one of several words. */
struct similar {
	char typed[SIMILAR_MAX + 1]; /* "" if it is too long */
	const char *best;	     /* NULL: none is similar enough */
	size_t best_len;
	unsigned int distance; /* of the best */
};

void similar_init(struct similar *s, const char *typed, size_t len);

/* A word to suggest, of len characters, which must outlive `s`. The first of equally similar ones
 * is kept. */
void similar_try(struct similar *s, const char *word, size_t len);

#endif
