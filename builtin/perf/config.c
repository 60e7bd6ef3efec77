// SPDX-License-Identifier: GPL-2.0-or-later
/* perf config: show and set the contents of configuration files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/command.h"
#include "builtin/kmem-config.h"
#include "util/base/cleanup.h"
#include "util/base/strbuf.h"
#include "util/cli/config.h"
#include "util/cli/config_edit.h"

struct config_command {
	bool list, system, user, origin;
	struct config cfg;
	struct strbuf path; /* the only file to read and write; empty: read all files */
};

/* The file selected by --system, by --user, or by a value to set. */
static int choose_file(struct config_command *cc, struct error *err)
{
	const char *home = getenv("HOME");

	if (cc->system)
		strbuf_addstr(&cc->path, CONFIG_SYSTEM_PATH);
	else if (!cc->user)
		return config_user_path(&cc->path, err);
	else if (home && *home)
		strbuf_addf(&cc->path, "%s/.perfconfig", home);
	else
		return error_set(err, ENOENT, "HOME is not set, so there is no ~/.perfconfig");
	return cc->path.failed ? error_nomem(err) : 0;
}

static int load(struct config_command *cc, struct error *err)
{
	int ret;

	if (!cc->system && !cc->user)
		return config_load(&cc->cfg, err);
	ret = choose_file(cc, err);
	if (!ret)
		ret = config_load_file(&cc->cfg, cc->path.buf, err);
	return ret;
}

static void print_entry(const struct config_command *cc, const struct config_entry *entry)
{
	if (cc->origin)
		printf("%s:%u\t", entry->path, entry->line);
	printf("%s=%s\n", entry->key, entry->value);
}

static int list(struct config_command *cc, struct error *err)
{
	int ret = load(cc, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < cc->cfg.nr; i++)
		print_entry(cc, &cc->cfg.entries[i]);
	return 0;
}

static int get(struct config_command *cc, const char *key, struct error *err)
{
	_cleanup_free_ char *canonical = NULL;
	const struct config_entry *entry;
	int ret = config_key_canonical(key, &canonical, err);

	if (!ret && !cc->cfg.nr_paths)
		ret = load(cc, err);
	if (ret)
		return ret;
	entry = config_get(&cc->cfg, canonical);
	if (!entry)
		return error_set(err, ENOENT, "%s is not set", canonical);
	print_entry(cc, entry);
	return 0;
}

/* Whether this <name>=<value> is valid. */
static int check(const char *word, const char *equals, struct error *err)
{
	_cleanup_free_ char *value = strdup(equals + 1);
	_cleanup_(strbuf_deinit) struct strbuf key = STRBUF_INIT;
	_cleanup_free_ char *canonical = NULL;
	int ret;

	if (!value || strbuf_add(&key, word, (size_t)(equals - word)))
		return error_nomem(err);
	ret = config_key_canonical(key.buf, &canonical, err);
	return ret ? ret
		   : kmem_config_check(&(struct config_entry){.key = canonical, .value = value},
				       err);
}

static int set(struct config_command *cc, const char *word, const char *equals, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf key = STRBUF_INIT;
	int ret = 0;

	if (strbuf_add(&key, word, (size_t)(equals - word)))
		return error_nomem(err);
	if (!cc->path.len)
		ret = choose_file(cc, err);
	if (!ret)
		ret = config_set(cc->path.buf, key.buf, equals + 1, err);
	return ret;
}

static const struct option table[] = {
	OPT_BOOL('l', "list", struct config_command, list,
		 "show all that is set, one name=value per line"),
	OPT_BOOL(0, "user", struct config_command, user, "only ~/.perfconfig"),
	OPT_BOOL(0, "system", struct config_command, system, "only " CONFIG_SYSTEM_PATH),
	OPT_BOOL(0, "show-origin", struct config_command, origin, "show file and line of each"),
	OPT_END(),
};
static const char *const usage[] = {
	"perf config [--user | --system] [--show-origin] [--list]",
	"perf config [--user | --system] [--show-origin] <name>...",
	"perf config [--user | --system] <name>=<value>...",
	NULL,
};
static const struct options options = {"perf config", usage, table};

static int run(int argc, const char **argv, void *context)
{
	struct config_command cc = {.cfg = CONFIG_INIT, .path = STRBUF_INIT};
	struct error err = ERROR_INIT;
	int status = builtin_options(&options, &cc, &argc, argv, 0);
	int ret = 0;

	(void)context;
	if (status >= 0)
		return status;
	if (cc.list && argc)
		return builtin_misused(&options, "'%s': --list shows all that is set", argv[0]);
	if (cc.system && cc.user)
		return builtin_misused(&options, "--user and --system exclude each other");
	if (!argc)
		ret = list(&cc, &err);
	/* check all values first: after an error nothing is changed */
	for (int i = 0; i < argc && !ret; i++) {
		const char *equals = strchr(argv[i], '=');

		if (equals)
			ret = check(argv[i], equals, &err);
	}
	for (int i = 0; i < argc && !ret; i++) {
		const char *equals = strchr(argv[i], '=');

		ret = equals ? set(&cc, argv[i], equals, &err) : get(&cc, argv[i], &err);
	}
	config_deinit(&cc.cfg);
	strbuf_deinit(&cc.path);
	return ret ? builtin_error("perf config", &err) : 0;
}

const struct subcommand cmd_config = {
	.name = "config",
	.help = "show and set what the configuration files say",
	.options = &options,
	.run = run,
};
