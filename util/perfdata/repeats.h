/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct repeats: a block of records, and what in it repeats an earlier record of the block.
 *
 * Samples of one event and call site differ in little more than time and object. A general search
 * for repeated bytes is therefore not needed: each record is compared with the last one of the same
 * size. The result is a list in zstd's terms: a number of new bytes, then a number of bytes equal
 * to those at a distance before them. The bytes after the last repeat are new.
 *
 * zstd's own search at level 1 makes files of the same size within 6 %, or a quarter smaller with
 * callchains. But it takes 1.8 to 2.3 times the CPU time for all of packing, and with a window of
 * 128 MiB and long distance matching 7 to 10 times.
 */
#ifndef PERFDATA_REPEATS_H
#define PERFDATA_REPEATS_H

#include "util/perfdata/record_order.h"

#define REPEATS_BLOCK (1U << 17) /* bytes; multiple of 8, longer than a record */
#define REPEATS_SIZES 64	 /* number of sizes remembered; a power of two */
#define REPEATS_SLACK 32	 /* bytes after those of the block, for copying in words */

struct repeat {
	uint32_t distance;
	uint32_t nr_new;
	uint32_t nr_same;
	uint32_t unused;
};

struct repeats {
	uint8_t *bytes;
	uint32_t len;
	struct repeat *v; /* has room for one more entry */
	uint32_t nr;
	uint32_t end; /* end of the last repeat; the rest of the block is new */
};

/* Returns 0 or -ENOMEM. */
int repeats_init(struct repeats *r);
void repeats_deinit(struct repeats *r);

/* Fill the block with records, starting at `from`, until it is full. Returns their number. */
size_t repeats_fill(struct repeats *r, const struct record_order *records, size_t from);

#endif
