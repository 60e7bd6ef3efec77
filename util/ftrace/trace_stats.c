// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/ftrace/trace_stats.h"

#include <stdlib.h>
#include <string.h>

uint64_t trace_stats_lost(const char *text)
{
	static const char *const names[] = {"overrun: ", "commit overrun: ", "dropped events: "};
	uint64_t lost = 0;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (!strncmp(line, names[i], strlen(names[i])))
				lost += strtoull(line + strlen(names[i]), NULL, 10);
		if (!*line)
			break;
	}
	return lost;
}
