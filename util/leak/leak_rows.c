// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/leak/leak_rows.h"

#include <stdlib.h>

static int by_rank(const void *x, const void *y, void *ctx)
{
	const struct leak_row *a = x, *b = y;
	const struct leak_rows *rows = ctx;

	if (a->behaviour != b->behaviour)
		return (int)a->behaviour - (int)b->behaviour;
	if (leak_level(a->evidence.confidence) != leak_level(b->evidence.confidence))
		return (int)leak_level(a->evidence.confidence) -
		       (int)leak_level(b->evidence.confidence);
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	if (a->use != b->use)
		return (int)a->use - (int)b->use;
	for (unsigned int i = 0; i < rows->nr_by; i++)
		if (a->key[i] != b->key[i])
			return a->key[i] > b->key[i] ? 1 : -1;
	return 0;
}

static bool is_accused(const struct leak_row *r, enum leak_level level)
{
	return r->use == LEAK_KERNEL && leak_behaviour_is_leak(r->behaviour) &&
	       leak_level(r->evidence.confidence) == level;
}

/* Number the findings. Returns how many there are. */
static uint32_t number_findings(struct leak_rows *rows, enum leak_level level)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < rows->nr; i++)
		if (is_accused(&rows->v[i], level))
			rows->v[i].finding = ++nr;
	return nr;
}

void leak_rows_rank(struct leak_rows *rows)
{
	if (rows->nr)
		qsort_r(rows->v, rows->nr, sizeof(*rows->v), by_rank, rows);
	if (!number_findings(rows, LEAK_HIGH))
		number_findings(rows, LEAK_MEDIUM);
}
