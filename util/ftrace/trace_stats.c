// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/ftrace/trace_stats.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"

/* The number in the line with this name; 0 if there is no such line. */
static uint64_t number_of(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, len))
			return strtoull(line + len, NULL, 10);
	}
	return 0;
}

uint64_t trace_stats_dropped(const char *text)
{
	return number_of(text, "commit overrun: ") + number_of(text, "dropped events: ");
}

uint64_t trace_stats_lost(const char *text)
{
	return number_of(text, "overrun: ") + trace_stats_dropped(text);
}

void trace_clock_note(const char *path, const char *clock)
{
	if (!clock)
		return;
	log_info("'%s': trace clock '%.32s'", path, clock);
	if (!strcmp(clock, "counter") || !strcmp(clock, "x86-tsc") || !strcmp(clock, "ppc-tb"))
		log_warn("'%s': its trace clock '%s' does not count nanoseconds: times, rates and "
			 "ages are in its ticks",
			 path, clock);
	else if (!strcmp(clock, "uptime"))
		log_warn("'%s': its trace clock 'uptime' is coarse: events of different CPUs may "
			 "be out of order",
			 path);
}
