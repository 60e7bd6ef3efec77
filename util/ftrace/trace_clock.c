// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/ftrace/trace_clock.h"

#include <string.h>

#include "util/base/log.h"

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
