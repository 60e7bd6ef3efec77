// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/cli/similar.h"

#include <stdbool.h>
#include <string.h>

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	if (b < a)
		a = b;
	return c < a ? c : a;
}

unsigned int similar_distance(const char *a, const char *b)
{
	/* cost[i][j]: from the first i characters of a to the first j of b */
	unsigned int cost[SIMILAR_MAX + 1][SIMILAR_MAX + 1];
	size_t len_a = strlen(a), len_b = strlen(b);

	if (len_a > SIMILAR_MAX || len_b > SIMILAR_MAX)
		return SIMILAR_MAX + 1;
	for (size_t i = 0; i <= len_a; i++)
		cost[i][0] = i;
	for (size_t j = 0; j <= len_b; j++)
		cost[0][j] = j;
	for (size_t i = 1; i <= len_a; i++) {
		for (size_t j = 1; j <= len_b; j++) {
			unsigned int replace = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			unsigned int best = min3(replace, cost[i - 1][j] + 1, cost[i][j - 1] + 1);

			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    cost[i - 2][j - 2] + 1 < best)
				best = cost[i - 2][j - 2] + 1;
			cost[i][j] = best;
		}
	}
	return cost[len_a][len_b];
}

/* Whether a word at this distance is worth suggesting for the typed one. */
static bool is_close(const char *typed, unsigned int distance)
{
	size_t len = strlen(typed);

	return distance <= (len < 5 ? 1 : len < 8 ? 2 : 3);
}

void similar_init(struct similar *s, const char *typed, size_t len)
{
	*s = (struct similar){.distance = SIMILAR_MAX};
	if (len <= SIMILAR_MAX)
		memcpy(s->typed, typed, len);
}

void similar_try(struct similar *s, const char *word, size_t len)
{
	char text[SIMILAR_MAX + 1] = "";
	unsigned int distance;

	if (len > SIMILAR_MAX)
		return;
	memcpy(text, word, len);
	distance = similar_distance(s->typed, text);
	if (distance >= s->distance || distance >= len || !is_close(s->typed, distance))
		return;
	s->best = word;
	s->best_len = len;
	s->distance = distance;
}
