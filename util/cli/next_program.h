/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The next program of our own name on PATH, for commands that we do not implement.
 *
 * It is the first executable file of that name other than this program. Programs are compared by
 * device and inode, so links to us are skipped, too. An empty part of PATH, which means the current
 * directory to a shell, is skipped.
 *
 * Each program that is tried adds itself to the environment. So two programs that hand over to each
 * other, or a script that wraps us, are each tried once, never in a loop. A program that does the
 * work itself, and runs others, first removes this from the environment, so that they do not
 * inherit it.
 */
#ifndef CLI_NEXT_PROGRAM_H
#define CLI_NEXT_PROGRAM_H

#include <stdbool.h>

#include "util/base/strbuf.h"

/* Append the path to *path. Returns false if there is none. */
bool next_program_find(const char *name, struct strbuf *path);

/* Remove the tried programs from the environment: we do the work ourselves. */
void next_program_forget(void);

/*
 * Replace our process by it, with these arguments (argv[0] becomes its path). Returns only on
 * failure: -ENOENT if there is none.
 */
int next_program_exec(const char *name, const char **argv);

#endif
