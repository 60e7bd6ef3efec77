/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where programs and libraries are looked for, as far as options say it: those of all commands that
 * name addresses of user space.
 */
#ifndef BUILTIN_USER_FILES_H
#define BUILTIN_USER_FILES_H

#include "util/cli/options.h"
#include "util/symbol/dso.h"

/* All zeroes: in the usual places.  It is not moved once options have been parsed into it. */
struct user_files {
	struct debuginfod debuginfod;
	struct dso_search search;
};

extern const struct option user_files_options[];

#endif
