/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct growth: the changes between two balances, largest growth first.
 *
 * It has the leaves of both trees. Where only one of the trees divides a line, the line itself is
 * taken, so that changes add up.
 */
#ifndef WHERE_GROWTH_H
#define WHERE_GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/where/balance.h"

struct growth_row {
	char *path;			 /* "slab/unreclaimable/filp" */
	char *label;			 /* "slab > unreclaimable > filp" */
	const struct balance_line *line; /* of the new balance, else of the old one */
	int64_t old, new, change;
};

struct growth {
	struct growth_row *v;
	size_t nr;
	double hours; /* between both; 0: unknown */
	bool failed;
};

/* The balances must outlive it. hours: 0 if unknown. */
void growth_init(struct growth *g, const struct balance *old, const struct balance *new,
		 double hours);
void growth_deinit(struct growth *g);

#endif
