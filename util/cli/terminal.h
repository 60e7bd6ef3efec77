/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known about the terminal behind a file descriptor.
 *
 * COLUMNS in the environment (1 to 4096) takes precedence over what the terminal says; if it is not
 * a terminal, or does not know its width, 80 columns are assumed.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

int terminal_columns(int fd);

#endif
