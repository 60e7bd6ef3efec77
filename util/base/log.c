// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

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
	if (level > current_level)
		return;
	flockfile(stderr);
	if (log_set_status_line(false))
		fputs("\r\033[K", stderr);
	fputs(prefix, stderr);
	vfprintf(stderr, fmt, ap);
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

LOG_FUNCTION(log_warn, LOG_WARN, "perf: warning: ")
LOG_FUNCTION(log_info, LOG_INFO, "")
LOG_FUNCTION(log_debug, LOG_DEBUG, "")
