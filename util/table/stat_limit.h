/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct stat_limit: the number of rows of a stat_table, limited by the stored size of the source,
 * or by a number (bounds.h).
 *
 * A small file may repeat many samples after many changes of a command or a mapping, and each
 * combination would be a row.  Once a table is full, an allocation that needs a new row counts in
 * a row of others, with an empty callchain.
 *
 * struct stat_others: the keys of a row of others, here and in stat_fold.h.  Keys that take new
 * values for ever are others: command and cgroup "[others]", pid and tid -1, pointer and page 0, a
 * shorter callchain.  The other keys stay, so sums by them and the table's totals do not change.
 */
#ifndef TABLE_STAT_LIMIT_H
#define TABLE_STAT_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/event/key.h"

struct stat_others {
	uint32_t string, stack; /* numbers of "[others]" and of the callchain */
};

/* Whether the key is others in such a row. */
bool stat_others_has(enum kmem_key key);

/* The key's value in the row of others for this value. */
uint64_t stat_others_key(const struct stat_others *o, enum kmem_key key, uint64_t value);

struct stat_limit {
	const uint64_t *stored_bytes; /* of the source's facts; grows while a pipe is read */
	uint32_t free_rows;	      /* a table has at least as many */
	struct stat_others others;
	bool reached;
};

/* Interns the names of others. max_rows: 0 if stored_bytes is the limit. Errors: -ENOMEM. */
int stat_limit_init(struct stat_limit *l, const uint64_t *stored_bytes, uint32_t max_rows,
		    struct key_names *names);

/* A table has room for this number of rows, whatever the size of the source. */
#define STAT_LIMIT_MIN 32768

/* May a table have another row? large: its rows have histograms. */
bool stat_limit_has_room(const struct stat_limit *l, uint32_t nr_rows, bool large);

#endif
