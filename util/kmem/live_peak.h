/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct live_peak: when the most bytes were live, among the moments in the time windows.
 *
 * It counts the events of its allocator, whose live bytes also change between two windows: so the
 * beginning of each window is such a moment, too.
 */
#ifndef KMEM_LIVE_PEAK_H
#define KMEM_LIVE_PEAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/decode/windows.h"

struct live_peak {
	uint64_t bytes;
	uint64_t event;	  /* its number, from 1; 0: nothing was ever live */
	uint64_t time_ns; /* of the event, or the beginning of the window */
	uint64_t ptr;	  /* slab: whose allocation made it; 0 once that was traced again */

	const struct time_window *windows;
	size_t nr_windows;
	uint64_t nr_events;
	uint64_t stop_event; /* the last event to be accounted; 0: all */
	uint64_t now_ns;     /* with windows: of the latest event */
};

static inline void live_peak_note(struct live_peak *p, uint64_t bytes_live, uint64_t time_ns)
{
	if (bytes_live <= p->bytes)
		return;
	p->bytes = bytes_live;
	p->event = p->nr_events;
	p->time_ns = time_ns;
	p->ptr = 0;
}

/* Note what was live until this moment, if a window has begun in the meantime. */
void live_peak_note_windows(struct live_peak *p, uint64_t bytes_live, uint64_t time_ns);

/* An event comes, with this many bytes live before it. False: it is not to be accounted. */
static inline bool live_peak_next(struct live_peak *p, uint64_t bytes_live, uint64_t time_ns)
{
	if (p->nr_windows)
		live_peak_note_windows(p, bytes_live, time_ns);
	p->nr_events++;
	return !p->stop_event || p->nr_events <= p->stop_event;
}

#endif
