/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call tree of a row of a report, from its callchains.
 *
 * The chains are divided by their first function, those that have the same one by the next, and so
 * on.  Chains that together weigh too little to be shown are not followed any further, so memory is
 * needed for the chains and for what is shown, but not for all functions of all chains.
 */
#ifndef PROFILE_CHAIN_TREE_H
#define PROFILE_CHAIN_TREE_H

#include "util/profile/call_tree.h"
#include "util/profile/functions.h"

/* Functions of a callchain, inlined ones among them; deeper ones are cut. */
#define CHAIN_MAX 2048

/* A function in the callchain of a row of the profile. */
struct chain_place {
	uint32_t row;
	uint16_t frame; /* its number in the chain */
	uint16_t level; /* of the frame's functions, from the innermost */
};

struct chain_tree_options {
	struct functions *functions;
	const struct call_tree_shape *shape;
	uint64_t whole;	      /* what percentages relate to */
	bool caller_first;    /* chains go inwards */
	bool hide_unresolved; /* leave out functions that have no symbol */
};

/* Fill the empty tree with the chains that begin at these places, which are functions that are not
 * left out; ordered by row.  Errors: -ENOMEM. */
int chain_tree_make(struct call_tree *tree, const struct chain_tree_options *options,
		    const struct chain_place *chains, size_t nr);

#endif
