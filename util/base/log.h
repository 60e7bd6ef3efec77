/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log: what a person sees only when asking for it (-v), and warnings.
 *
 * The log level is the program's one mutable global, save that the log knows whether a
 * line that is rewritten in place stands on the terminal (util/cli/status_line).  Lines go to
 * stderr with the program's prefix, printable (printable.h).  util/ may log details (log_debug) and
 * warnings that do not stop the work; errors are returned, never logged here.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

enum log_level { LOG_QUIET = -1, LOG_WARN = 0, LOG_INFO = 1, LOG_DEBUG = 2 };

void log_set_level(int level);
int log_level(void);

/* Such a line stands there now, or no more: the next message erases it. Returns what was before. */
bool log_set_status_line(bool stands);

/* One line each, without the final newline. Shown from LOG_WARN, LOG_INFO (-v), LOG_DEBUG (-vv) up.
 */
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
