// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/cli/next_program.h"

static bool is_installed(const char *name)
{
	_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT;

	return next_program_find(name, &path);
}

/* Returns the pager for stdout; NULL if there is none. */
static const char *pager_command(void)
{
	const char *command = getenv("PERF_PAGER");
	const char *term = getenv("TERM");

	if (!command)
		command = getenv("PAGER");
	if (!command) {
		if (!term || !strcmp(term, "dumb"))
			return NULL;
		if (!is_installed("less"))
			return NULL;
		command = "less";
	}
	if (!*command || !strcmp(command, "cat") || !isatty(STDOUT_FILENO))
		return NULL;
	return command;
}

/* Runs in the child; the pipe becomes its stdin. */
static void run_pager(const char *command, int fd)
{
	if (dup2(fd, STDIN_FILENO) >= 0) {
		/* quit if it fits on one screen, pass colours, leave the text on the screen */
		setenv("LESS", "FRX", 0);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	}
	_exit(127);
}

int pager_start(struct pager *pager, struct error *err)
{
	const char *command = pager_command();
	int fds[2];
	pid_t pid;

	pager->pid = 0;
	if (!command)
		return 0;
	if (pipe2(fds, O_CLOEXEC))
		return error_set_errno(err, errno, "cannot make a pipe for the pager");
	pager->plain_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	fflush(stdout);
	pid = fork();
	if (pid < 0) {
		int code = errno;

		close(fds[0]);
		close(fds[1]);
		close(pager->plain_fd);
		return error_set_errno(err, code, "cannot start the pager '%s'", command);
	}
	if (!pid)
		run_pager(command, fds[0]);
	close(fds[0]);
	dup2(fds[1], STDOUT_FILENO);
	close(fds[1]);
	pager->pid = pid;
	return 0;
}

/* Whether sh returned this status because the command does not exist, or cannot be run. */
static bool was_not_run(int status)
{
	return WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127);
}

/* Reconnect stdout to its output before the pager, and clear its error. */
static bool go_back(const struct pager *pager)
{
	if (pager->plain_fd < 0 || dup2(pager->plain_fd, STDOUT_FILENO) < 0)
		return false;
	clearerr(stdout);
	return true;
}

bool pager_finish(struct pager *pager)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old_int, old_quit;
	bool plain = false;
	int null_fd, status = 0;

	if (!pager->pid)
		return true;
	fflush(stdout);
	/* this closes the last writer of the pipe, so the pager sees its end; the descriptor stays
	 * in use */
	null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null_fd >= 0) {
		dup2(null_fd, STDOUT_FILENO);
		close(null_fd);
	} else {
		close(STDOUT_FILENO);
	}
	/* Ctrl-C in the pager is for the pager */
	sigaction(SIGINT, &ignore, &old_int);
	sigaction(SIGQUIT, &ignore, &old_quit);
	while (waitpid(pager->pid, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGQUIT, &old_quit, NULL);
	pager->pid = 0;
	if (was_not_run(status))
		plain = go_back(pager);
	close(pager->plain_fd);
	return !plain;
}

int pager_finish_once(struct pager *pager, int ret, struct error *err)
{
	if (pager_finish(pager) || ret)
		return ret;
	return error_set(
		err, ENOENT,
		"the pager could not be run; set PERF_PAGER to one that exists, or to cat");
}
