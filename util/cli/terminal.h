/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of the terminal behind a file descriptor.
 *
 * COLUMNS in the environment (1 to 4096) goes before what the terminal says; what is no
 * terminal, or one that does not know its width, has 80 columns.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

int terminal_columns(int fd);

#endif
