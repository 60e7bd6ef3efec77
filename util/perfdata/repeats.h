/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct repeats: a block of records, and what in it repeats an earlier record of the block.
 *
 * Samples of one event and call site differ in their time, their object and little more, so a
 * general search for repeated bytes is not needed: each record is compared with the one before it
 * that has the same size.  The result is a list as zstd's format has it: so many bytes that are
 * new, then so many that are the same as those at a distance before them.  The bytes behind the
 * last repeat are new.
 */
#ifndef PERFDATA_REPEATS_H
#define PERFDATA_REPEATS_H

#include "util/perfdata/record_order.h"

#define REPEATS_BLOCK                                                                              \
	(1U << 17)	 /* bytes of a block; a multiple of 8, and longer than any record          \
			  */
#define REPEATS_SIZES 64 /* how many sizes are remembered; a power of two */
#define REPEATS_SLACK 32 /* bytes behind those of the block, for copying in words */

struct repeat {
	uint32_t distance;
	uint32_t nr_new;
	uint32_t nr_same;
	uint32_t unused;
};

struct repeats {
	uint8_t *bytes;
	uint32_t len;
	struct repeat *v; /* with room for one more */
	uint32_t nr;
	uint32_t end; /* of the last repeat; the rest of the block is new */
};

/* Returns 0 or -ENOMEM. */
int repeats_init(struct repeats *r);
void repeats_deinit(struct repeats *r);

/* Fill a block with records, from the given one on, as many as fit; returns how many. */
size_t repeats_fill(struct repeats *r, const struct record_order *records, size_t from);

#endif
