// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/decode/recent_stacks.h"

#include <errno.h>

#include "util/base/hash.h"
#include "util/base/large_memory.h"
#include "util/base/table.h"
#include "util/base/wide.h"

#define MIN_PLACES 4096

void recent_stacks_deinit(struct recent_stacks *r)
{
	large_memory_free(r->v, r->nr_places * sizeof(*r->v));
	r->v = NULL;
	r->nr = r->nr_places = 0;
}

void recent_stacks_clear(struct recent_stacks *r)
{
	recent_stacks_deinit(r);
}

static void draw_secrets(struct recent_stacks *r)
{
	for (int i = 0; i < 2; i++) {
		struct hash_key key = hash_key_random();

		r->seed[i] = key.v[0];
		r->multiplier[i] = key.v[1] | 1 | UINT64_C(1) << 63; /* as in table_init() */
	}
	for (size_t i = 0; i < sizeof(r->keys) / sizeof(r->keys[0]); i++)
		r->keys[i] = hash_key_random().v[0];
}

static inline uint64_t mix(uint64_t print, wide sum, uint64_t multiplier)
{
	return table_mix(table_mix(print ^ wide_low(sum), multiplier) ^ wide_high(sum), multiplier);
}

/* Add two words to the sums of both halves of a fingerprint. */
static inline void add_words(wide sums[2], const uint64_t *keys, uint64_t a, uint64_t b)
{
	sums[0] = wide_sum(sums[0], wide_product(a + keys[0], b + keys[1]));
	sums[1] = wide_sum(sums[1], wide_product(a + keys[2], b + keys[3]));
}

/*
 * NH of UMAC (Black, Halevi, Krawczyk, Krovetz and Rogaway, 1999): the products are independent of
 * each other, unlike in a hash that mixes each word into the words before it.
 */
static void take_print(const struct recent_stacks *r, const struct sample *sample,
		       uint64_t callsite, uint32_t user, uint64_t print[2])
{
	const uint8_t *frames = sample->callchain;
	uint64_t left = sample->nr_callchain;

	print[0] = r->seed[0];
	print[1] = r->seed[1];
	do {
		uint64_t nr = left < RECENT_STACKS_FRAMES ? left : RECENT_STACKS_FRAMES;
		const uint64_t *keys = r->keys;
		wide sums[2] = {wide_product(0, 0), wide_product(0, 0)};

		left -= nr;
		add_words(sums, keys, callsite, sample->nr_callchain << 32 | user);
		for (keys += 2; nr >= 2; nr -= 2, keys += 2, frames += 2 * sizeof(uint64_t))
			add_words(sums, keys, table_key_u64(frames),
				  table_key_u64(frames + sizeof(uint64_t)));
		if (nr)
			add_words(sums, keys, table_key_u64(frames), 0);
		print[0] = mix(print[0], sums[0], r->multiplier[0]);
		print[1] = mix(print[1], sums[1], r->multiplier[1]);
	} while (left);
}

/* The stack's slot, or the empty slot for it. */
static struct recent_stack *place_of(const struct recent_stacks *r, const uint64_t print[2])
{
	uint64_t i = print[0];

	for (;; i++) {
		struct recent_stack *s = &r->v[i & (r->nr_places - 1)];

		if (!s->stack || (s->print[0] == print[0] && s->print[1] == print[1]))
			return s;
	}
}

static int grow(struct recent_stacks *r)
{
	struct recent_stacks old = *r;
	uint32_t nr = old.nr_places ? 2 * old.nr_places : MIN_PLACES;

	r->v = large_memory_zeroed(nr * sizeof(*r->v));
	if (!r->v) {
		r->v = old.v;
		return -ENOMEM;
	}
	r->nr_places = nr;
	for (uint32_t i = 0; i < old.nr_places; i++)
		if (old.v[i].stack)
			*place_of(r, old.v[i].print) = old.v[i];
	recent_stacks_deinit(&old);
	return 0;
}

struct recent_stack *recent_stacks_at(struct recent_stacks *r, const struct sample *sample,
				      uint64_t callsite, uint32_t user)
{
	struct recent_stack *s;
	uint64_t print[2];

	if (r->nr >= RECENT_STACKS_MAX)
		recent_stacks_clear(r);
	if (!r->v)
		draw_secrets(r);
	if (r->nr >= r->nr_places / 4 * 3 && grow(r))
		return NULL;
	take_print(r, sample, callsite, user, print);
	s = place_of(r, print);
	if (!s->stack) {
		*s = (struct recent_stack){.print = {print[0], print[1]}};
		r->nr++;
	}
	return s;
}
