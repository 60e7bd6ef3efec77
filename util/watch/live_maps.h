/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct live_maps: the mappings of this machine's processes, and changes of them in time order.
 *
 * Mappings from before come from /proc. BPF programs have no attachment point that has later ones
 * with their paths, but perf_event_open writes records about them, and about exec, for a software
 * event that never happens. Each CPU has a small buffer. Forks and ends of processes are events of
 * the programs, not of this struct. Times are CLOCK_MONOTONIC. Zeroed memory is not open; every
 * function accepts it. Errors: -ENOMEM.
 */
#ifndef WATCH_LIVE_MAPS_H
#define WATCH_LIVE_MAPS_H

#include "util/host/ring_buffer.h"
#include "util/source/event_source.h"

struct live_maps {
	struct mapping_cpu {
		int fd;
		struct ring_buffer rb;
	} * cpus;
	size_t nr_cpus;
	struct mapping_record {
		uint64_t time_ns;
		struct perf_event_header *record;
	} * records; /* [head, nr): not yet delivered, in time order */
	size_t head, nr, cap;
	bool warned_lost;
};

/* Start. close is needed even if it fails. */
int live_maps_open(struct live_maps *m, struct error *err);
void live_maps_close(struct live_maps *m);

/* Pass the present mappings of all processes to the sink. */
int live_maps_existing(const struct event_sink *sink, void *ctx);

/* Take new records from the buffers. */
int live_maps_drain(struct live_maps *m);

/* The time of the next record, or UINT64_MAX if there is none. */
static inline uint64_t live_maps_time(const struct live_maps *m)
{
	return m->head < m->nr ? m->records[m->head].time_ns : UINT64_MAX;
}

/* Pass the records before this time to the sink. */
int live_maps_until(struct live_maps *m, uint64_t time_ns, const struct event_sink *sink,
		    void *ctx);

#endif
