// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/cli/progress.h"

#include <inttypes.h>

#include "util/base/units.h"

#define NS_PER_S      1000000000ull
#define QUIET_NS      NS_PER_S
#define SHOW_EVERY_NS (NS_PER_S / 4)

/* Longer remaining times are not a meaningful forecast. */
#define LEFT_MAX_S 360000

void progress_init(struct progress *p, FILE *terminal, uint64_t now_ns)
{
	*p = (struct progress){.line = {terminal}, .start_ns = now_ns, .shown_ns = now_ns};
}

/* ", 3 s left", ", 1 min 20 s left", ", 2 h 5 min left"; "" if still unknown. */
static void format_left(char *buf, size_t size, uint64_t elapsed_ns, uint64_t bytes,
			uint64_t bytes_total)
{
	double left =
		bytes ? (double)elapsed_ns / 1e9 * (double)(bytes_total - bytes) / (double)bytes
		      : 0;
	uint64_t s = (uint64_t)(left + 0.5);

	if (!bytes || left > LEFT_MAX_S)
		buf[0] = '\0';
	else if (s < 60)
		snprintf(buf, size, ", %" PRIu64 " s left", s);
	else if (s < 3600)
		snprintf(buf, size, ", %" PRIu64 " min %" PRIu64 " s left", s / 60, s % 60);
	else
		snprintf(buf, size, ", %" PRIu64 " h %" PRIu64 " min left", s / 3600,
			 s % 3600 / 60);
}

void progress_update(struct progress *p, uint64_t now_ns, uint64_t bytes, uint64_t bytes_total,
		     uint64_t nr_events)
{
	char events[UNITS_BUF], rate[UNITS_BUF], size[UNITS_BUF], left[UNITS_BUF];
	uint64_t since_ns = now_ns - p->shown_ns, elapsed_ns = now_ns - p->start_ns;

	if (elapsed_ns < QUIET_NS || since_ns < SHOW_EVERY_NS)
		return;
	units_group(events, sizeof(events), nr_events, ",");
	units_group(rate, sizeof(rate),
		    (uint64_t)((double)(nr_events - p->shown_events) * 1e9 / (double)since_ns),
		    ",");
	units_bytes(size, sizeof(size), bytes_total ? bytes_total : bytes);
	if (bytes_total) {
		if (bytes > bytes_total)
			bytes = bytes_total;
		format_left(left, sizeof(left), elapsed_ns, bytes, bytes_total);
		status_line_show(&p->line, "[ %.0f %% of %s: %s events, %s events/s%s ]",
				 100.0 * (double)bytes / (double)bytes_total, size, events, rate,
				 left);
	} else {
		status_line_show(&p->line, "[ %s: %s events, %s events/s ]", size, events, rate);
	}
	p->shown_ns = now_ns;
	p->shown_events = nr_events;
}

void progress_clear(struct progress *p)
{
	status_line_clear(&p->line);
}
