/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct user_files: options to find programs and libraries, in all commands that name user-space
 * addresses.
 */
#ifndef BUILTIN_USER_FILES_H
#define BUILTIN_USER_FILES_H

#include "util/cli/config.h"
#include "util/cli/options.h"
#include "util/usersym/dso.h"

/* Zeroed memory: the default places. It must not be moved after options were parsed into it. */
struct user_files {
	struct debuginfod debuginfod;
	struct dso_search search;
	bool said;	      /* set by an option: whether to ask debuginfod servers */
	struct config config; /* owns the URLs; empty if another configuration does, or none */
};

extern const struct option user_files_options[];

/*
 * Set what no option has set from buildid-cache.debuginfod: URLs of servers, or "system" for those
 * in DEBUGINFOD_URLS. Called after options were parsed; the configuration must outlive it.
 */
void user_files_take_config(struct user_files *files, const struct config *config);

/* The same with a configuration that is read now. Errors name the file and the line. */
int user_files_load_config(struct user_files *files, struct error *err);
void user_files_deinit(struct user_files *files);

#endif
