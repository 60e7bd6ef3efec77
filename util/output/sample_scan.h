/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct sample_scan: facts about the written records that the recorder needs.
 *
 * Shown each record, it counts samples per event, notes the first and last time (ns), and collects
 * the distinct kernel addresses: instruction pointers, call_site fields and kernel frames of
 * callchains. It reads only the layout that evlist.c configures; a record with an unknown id, or an
 * inconsistent one, is skipped. The scan owns the addresses.
 */
#ifndef OUTPUT_SAMPLE_SCAN_H
#define OUTPUT_SAMPLE_SCAN_H

#include <stdint.h>

#include "util/base/error.h"
#include "util/base/table.h"
#include "util/output/evlist.h"

#define SAMPLE_SCAN_SEEN 1024 /* a power of two */

/* The fixed part of our samples, as requested by evlist.c's sample_type. */
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
	struct table ids;	/* id -> index of the evsel */
	struct table addresses; /* rows are u64 addresses */
	uint64_t *samples;	/* per evsel */
	uint64_t nr_samples;
	uint64_t first_ns;
	uint64_t last_ns;		 /* 0 before the first sample */
	uint64_t seen[SAMPLE_SCAN_SEEN]; /* recent addresses that are in the table, to avoid lookups
					  */
};

/* The evlist must be open (its ids known) and must outlive the scan. */
int sample_scan_init(struct sample_scan *s, const struct evlist *l, struct error *err);
/* Subtract nr samples of this evsel that were not written after all. */
void sample_scan_forget(struct sample_scan *s, size_t evsel, uint64_t nr);

void sample_scan_deinit(struct sample_scan *s);

/* Not a sample of the evlist. */
#define SAMPLE_SCAN_OTHER SIZE_MAX

/* The kind and origin of a record. */
struct sample_key {
	size_t evsel;  /* index of the evsel, or SAMPLE_SCAN_OTHER */
	uint64_t from; /* its origin: a hash of its call site and its kernel frames */
};

/* Add an address to such a hash, which starts as 0. */
static inline uint64_t sample_from(uint64_t from, uint64_t addr)
{
	return (from << 7 | from >> 57) + addr;
}

/* The index of this sample's evsel, or SAMPLE_SCAN_OTHER. */
size_t sample_scan_evsel(const struct sample_scan *s, const void *record, size_t size);

/* Scan one whole record. Returns 0, or -ENOMEM. */
int sample_scan_record(struct sample_scan *s, const void *record, size_t size,
		       struct sample_key *ret_key);

/* For producers of samples: count one, and note one of its kernel addresses. */
static inline void sample_scan_count(struct sample_scan *s, size_t evsel, uint64_t time_ns)
{
	s->samples[evsel]++;
	s->nr_samples++;
	if (time_ns < s->first_ns)
		s->first_ns = time_ns;
	if (time_ns > s->last_ns)
		s->last_ns = time_ns;
}

int sample_scan_new_address(struct sample_scan *s, uint64_t addr);

static inline int sample_scan_address(struct sample_scan *s, uint64_t addr)
{
	return s->seen[addr % SAMPLE_SCAN_SEEN] == addr ? 0 : sample_scan_new_address(s, addr);
}

#endif
