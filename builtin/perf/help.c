// SPDX-License-Identifier: GPL-2.0-or-later
/* perf help: the list of commands, or the manual of one. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "builtin/command.h"
#include "util/base/cleanup.h"
#include "util/base/strbuf.h"
#include "util/cli/next_program.h"
#include "util/cli/terminal.h"

/*
 * Replace this process by man, with the page that came with this program; returns if there is none.
 * The page is given by its path, because `man perf-kmem` could show another perf's.
 */
static void show_man_page(const char *command)
{
	static const char *const places[] = {
		"../share/man/man1/perf-%s.1", "../share/man/man1/perf-%s.1.gz",
		"../../Documentation/perf-%s.1" /* not installed: run as build/<variant>/perf */
	};
	char dir[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", dir, sizeof(dir) - 1);
	char *slash;

	if (n <= 0)
		return;
	dir[n] = '\0';
	slash = strrchr(dir, '/');
	if (!slash)
		return;
	*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT;
		const char *mark = strstr(places[i], "%s");

		strbuf_addf(&path, "%s/%.*s%s%s", dir, (int)(mark - places[i]), places[i], command,
			    mark + 2);
		if (path.failed || access(path.buf, R_OK))
			continue;
		fflush(stdout);
		next_program_forget();
		execlp("man", "man", path.buf, (char *)NULL);
		return;
	}
}

static void list(void)
{
	_cleanup_(strbuf_deinit) struct strbuf other = STRBUF_INIT;
	int columns = terminal_columns(STDOUT_FILENO);

	puts("usage: perf [--version] [--help] [--no-pager] <command> [<args>]\n\nCommands:");
	subcommand_list(perf_commands, stdout, columns);
	putchar('\n');
	if (next_program_find("perf", &other)) {
		strbuf_addstr(&other, " runs all other commands; it is the next perf on PATH.");
		wrap_text(stdout, other.buf, 0, 0, columns);
	}
	puts("'perf help <command>' shows a command's manual.");
}

static const struct option table[] = {OPT_END()};
static const char *const usage[] = {"perf help [<command>]", NULL};
static const struct options options = {"perf help", usage, table};

static int run(int argc, const char **argv, void *context)
{
	const struct subcommand *cmd;
	int status = builtin_options(&options, NULL, &argc, argv, 0);

	(void)context;
	if (status >= 0)
		return status;
	if (argc > 1)
		return builtin_misused(&options, "'%s': help takes one command", argv[1]);
	if (!argc) {
		list();
		return 0;
	}
	cmd = subcommand_find(perf_commands, argv[0]);
	if (!cmd) {
		const char *other[] = {"perf", "help", argv[0], NULL};

		if (builtin_next_exists())
			return builtin_hand_over(other);
		other[1] = argv[0];
		return builtin_hand_over(other);
	}
	show_man_page(cmd->name);
	builtin_help(cmd->options);
	return 0;
}

const struct subcommand cmd_help = {
	.name = "help",
	.hands_over = true,
	.help = "show this list, or a command's manual",
	.options = &options,
	.run = run,
};
