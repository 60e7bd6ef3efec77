/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct frame_chains: callchains as numbers, each chain stored once, and what many have in common
 * stored once, too.
 *
 * A chain is an array of frames, innermost first.  It is stored as blocks of FRAME_BLOCK frames,
 * counted from the outermost frame, because chains differ mostly in their inner frames.  Numbers
 * count from 0 and never change.  Errors: -ENOMEM, as INTERN_NONE.
 */
#ifndef BASE_FRAME_CHAINS_H
#define BASE_FRAME_CHAINS_H

#include "util/base/intern.h"

#define FRAME_BLOCK 16u

struct frame_chains {
	struct intern blocks; /* frames, outermost first */
	struct intern chains; /* u32: how many frames, then numbers of blocks */
};

void frame_chains_init(struct frame_chains *c);
void frame_chains_deinit(struct frame_chains *c);

/* The number of the chain, which is stored if it is new. At most FRAME_CHAIN_MAX frames. */
#define FRAME_CHAIN_MAX 1024u
uint32_t frame_chains_add(struct frame_chains *c, const uint64_t *frames, size_t nr);

/* A chain, valid until the next one is added. */
struct frame_chain {
	const struct frame_chains *in;
	const uint32_t *blocks;
	size_t nr;
};

struct frame_chain frame_chains_get(const struct frame_chains *c, uint32_t number);

/* The frame with this number, counted from the innermost one. */
static inline uint64_t frame_chain_at(const struct frame_chain *c, size_t i)
{
	const size_t from_outermost = c->nr - 1 - i;
	const uint64_t *block =
		intern_get(&c->in->blocks, c->blocks[from_outermost / FRAME_BLOCK], NULL);

	return block[from_outermost % FRAME_BLOCK];
}

/*
 * How many frames, beginning with frame x of `a` and frame y of `b` and going outwards or inwards,
 * are the same because they are in one block of both chains; 0: none, or they are in two.
 */
static inline size_t frame_chain_shared(const struct frame_chain *a, size_t x,
					const struct frame_chain *b, size_t y, bool inwards)
{
	const size_t at = a->nr - 1 - x, block = at / FRAME_BLOCK, in_block = at % FRAME_BLOCK;
	const size_t left = a->nr - block * FRAME_BLOCK;

	if (at != b->nr - 1 - y || a->blocks[block] != b->blocks[block])
		return 0;
	return inwards ? (left < FRAME_BLOCK ? left : FRAME_BLOCK) - in_block : in_block + 1;
}

#endif
