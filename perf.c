// SPDX-License-Identifier: GPL-2.0-or-later
/* The driver: chooses the command, and checks stdout at the end. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin/command.h"
#include "builtin/complete.h"
#include "util/cli/next_program.h"

#define COMMAND(name) &cmd_##name,

const struct subcommand *const perf_commands[] = {PERF_COMMANDS(COMMAND) NULL};

/* argv[0] is the command's name. */
static int run_command(const struct subcommand *cmd, int argc, const char **argv)
{
	/* it may still hand over to the next perf */
	if (!cmd->hands_over)
		next_program_forget();
	return cmd->run(argc, argv, NULL);
}

static int run_option(int argc, const char **argv)
{
	const char *word = argv[1];

	if (!strcmp(word, "--version") || !strcmp(word, "-v")) {
		argv[1] = "version";
		return cmd_version.run(argc - 1, argv + 1, NULL);
	}
	if (!strcmp(word, "-vv")) {
		const char *args[] = {"version", "--build-options", NULL};

		return cmd_version.run(2, args, NULL);
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		argv[1] = "help";
		return cmd_help.run(argc - 1, argv + 1, NULL);
	}
	return builtin_hand_over(argv);
}

/* A link named perf-COMMAND is that command; any other name than perf means kmem. */
static const struct subcommand *command_of_name(void)
{
	const char *name = program_invocation_short_name;

	if (builtin_called_kmem())
		return subcommand_find(perf_commands, "kmem");
	return strncmp(name, "perf-", 5) ? NULL : subcommand_find(perf_commands, name + 5);
}

static int run(int argc, const char **argv)
{
	const struct subcommand *cmd = command_of_name();

	if (argc > 1 && !strcmp(argv[1], BUILTIN_COMPLETE))
		return builtin_complete(argc - 2, argv + 2);
	if (cmd) {
		argv[0] = cmd->name;
		return run_command(cmd, argc, argv);
	}
	if (argc > 1 && !strcmp(argv[1], "--no-pager")) {
		/* in the environment, so that a perf that we hand over to sees it, too */
		setenv("PERF_PAGER", "cat", 1);
		argv[1] = argv[0];
		argc--;
		argv++;
	}
	if (argc < 2) {
		const char *args[] = {"help", NULL};

		cmd_help.run(1, args, NULL);
		return EXIT_USAGE;
	}
	if (argv[1][0] == '-')
		return run_option(argc, argv);
	cmd = subcommand_find(perf_commands, argv[1]);
	if (cmd)
		return run_command(cmd, argc - 1, argv + 1);
	return builtin_hand_over(argv);
}

/* Make sure that descriptors 0 to 2 are open: otherwise a file that we write could become some
 * program's stdout. */
static void open_missing_fds(void)
{
	for (;;) {
		int fd = open("/dev/null", O_RDONLY);

		if (fd < 0)
			return;
		if (fd > STDERR_FILENO) {
			close(fd);
			return;
		}
	}
}

static void on_sigpipe(int sig)
{
	(void)sig;
}

/* A handler, unlike SIG_IGN, is not inherited by the programs that we run. */
static void catch_sigpipe(void)
{
	struct sigaction action = {.sa_handler = on_sigpipe, .sa_flags = SA_RESTART};

	sigaction(SIGPIPE, &action, NULL);
}

/* All output must have been written, unless the reader closed the pipe. */
static int finish_stdout(int status)
{
	bool failed = ferror(stdout);
	struct error err = ERROR_INIT;
	int code = 0;

	/* if an earlier write failed its errno is lost: write again to get it */
	if (failed)
		putchar('\n');
	errno = 0;
	if (fflush(stdout)) {
		failed = true;
		code = errno;
	}
	if (!failed || code == EPIPE)
		return status;
	if (code)
		error_set_errno(&err, code, "cannot write the output");
	else
		error_set(&err, EIO, "cannot write the output");
	builtin_error("perf", &err);
	return status ? status : EXIT_FAILURE;
}

int main(int argc, const char **argv)
{
	const char *nameless[] = {"perf", NULL};

	open_missing_fds();
	catch_sigpipe();
	if (argc < 1) {
		argc = 1;
		argv = nameless;
	}
	return finish_stdout(run(argc, argv));
}
