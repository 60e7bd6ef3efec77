// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "util/base/printable.h"

/* Longer lines are truncated. */
#define LINE_MAX_BYTES 4096

static int current_level = LOG_WARN;
static atomic_bool status_line;

void log_set_level(int level)
{
	current_level = level;
}

int log_level(void)
{
	return current_level;
}

bool log_set_status_line(bool stands)
{
	return atomic_exchange(&status_line, stands);
}

static void __attribute__((format(printf, 3, 0)))
print(int level, const char *prefix, const char *fmt, va_list ap)
{
	char line[LINE_MAX_BYTES];

	if (level > current_level)
		return;
	/* names of files and events may contain any bytes */
	vsnprintf(line, sizeof(line), fmt, ap);
	printable_make(line);
	flockfile(stderr);
	if (log_set_status_line(false))
		fputs("\r\033[K", stderr);
	if (level == LOG_WARN)
		fputs(program_invocation_short_name, stderr);
	fputs(prefix, stderr);
	fputs(line, stderr);
	fputc('\n', stderr);
	funlockfile(stderr);
}

#define LOG_FUNCTION(name, level, prefix)                                                          \
	void name(const char *fmt, ...)                                                            \
	{                                                                                          \
		va_list ap;                                                                        \
		va_start(ap, fmt);                                                                 \
		print(level, prefix, fmt, ap);                                                     \
		va_end(ap);                                                                        \
	}

LOG_FUNCTION(log_warn, LOG_WARN, ": warning: ")
LOG_FUNCTION(log_info, LOG_INFO, "")
LOG_FUNCTION(log_debug, LOG_DEBUG, "")
