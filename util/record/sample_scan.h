/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct sample_scan: what the recorder wants to know of the records it wrote.
 *
 * Fed with records, it counts samples per event, notes the first and last
 * time (ns), and collects the distinct kernel addresses: call_site fields and
 * kernel frames of callchains.  It reads only the layout that evlist.h configures, so an event of
 * another id, or a record that does not add up, is passed over.  Addresses are the scan's.
 */
#ifndef RECORD_SAMPLE_SCAN_H
#define RECORD_SAMPLE_SCAN_H

#include <stdint.h>

#include "util/base/error.h"
#include "util/base/table.h"
#include "util/record/evlist.h"

struct sample_scan {
	const struct evlist *evlist;
	struct table ids;	/* id -> number of the evsel */
	struct table addresses; /* rows are the u64 addresses */
	uint64_t *samples;	/* per evsel */
	uint64_t nr_samples;
	uint64_t first_ns;
	uint64_t last_ns; /* 0: no sample */
	uint64_t last_address;
};

/* The evlist must be open (its ids known) and outlive the scan. */
int sample_scan_init(struct sample_scan *s, const struct evlist *l, struct error *err);
void sample_scan_deinit(struct sample_scan *s);

/* Takes whole records; what follows the last one is left. Returns 0 or -ENOMEM. */
int sample_scan_feed(struct sample_scan *s, const void *records, uint64_t len, uint64_t *ret_taken);

/* As _feed() of all that the data section of a file holds, COMPRESSED records unpacked. */
int sample_scan_data(struct sample_scan *s, const void *data, uint64_t len, struct error *err);

#endif
