// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/live_peak.h"

/* The most may be live when a window begins, with less and less from then on. */
void live_peak_note_windows(struct live_peak *p, uint64_t bytes_live, uint64_t time_ns)
{
	for (size_t i = 0; i < p->nr_windows; i++) {
		uint64_t start_ns = p->windows[i].start_ns;

		if (start_ns <= time_ns && start_ns > p->now_ns)
			live_peak_note(p, bytes_live, start_ns);
	}
	p->now_ns = time_ns;
}
