// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bpf/missed.h"

/* A burst is over after a millisecond or so, and a reading takes a few microseconds. */
#define TRIES 1000

int missed_read(const struct missed_counts *counts, uint64_t *ret_missed)
{
	uint64_t caught = counts->caught(counts->ctx), missed = 0, caught_before, missed_before;
	int tries = 0;

	do {
		uint64_t skipped;
		int ret = counts->skipped(counts->ctx, &skipped);

		if (ret)
			return ret;
		caught_before = caught;
		missed_before = missed;
		caught = counts->caught(counts->ctx);
		/* what was caught after the other count was read is not in it: rather too few */
		missed = caught < skipped ? skipped - caught : 0;
	} while ((caught != caught_before || missed != missed_before) && ++tries < TRIES);
	*ret_missed = missed;
	return 0;
}
