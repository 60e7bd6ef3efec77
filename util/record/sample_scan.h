/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct sample_scan: what the recorder wants to know of the records it writes.
 *
 * Shown each record, it counts samples per event, notes the first and last
 * time (ns), and collects the distinct kernel addresses: call_site fields and
 * kernel frames of callchains.  It reads only the layout that evlist.c configures, so an event of
 * another id, or a record that does not add up, is passed over.  Addresses are the scan's.
 */
#ifndef RECORD_SAMPLE_SCAN_H
#define RECORD_SAMPLE_SCAN_H

#include <stdint.h>

#include "util/base/error.h"
#include "util/base/table.h"
#include "util/record/evlist.h"

/* The fixed part of our samples, as evlist.c's sample_type asks for it. */
struct sample_head {
	struct perf_event_header header;
	uint64_t id;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
};

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
/* Take samples out of the counts again that came to nothing: nr of this evsel. */
void sample_scan_forget(struct sample_scan *s, size_t evsel, uint64_t nr);

void sample_scan_deinit(struct sample_scan *s);

/* Not a sample of the evlist. */
#define SAMPLE_SCAN_OTHER SIZE_MAX

/* What one record is. */
struct sample_key {
	size_t evsel;	    /* its number, or SAMPLE_SCAN_OTHER */
	uint64_t call_site; /* 0: it has none */
};

/* The number of the evsel whose sample this is, or SAMPLE_SCAN_OTHER. */
size_t sample_scan_evsel(const struct sample_scan *s, const void *record, size_t size);

/* One whole record. Returns 0 or -ENOMEM. */
int sample_scan_record(struct sample_scan *s, const void *record, size_t size,
		       struct sample_key *ret_key);

#endif
