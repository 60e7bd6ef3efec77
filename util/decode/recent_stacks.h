/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct recent_stacks: a cache of the numbers of callchains.
 *
 * A stack is made from a sample's callchain frame by frame, and interned; the same few thousand
 * stacks repeat. They are found here by a fingerprint of the recorded bytes of the callchain, the
 * call site and the number of the user callchain, without a look at any frame. A fingerprint has
 * 128 bits and depends on secrets that differ from run to run, as the hashes of tables do
 * (table.h): nobody can choose callchains that collide, and among a billion callchains that happens
 * by chance less than once in 10^20 runs.
 */
#ifndef DECODE_RECENT_STACKS_H
#define DECODE_RECENT_STACKS_H

#include <stdint.h>

#include "util/source/sample.h"

/* At this number, in 64 MiB, all are forgotten: frames of user space, which are in callchains but
 * not in stacks, may be different each time. */
#define RECENT_STACKS_MAX (1u << 20)

/* Number of frames hashed at a time: enough for most callchains. */
#define RECENT_STACKS_FRAMES 30

struct recent_stack {
	uint64_t print[2];
	uint64_t callsite; /* the user's data: values stored with the stack */
	uint64_t stack;	   /* the number + 1; 0: unknown */
};

/* Slots, found by half of the fingerprint with linear probing: in a struct table, the row would be
 * a second cache miss. */
struct recent_stacks {
	struct recent_stack *v;
	uint32_t nr, nr_places; /* number of slots, a power of two; at most 3/4 of them are used */
	/* secrets; the keys of a fingerprint's second half begin two words later */
	uint64_t seed[2], multiplier[2], keys[2 + RECENT_STACKS_FRAMES + 2];
};

/* Zeroed memory is an empty cache. */
void recent_stacks_deinit(struct recent_stacks *r);

/* Forget all stacks: numbers may change their meaning. */
void recent_stacks_clear(struct recent_stacks *r);

/*
 * The slot of the sample's callchain, valid until the next call; the user fills it in if it is new.
 * callsite: CALLSITE_UNKNOWN if it follows from the callchain. NULL if out of memory.
 */
struct recent_stack *recent_stacks_at(struct recent_stacks *r, const struct sample *sample,
				      uint64_t callsite, uint32_t user);

#endif
