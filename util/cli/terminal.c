// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/cli/terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "util/base/log.h"
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

#define TEXT_MAX 256

void status_line_show(struct status_line *l, const char *fmt, ...)
{
	int columns = terminal_columns(fileno(l->out));
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	/* keep the last column free: some terminals wrap there */
	flockfile(l->out);
	fprintf(l->out, "\r%.*s\033[K", columns - 1, text);
	fflush(l->out);
	log_set_status_line(true);
	funlockfile(l->out);
}

void status_line_clear(struct status_line *l)
{
	flockfile(l->out);
	if (log_set_status_line(false)) {
		fputs("\r\033[K", l->out);
		fflush(l->out);
	}
	funlockfile(l->out);
}
