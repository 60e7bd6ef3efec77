// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/user-files.h"

#include <string.h>

#define SERVERS_KEY   "buildid-cache.debuginfod"
#define USUAL_SERVERS "system"

static int opt_debuginfod(const struct option_use *use, struct error *err)
{
	struct user_files *files = use->into;
	const char *servers = use->arg && strcmp(use->arg, USUAL_SERVERS) ? use->arg : NULL;
	int ret = use->unset ? 0 : debuginfod_init(&files->debuginfod, servers, err);

	files->said = true;
	if (!ret)
		files->search.debuginfod = use->unset ? NULL : &files->debuginfod;
	return ret;
}

const struct option user_files_options[] = {
	OPT_CALLBACK_FLAGS(0, "debuginfod", "<urls>",
			   "get missing programs and debug files from these servers (those in "
			   "DEBUGINFOD_URLS)",
			   opt_debuginfod, OPTION_OPTARG | OPTION_NEGATABLE),
	OPT_END(),
};

void user_files_take_config(struct user_files *files, const struct config *config)
{
	const struct config_entry *e = config_get(config, SERVERS_KEY);

	if (files->said || !e || !*e->value)
		return;
	debuginfod_init_later(&files->debuginfod,
			      strcmp(e->value, USUAL_SERVERS) != 0 ? e->value : NULL);
	files->search.debuginfod = &files->debuginfod;
}

int user_files_load_config(struct user_files *files, struct error *err)
{
	int ret = files->said ? 0 : config_load(&files->config, err);

	if (!ret)
		user_files_take_config(files, &files->config);
	return ret;
}

void user_files_deinit(struct user_files *files)
{
	config_deinit(&files->config);
}
