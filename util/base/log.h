/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log: warnings, and details shown only on request (-v).
 *
 * The log level is the program's one mutable global, apart from a flag for a status line on the
 * terminal (util/cli/terminal.h). Lines go to stderr with the program's prefix, made printable
 * (printable.h). util/ may log details (log_debug) and warnings that do not stop the work. Errors
 * are returned, never logged here.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

enum log_level { LOG_QUIET = -1, LOG_WARN = 0, LOG_INFO = 1, LOG_DEBUG = 2 };

void log_set_level(int level);
int log_level(void);

/* Note whether the terminal shows a status line; the next message erases it. Returns the previous
 * value. */
bool log_set_status_line(bool stands);

/* Each logs one line, passed without a newline. Shown at LOG_WARN, LOG_INFO (-v), LOG_DEBUG (-vv)
 * and above. */
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
