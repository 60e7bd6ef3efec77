/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct stat_limit: the number of rows of a stat_table, limited by the stored size of the source.
 *
 * A small file may repeat many samples after many changes of a command or a mapping, and each
 * combination would be a row.  Once a table is full, an allocation that needs a new row counts in
 * the row in which the keys that stat_fold.h merges are others: commands and cgroups "[others]",
 * pid and tid -1, pointers and pages 0, callchains empty.  All other keys stay, so sums by those,
 * and the table's totals, are what they would be without.
 */
#ifndef TABLE_STAT_LIMIT_H
#define TABLE_STAT_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/event/key.h"

struct stat_limit {
	const uint64_t *stored_bytes; /* of the source's facts; grows while a pipe is read */
	uint32_t string, stack;	      /* numbers of "[others]" and of the empty callchain */
	bool reached;
};

/* Interns the names of others. Errors: -ENOMEM. */
int stat_limit_init(struct stat_limit *l, const uint64_t *stored_bytes, struct key_names *names);

/* A table has room for this number of rows, whatever the source. */
#define STAT_LIMIT_MIN 32768

/* May a table have another row? large: its rows have histograms. */
bool stat_limit_has_room(const struct stat_limit *l, uint32_t nr_rows, bool large);

/* The value of the key in the row of others. */
uint64_t stat_limit_other(const struct stat_limit *l, enum kmem_key key, uint64_t value);

#endif
