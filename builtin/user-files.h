/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where programs and libraries are looked for, as far as options say it: those of all commands that
 * name addresses of user space.
 */
#ifndef BUILTIN_USER_FILES_H
#define BUILTIN_USER_FILES_H

#include "util/cli/config.h"
#include "util/cli/options.h"
#include "util/usersym/dso.h"

/* All zeroes: in the usual places.  It is not moved once options have been parsed into it. */
struct user_files {
	struct debuginfod debuginfod;
	struct dso_search search;
	bool said;	      /* whether servers are asked: by an option */
	struct config config; /* whose strings are used; empty: another one's, or none */
};

extern const struct option user_files_options[];

/*
 * What options have not said, buildid-cache.debuginfod says: URLs of servers, or "system" for those
 * in DEBUGINFOD_URLS.  Once options have been parsed; the configuration must outlive it.
 */
void user_files_take_config(struct user_files *files, const struct config *config);

/* The same, of the configuration that is read now. Errors name file and line. */
int user_files_load_config(struct user_files *files, struct error *err);
void user_files_deinit(struct user_files *files);

#endif
