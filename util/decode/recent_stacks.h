/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct recent_stacks: the numbers of the callchains seen so far, by what samples have of them.
 *
 * A stack is made of a sample's callchain frame by frame, and interned; the same few thousand come
 * again and again.  Here they are found by a fingerprint of the callchain's bytes as recorded, the
 * call site and the number of the user's callchain, without looking at any frame.  A fingerprint
 * has 128 bits and depends on secrets that differ from run to run, as the hashes of tables do
 * (table.h): nobody can choose callchains that have the same one, and among a billion that happens
 * by chance less than once in 10^20 runs.
 */
#ifndef DECODE_RECENT_STACKS_H
#define DECODE_RECENT_STACKS_H

#include <stdint.h>

#include "util/source/sample.h"

/* With so many, in 64 MiB, all are forgotten: frames of user space, which are in callchains but not
 * in stacks, may be different each time. */
#define RECENT_STACKS_MAX (1u << 20)

/* Frames that are hashed at a time: most callchains. */
#define RECENT_STACKS_FRAMES 30

struct recent_stack {
	uint64_t print[2];
	uint64_t callsite; /* the user's: what is known with the stack */
	uint64_t stack;	   /* the number + 1; 0: it is not known */
};

/* Places, found by half of the fingerprint with linear probing: of a struct table, the row would be
 * a second miss of the cache. */
struct recent_stacks {
	struct recent_stack *v;
	uint32_t nr, nr_places; /* a power of two; at most 3/4 of them are taken */
	/* secrets; the keys of the second half of a fingerprint begin two further on */
	uint64_t seed[2], multiplier[2], keys[2 + RECENT_STACKS_FRAMES + 2];
};

/* Zeroed memory has no stacks. */
void recent_stacks_deinit(struct recent_stacks *r);

/* Forget all: numbers may mean something else from now on. */
void recent_stacks_clear(struct recent_stacks *r);

/*
 * What is known of the sample's callchain, for the user to fill in if nothing is; valid until the
 * next call. callsite: CALLSITE_UNKNOWN if it follows from the callchain.  NULL: no memory.
 */
struct recent_stack *recent_stacks_at(struct recent_stacks *r, const struct sample *sample,
				      uint64_t callsite, uint32_t user);

#endif
