/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many events were missed, of two counts that go on while they are read: the kernel's, of what
 * it did not call the first program for, and the second program's, of what of that it caught.
 *
 * An interrupt that frees much while the first program runs adds to both, several in a microsecond:
 * what comes between reading one and the other must not seem missed.
 */
#ifndef BPF_MISSED_H
#define BPF_MISSED_H

#include <stdint.h>

struct missed_counts {
	int (*skipped)(void *ctx, uint64_t *ret_skipped); /* 0 or a negative errno */
	uint64_t (*caught)(void *ctx);
	void *ctx;
};

/* Reads both until they stand still, which is soon. Errors: those of skipped(). */
int missed_read(const struct missed_counts *counts, uint64_t *ret_missed);

#endif
