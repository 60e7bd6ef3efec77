// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/recent_stacks.h"

#include <string.h>

#include "util/base/hash.h"

void recent_stacks_deinit(struct recent_stacks *r)
{
	if (r->rows.row_size)
		table_deinit(&r->rows);
	r->rows.row_size = 0;
}

void recent_stacks_clear(struct recent_stacks *r)
{
	recent_stacks_deinit(r);
}

/* Found by the first half of the fingerprint. */
static void init(struct recent_stacks *r)
{
	for (int i = 0; i < 2; i++) {
		struct hash_key key = hash_key_random();

		r->seed[i] = key.v[0];
		r->multiplier[i] = key.v[1] | 1 | UINT64_C(1) << 63; /* as in table_init() */
	}
	table_init(&r->rows, sizeof(struct recent_stack), sizeof(uint64_t));
}

static inline void mix(const struct recent_stacks *r, uint64_t print[2], uint64_t word)
{
	print[0] = table_mix(print[0] ^ word, r->multiplier[0]);
	print[1] = table_mix(print[1] ^ word, r->multiplier[1]);
}

static void take_print(const struct recent_stacks *r, const struct sample *sample,
		       uint64_t callsite, uint32_t user, uint64_t print[2])
{
	print[0] = r->seed[0];
	print[1] = r->seed[1];
	mix(r, print, callsite);
	mix(r, print, sample->nr_callchain << 32 | user);
	for (uint64_t i = 0; i < sample->nr_callchain; i++) {
		uint64_t frame;

		memcpy(&frame, sample->callchain + i * sizeof(frame), sizeof(frame));
		mix(r, print, frame);
	}
}

struct recent_stack *recent_stacks_at(struct recent_stacks *r, const struct sample *sample,
				      uint64_t callsite, uint32_t user)
{
	struct recent_stack *s;
	uint64_t print[2];

	if (r->rows.nr >= RECENT_STACKS_MAX)
		recent_stacks_clear(r);
	if (!r->rows.row_size)
		init(r);
	take_print(r, sample, callsite, user, print);
	s = table_insert(&r->rows, &print[0]);
	/* two that share the half that is looked up take turns */
	if (s && s->print[1] != print[1])
		*s = (struct recent_stack){.print = {print[0], print[1]}};
	return s;
}
