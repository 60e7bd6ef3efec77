// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/buddy/block_pages.h"

#include <string.h>

static size_t words_of(unsigned int order)
{
	return order > 6 ? (size_t)1 << (order - 6) : 1;
}

void block_pages_clear(struct block_pages *b, unsigned int order)
{
	memset(b->used, 0, words_of(order) * sizeof(b->used[0]));
	memset(b->fixed, 0, words_of(order) * sizeof(b->fixed[0]));
}

void block_pages_use(struct block_pages *b, uint32_t first, uint32_t end, bool fixed)
{
	for (uint32_t i = first; i < end; i++) {
		b->used[i / 64] |= 1ull << i % 64;
		if (fixed)
			b->fixed[i / 64] |= 1ull << i % 64;
	}
}

static uint64_t bits_set(const uint64_t *map, size_t words)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < words; i++)
		nr += (uint64_t)__builtin_popcountll(map[i]);
	return nr;
}

/* Packs the even bits of a word next to each other. */
static uint64_t even_bits(uint64_t v)
{
	v &= 0x5555555555555555;
	v = (v | v >> 1) & 0x3333333333333333;
	v = (v | v >> 2) & 0x0f0f0f0f0f0f0f0f;
	v = (v | v >> 4) & 0x00ff00ff00ff00ff;
	v = (v | v >> 8) & 0x0000ffff0000ffff;
	return (v | v >> 16) & 0x00000000ffffffff;
}

/* Merges pairs of bits; a result is set if either of the two is. */
static void halve(uint64_t *map, size_t words)
{
	for (size_t i = 0; i < words; i++) {
		uint64_t half = even_bits(map[i] | map[i] >> 1);

		map[i / 2] = i % 2 ? map[i / 2] | half << 32 : half;
	}
}

static void count_clear(uint64_t *map, unsigned int order, uint64_t nr[BLOCK_ORDERS])
{
	for (unsigned int run = 0; run <= order; run++) {
		size_t words = words_of(order - run);

		nr[run] += (1ull << (order - run)) - bits_set(map, words);
		halve(map, words);
	}
}

void block_pages_count(struct block_pages *b, unsigned int order, struct block_runs *runs)
{
	count_clear(b->used, order, runs->free);
	count_clear(b->fixed, order, runs->movable);
}
