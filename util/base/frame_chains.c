// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/frame_chains.h"

void frame_chains_init(struct frame_chains *c)
{
	intern_init(&c->blocks);
	intern_init(&c->chains);
}

void frame_chains_deinit(struct frame_chains *c)
{
	intern_deinit(&c->blocks);
	intern_deinit(&c->chains);
}

uint32_t frame_chains_add(struct frame_chains *c, const uint64_t *frames, size_t nr)
{
	uint32_t chain[1 + FRAME_CHAIN_MAX / FRAME_BLOCK] = {(uint32_t)nr};
	size_t nr_blocks = 0;

	for (size_t at = 0; at < nr; at += FRAME_BLOCK) {
		uint64_t block[FRAME_BLOCK];
		size_t n = 0;

		for (; n < FRAME_BLOCK && at + n < nr; n++)
			block[n] = frames[nr - 1 - at - n];
		chain[1 + nr_blocks] = intern_add(&c->blocks, block, n * sizeof(*block));
		if (chain[1 + nr_blocks++] == INTERN_NONE)
			return INTERN_NONE;
	}
	return intern_add(&c->chains, chain, (1 + nr_blocks) * sizeof(*chain));
}

struct frame_chain frame_chains_get(const struct frame_chains *c, uint32_t number)
{
	const uint32_t *chain = intern_get(&c->chains, number, NULL);

	return (struct frame_chain){.in = c, .blocks = chain + 1, .nr = *chain};
}
