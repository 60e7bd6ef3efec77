/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct recent_stacks: the numbers of the callchains seen last, by what samples have of them.
 *
 * A stack is made of a sample's callchain frame by frame, and interned; the same few thousand come
 * again and again.  Here they are found by the callchain's bytes as recorded, the call site and the
 * number of the user's callchain.  Each has one place, by a quick hash: another one that belongs
 * there takes it, which costs time and nothing else.  Long callchains are not remembered, and none
 * if there is no memory.
 */
#ifndef KMEM_RECENT_STACKS_H
#define KMEM_RECENT_STACKS_H

#include <stdint.h>

#include "util/source/sample.h"

#define RECENT_STACKS	    4096 /* a power of two */
#define RECENT_STACK_FRAMES 40

struct recent_stack {
	uint64_t callsite;
	uint32_t user;
	uint32_t nr;	/* frames */
	uint32_t stack; /* the number + 1; 0: the place is empty */
	uint8_t frames[RECENT_STACK_FRAMES * sizeof(uint64_t)];
};

struct recent_stacks {
	struct recent_stack *v; /* RECENT_STACKS; NULL: none so far */
};

void recent_stacks_deinit(struct recent_stacks *r);

/* Forget all: numbers may mean something else from now on. */
void recent_stacks_clear(struct recent_stacks *r);

/* The stack's number; INTERN_NONE: it is not known. */
uint32_t recent_stacks_find(const struct recent_stacks *r, const struct sample *sample,
			    uint64_t callsite, uint32_t user);
void recent_stacks_add(struct recent_stacks *r, const struct sample *sample, uint64_t callsite,
		       uint32_t user, uint32_t stack);

#endif
