/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct frame_chains: callchains as numbers; equal chains, and equal parts of chains, are stored
 * once.
 *
 * A chain is an array of frames, innermost first. It is stored as blocks of FRAME_BLOCK frames,
 * counted from the outermost frame, because chains differ mostly in their inner frames. Numbers
 * count from 0 and never change. Once the chains have frames_max frames, a new chain is left out:
 * its number is that of the empty chain. Errors: -ENOMEM, as INTERN_NONE.
 */
#ifndef BASE_FRAME_CHAINS_H
#define BASE_FRAME_CHAINS_H

#include <stdbool.h>

#include "util/base/intern.h"

#define FRAME_BLOCK 16u

struct frame_chains {
	struct intern blocks; /* frames, outermost first */
	struct intern chains; /* u32 number of frames, then numbers of blocks */
	uint64_t nr_frames;   /* sum over all chains */
	uint64_t frames_max;  /* set by the owner at any time; UINT64_MAX at first */
	uint64_t nr_left_out; /* chains left out, counted each time */
};

void frame_chains_init(struct frame_chains *c);
void frame_chains_deinit(struct frame_chains *c);

/* Returns the number of the chain, which is stored if it is new. It may have at most
 * FRAME_CHAIN_MAX frames. */
#define FRAME_CHAIN_MAX 1024u
uint32_t frame_chains_add(struct frame_chains *c, const uint64_t *frames, size_t nr);

/* A chain, valid until the next one is added. */
struct frame_chain {
	const struct frame_chains *in;
	const uint32_t *blocks;
	size_t nr;
};

struct frame_chain frame_chains_get(const struct frame_chains *c, uint32_t number);

/* The i-th frame, counted from the innermost one. */
static inline uint64_t frame_chain_at(const struct frame_chain *c, size_t i)
{
	const size_t from_outermost = c->nr - 1 - i;
	const uint64_t *block =
		intern_get(&c->in->blocks, c->blocks[from_outermost / FRAME_BLOCK], NULL);

	return block[from_outermost % FRAME_BLOCK];
}

/* Returns the number of frames from the i-th on, going outwards or inwards, up to the end of its
 * block or chain. */
static inline size_t frame_chain_run(const struct frame_chain *c, size_t i, bool inwards)
{
	const size_t in_block = (c->nr - 1 - i) % FRAME_BLOCK, left = FRAME_BLOCK - in_block;

	if (!inwards)
		return in_block + 1;
	return i + 1 < left ? i + 1 : left;
}

/*
 * Returns the number of equal frames, starting with frame x of `a` and frame y of `b` and going
 * outwards or inwards. Stops at the end of a block of either, so more equal frames may follow.
 */
static inline size_t frame_chain_shared(const struct frame_chain *a, size_t x,
					const struct frame_chain *b, size_t y, bool inwards)
{
	const size_t at_a = a->nr - 1 - x, in_a = at_a % FRAME_BLOCK;
	const size_t at_b = b->nr - 1 - y, in_b = at_b % FRAME_BLOCK;
	const uint32_t block_a = a->blocks[at_a / FRAME_BLOCK];
	const uint32_t block_b = b->blocks[at_b / FRAME_BLOCK];
	size_t max = frame_chain_run(a, x, inwards), max_b = frame_chain_run(b, y, inwards), nr = 0;
	const uint64_t *in_block_a, *in_block_b;

	max = max < max_b ? max : max_b;
	if (block_a == block_b && in_a == in_b)
		return max;
	in_block_a = intern_get(&a->in->blocks, block_a, NULL);
	in_block_b = intern_get(&b->in->blocks, block_b, NULL);
	if (inwards)
		while (nr < max && in_block_a[in_a + nr] == in_block_b[in_b + nr])
			nr++;
	else
		while (nr < max && in_block_a[in_a - nr] == in_block_b[in_b - nr])
			nr++;
	return nr;
}

#endif
