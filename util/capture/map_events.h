/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct map_events: mappings of processes while BPF programs record user callchains.
 *
 * No BPF attachment point has them in the form that a perf.data needs, but perf_event_open does,
 * with a software event that never happens. Each CPU has a small buffer, which is drained together
 * with the programs' own.
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
 * Open and start: maps are needed from before the first sample. Times are of this clock. deinit is
 * needed even if it fails.
 */
int map_events_init(struct map_events *m, const struct open_target *target, int32_t clockid,
		    struct error *err);
void map_events_deinit(struct map_events *m);

/* Add records of the i-th buffer to the batch, as far as they fit, with this id. Returns false when
 * there are no more. */
bool map_events_drain(struct map_events *m, size_t i, uint64_t id, struct batch *b);

#endif
