// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/user-files.h"

static int opt_debuginfod(const struct option *opt, void *into, const char *arg, bool unset,
			  struct error *err)
{
	struct user_files *files = into;
	int ret = unset ? 0 : debuginfod_init(&files->debuginfod, arg, err);

	(void)opt;
	if (!ret)
		files->search.debuginfod = unset ? NULL : &files->debuginfod;
	return ret;
}

const struct option user_files_options[] = {
	OPT_CALLBACK_FLAGS(0, "debuginfod", "<urls>",
			   "ask these servers (those in DEBUGINFOD_URLS) for programs and debug "
			   "files that are not on this machine",
			   opt_debuginfod, OPTION_OPTARG | OPTION_NEGATABLE),
	OPT_END(),
};
