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

const char *pager_command(void)
{
	const char *command = getenv("PERF_PAGER");
	const char *term = getenv("TERM");

	if (!command)
		command = getenv("PAGER");
	if (!command) {
		if (!term || !strcmp(term, "dumb"))
			return NULL;
		command = "less";
	}
	if (!*command || !strcmp(command, "cat") || !isatty(STDOUT_FILENO))
		return NULL;
	return command;
}

/* In the child: the pipe is its stdin. */
static void run_pager(const char *command, int fd)
{
	if (dup2(fd, STDIN_FILENO) >= 0) {
		/* quit if it fits one screen, pass colours, leave the text on the screen */
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
	fflush(stdout);
	pid = fork();
	if (pid < 0) {
		int code = errno;

		close(fds[0]);
		close(fds[1]);
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

void pager_finish(struct pager *pager)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old_int, old_quit;
	int null_fd;

	if (!pager->pid)
		return;
	fflush(stdout);
	/* the pipe's last writer: the pager sees the end; the descriptor stays taken */
	null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null_fd >= 0) {
		dup2(null_fd, STDOUT_FILENO);
		close(null_fd);
	} else {
		close(STDOUT_FILENO);
	}
	/* Ctrl-C in the pager is the pager's */
	sigaction(SIGINT, &ignore, &old_int);
	sigaction(SIGQUIT, &ignore, &old_quit);
	while (waitpid(pager->pid, NULL, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGQUIT, &old_quit, NULL);
	pager->pid = 0;
}
