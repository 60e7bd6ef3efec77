// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem: the table of its subcommands. */
#include <errno.h>
#include <string.h>

#include "builtin/command.h"
#include "builtin/kmem-config.h"
#include "util/cli/subcommand.h"

/* A new subcommand is one line here, and one file in builtin/kmem/. */
#define SUBCOMMANDS(SUBCOMMAND)                                                                    \
	SUBCOMMAND(record)                                                                         \
	SUBCOMMAND(stat)                                                                           \
	SUBCOMMAND(leak)                                                                           \
	SUBCOMMAND(diff)                                                                           \
	SUBCOMMAND(top)                                                                            \
	SUBCOMMAND(snapshot)                                                                       \
	SUBCOMMAND(where)                                                                          \
	/* a new one: its line above this one */

#define SUBCOMMAND_EXTERN(name) extern const struct subcommand kmem_##name;
#define SUBCOMMAND_ENTRY(name)	&kmem_##name,

SUBCOMMANDS(SUBCOMMAND_EXTERN)

static const struct subcommand kmem_help;

/* clang-format off */
const struct subcommand *const kmem_subcommands[] = {
	SUBCOMMANDS(SUBCOMMAND_ENTRY)
	&cmd_config, &cmd_version, &kmem_help, NULL,
};
/* clang-format on */

struct kmem_command {
	bool show_version;
};

static const struct option table[] = {
	OPT_BOOL(0, "version", struct kmem_command, show_version, "print only the version"),
	OPT_END(),
};
static const char *const usage[] = {"perf kmem [<options>] <subcommand> [<options>] [<args>]",
				    NULL};
static const struct options options = {
	.command = "perf kmem",
	.usage = usage,
	.table = table,
	.subcommands = kmem_subcommands,
	.note = "'perf kmem help <subcommand>' shows the options of a subcommand; they may stand "
		"before its name, too.",
};

static const struct option help_table[] = {OPT_END()};
static const char *const help_usage[] = {"perf kmem help [<subcommand>]", NULL};
static const struct options help_options = {"perf kmem help", help_usage, help_table};

static int run_help(int argc, const char **argv, void *context)
{
	const struct subcommand *cmd;
	struct error err = ERROR_INIT;
	int status = builtin_options(&help_options, NULL, &argc, argv, 0);

	(void)context;
	if (status >= 0)
		return status;
	cmd = argc == 1 ? subcommand_find(kmem_subcommands, argv[0]) : NULL;
	if (!argc || cmd) {
		builtin_help(cmd ? cmd->options : &options);
		return 0;
	}
	if (argc == 1)
		subcommand_unknown(kmem_subcommands, "subcommand", argv[0], &err);
	else
		error_set(&err, EINVAL, "help takes one subcommand");
	builtin_error(help_options.command, &err);
	return EXIT_USAGE;
}

static const struct subcommand kmem_help = {
	.name = "help",
	.help = "show this list, or the options of a subcommand",
	.options = &help_options,
	.run = run_help,
};

static int run_subcommand(const struct subcommand *cmd, int argc, const char **argv)
{
	struct kmem_config config;
	struct error err = ERROR_INIT;
	int status;

	/* help must work, and it must be possible to fix a bad value, if the configuration is
	 * wrong */
	if (cmd == &cmd_config || cmd == &cmd_version || cmd == &kmem_help)
		return cmd->run(argc, argv, NULL);
	if (kmem_config_load(&config, &err))
		status = builtin_error(options.command, &err);
	else
		status = cmd->run(argc, argv, &config);
	kmem_config_deinit(&config);
	return status;
}

static int run(int argc, const char **argv, void *context)
{
	struct kmem_command kmem = {.show_version = false};
	const struct subcommand *cmd;
	struct error err = ERROR_INIT;
	int status = builtin_options(&options, &kmem, &argc, argv, 0);

	(void)context;
	if (status >= 0)
		return status;
	if (kmem.show_version)
		return cmd_version.run(1, (const char *[]){"version", NULL}, NULL);
	if (!argc)
		return builtin_usage(&options);
	cmd = subcommand_find(kmem_subcommands, argv[0]);
	if (cmd)
		return run_subcommand(cmd, argc, argv);
	subcommand_unknown(kmem_subcommands, "subcommand", argv[0], &err);
	builtin_error(options.command, &err);
	return EXIT_USAGE;
}

const struct subcommand cmd_kmem = {
	.name = "kmem",
	.help = "who allocates, keeps and wastes kernel memory",
	.options = &options,
	.run = run,
};
