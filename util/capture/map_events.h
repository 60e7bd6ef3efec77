/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct map_events: what processes map while BPF programs record user callchains.
 *
 * Nothing that a program can be attached to tells of it in the form that a perf.data needs, but
 * perf_event_open does, of a software event that never happens.  Each CPU has a small buffer, which
 * is drained together with the programs' own.
 */
#ifndef CAPTURE_MAP_EVENTS_H
#define CAPTURE_MAP_EVENTS_H

#include "util/capture/event_open.h"
#include "util/capture/rings.h"
#include "util/output/batch.h"

struct map_events {
	struct evlist evlist; /* of that one event */
	struct rings rings;
};

/*
 * Open and start: maps are needed from before the first sample.  Times are of this clock.  Call
 * deinit even if it fails.
 */
int map_events_init(struct map_events *m, const struct open_target *target, int32_t clockid,
		    struct error *err);
void map_events_deinit(struct map_events *m);

/* Records of the i-th buffer that fit into the batch, with this id; false: there are no more. */
bool map_events_drain(struct map_events *m, size_t i, uint64_t id, struct batch *b);

#endif
