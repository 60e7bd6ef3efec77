/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct live_peak: when the most bytes were live, of the moments in the time windows.
 *
 * It counts the events of its allocator, whose live bytes go down between two windows as well as
 * up: so each begin of a window is such a moment, too.
 */
#ifndef KMEM_LIVE_PEAK_H
#define KMEM_LIVE_PEAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/kmem/windows.h"

struct live_peak {
	uint64_t bytes;
	uint64_t event;	  /* its number, from 1; 0: nothing was ever live */
	uint64_t time_ns; /* the event's, or when the window began */
	uint64_t ptr;	  /* slab: whose allocation made it; 0 once that was traced again */

	const struct time_window *windows;
	size_t nr_windows;
	uint64_t nr_events;
	uint64_t stop_event; /* the last one that is to be accounted; 0: all */
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

/* What was live until this moment, when a window may have begun meanwhile. */
void live_peak_note_windows(struct live_peak *p, uint64_t bytes_live, uint64_t time_ns);

/* An event comes, with so many bytes live before it. False: it is not to be accounted. */
static inline bool live_peak_next(struct live_peak *p, uint64_t bytes_live, uint64_t time_ns)
{
	if (p->nr_windows)
		live_peak_note_windows(p, bytes_live, time_ns);
	p->nr_events++;
	return !p->stop_event || p->nr_events <= p->stop_event;
}

#endif
