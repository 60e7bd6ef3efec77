/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the call tree of a row of a report from its callchains.
 *
 * The chains are divided by their first function, those with the same first function by the next,
 * and so on. Chains whose common weight is too low to show are not followed further. So memory is
 * needed for the chains and for the visible part, but not for all functions of all chains.
 */
#ifndef PROFILE_CHAIN_TREE_H
#define PROFILE_CHAIN_TREE_H

#include "util/profile/call_tree.h"
#include "util/profile/functions.h"

/* Functions of a callchain, including inlined ones; deeper chains are truncated. */
#define CHAIN_MAX 2048

/* A function in the callchain of a row of the profile. */
struct chain_place {
	uint32_t row;
	uint16_t frame; /* number of the frame in the chain */
	uint16_t level; /* index in the frame's functions, innermost first */
};

struct chain_tree_options {
	struct functions *functions;
	const struct call_tree_shape *shape;
	uint64_t whole;	      /* 100 % of the percentages */
	bool caller_first;    /* chains go from callers to callees */
	bool hide_unresolved; /* leave out functions without a symbol */
};

/* Fill the empty tree with the chains that begin at these places, which are functions that are not
 * left out; sorted by row. Errors: -ENOMEM. */
int chain_tree_make(struct call_tree *tree, const struct chain_tree_options *options,
		    const struct chain_place *chains, size_t nr);

#endif
