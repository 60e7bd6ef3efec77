// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/cli/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>

#include "util/base/units.h"

int terminal_columns(int fd)
{
	const char *env = getenv("COLUMNS");
	struct winsize size;
	uint64_t columns;

	if (env && !units_parse_u64_bounded(env, 1, 4096, &columns))
		return (int)columns;
	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return 80;
}
