// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/recent_stacks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/intern.h"

void recent_stacks_deinit(struct recent_stacks *r)
{
	free(r->v);
	r->v = NULL;
}

void recent_stacks_clear(struct recent_stacks *r)
{
	if (r->v)
		memset(r->v, 0, RECENT_STACKS * sizeof(*r->v));
}

static uint64_t mix(uint64_t hash, uint64_t v)
{
	hash = (hash ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/* The number of its place. Nobody gains anything by choosing frames that collide. */
static size_t place_of(const struct sample *sample, uint64_t callsite, uint32_t user)
{
	uint64_t hash = mix(callsite, user);

	for (uint64_t i = 0; i < sample->nr_callchain; i++) {
		uint64_t frame;

		memcpy(&frame, sample->callchain + i * sizeof(frame), sizeof(frame));
		hash = mix(hash, frame);
	}
	return hash % RECENT_STACKS;
}

uint32_t recent_stacks_find(const struct recent_stacks *r, const struct sample *sample,
			    uint64_t callsite, uint32_t user)
{
	const struct recent_stack *s;

	if (!r->v || sample->nr_callchain > RECENT_STACK_FRAMES)
		return INTERN_NONE;
	s = &r->v[place_of(sample, callsite, user)];
	if (!s->stack || s->callsite != callsite || s->user != user ||
	    s->nr != sample->nr_callchain ||
	    (s->nr && memcmp(s->frames, sample->callchain, s->nr * sizeof(uint64_t)) != 0))
		return INTERN_NONE;
	return s->stack - 1;
}

void recent_stacks_add(struct recent_stacks *r, const struct sample *sample, uint64_t callsite,
		       uint32_t user, uint32_t stack)
{
	struct recent_stack *s;

	if (stack == INTERN_NONE || sample->nr_callchain > RECENT_STACK_FRAMES)
		return;
	if (!r->v)
		r->v = calloc(RECENT_STACKS, sizeof(*r->v));
	if (!r->v)
		return;
	s = &r->v[place_of(sample, callsite, user)];
	s->callsite = callsite;
	s->user = user;
	s->nr = (uint32_t)sample->nr_callchain;
	s->stack = stack + 1;
	if (s->nr)
		memcpy(s->frames, sample->callchain, s->nr * sizeof(uint64_t));
}
