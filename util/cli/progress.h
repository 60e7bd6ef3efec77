/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct progress: a status line that shows the progress of reading a recording.
 *
 * It shows percent of the bytes, events, events/s since the last line, and the remaining time at
 * the pace so far. For a pipe, whose size is unknown, it shows bytes instead of percent and
 * remaining time. Nothing is written during the first second, then four lines a second. Times are
 * from any monotonic clock.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdint.h>

#include "util/cli/terminal.h"

struct progress {
	struct status_line line;
	uint64_t start_ns;
	uint64_t shown_ns, shown_events; /* state at the last line written */
};

void progress_init(struct progress *p, FILE *terminal, uint64_t now_ns);

/* bytes_total: 0 if unknown. */
void progress_update(struct progress *p, uint64_t now_ns, uint64_t bytes, uint64_t bytes_total,
		     uint64_t nr_events);
void progress_clear(struct progress *p);

#endif
