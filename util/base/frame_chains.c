// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/frame_chains.h"

void frame_chains_init(struct frame_chains *c)
{
	*c = (struct frame_chains){.frames_max = UINT64_MAX};
	intern_init(&c->blocks);
	intern_init(&c->chains);
}

void frame_chains_deinit(struct frame_chains *c)
{
	intern_deinit(&c->blocks);
	intern_deinit(&c->chains);
}

typedef uint32_t (*number_fn)(struct intern *it, const void *data, size_t len);

static uint32_t find(struct intern *it, const void *data, size_t len)
{
	return intern_find(it, data, len);
}

/* Returns INTERN_NONE if number() did. */
static uint32_t number_of(struct frame_chains *c, const uint64_t *frames, size_t nr,
			  number_fn number)
{
	uint32_t chain[1 + FRAME_CHAIN_MAX / FRAME_BLOCK] = {(uint32_t)nr};
	size_t nr_blocks = 0;

	for (size_t at = 0; at < nr; at += FRAME_BLOCK) {
		uint64_t block[FRAME_BLOCK];
		size_t n = 0;

		for (; n < FRAME_BLOCK && at + n < nr; n++)
			block[n] = frames[nr - 1 - at - n];
		chain[1 + nr_blocks] = number(&c->blocks, block, n * sizeof(*block));
		if (chain[1 + nr_blocks++] == INTERN_NONE)
			return INTERN_NONE;
	}
	return number(&c->chains, chain, (1 + nr_blocks) * sizeof(*chain));
}

/* The empty chain always fits. */
static uint32_t leave_out(struct frame_chains *c)
{
	c->nr_left_out++;
	return number_of(c, NULL, 0, intern_add);
}

uint32_t frame_chains_add(struct frame_chains *c, const uint64_t *frames, size_t nr)
{
	const size_t nr_chains = c->chains.nr;
	uint32_t number;

	if (c->nr_frames + nr > c->frames_max) {
		number = number_of(c, frames, nr, find);
		return number == INTERN_NONE ? leave_out(c) : number;
	}
	number = number_of(c, frames, nr, intern_add);
	if (c->chains.nr > nr_chains)
		c->nr_frames += nr;
	return number;
}

struct frame_chain frame_chains_get(const struct frame_chains *c, uint32_t number)
{
	const uint32_t *chain = intern_get(&c->chains, number, NULL);

	return (struct frame_chain){.in = c, .blocks = chain + 1, .nr = *chain};
}
