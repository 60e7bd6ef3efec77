// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Between fork and exec: only async-signal-safe functions. */
static void __attribute__((noreturn))
child(int go_fd, int result_fd, char *const argv[], const sigset_t *mask, int stdout_fd)
{
	char go;
	ssize_t n;
	int code;

	do
		n = read(go_fd, &go, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(0); /* the recorder gave up */
	if (stdout_fd >= 0)
		dup2(stdout_fd, STDOUT_FILENO);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	code = errno;
	n = write(result_fd, &code, sizeof(code));
	(void)n;
	_exit(127);
}

int workload_fork(struct workload *w, char *const argv[], const sigset_t *mask, int stdout_fd,
		  struct error *err)
{
	int go[2], result[2];

	*w = (struct workload){.go_fd = -1, .result_fd = -1, .name = argv[0]};
	if (pipe2(go, O_CLOEXEC))
		return error_set_errno(err, errno, "cannot make a pipe");
	if (pipe2(result, O_CLOEXEC)) {
		int code = errno;

		close(go[0]);
		close(go[1]);
		return error_set_errno(err, code, "cannot make a pipe");
	}
	w->pid = fork();
	if (w->pid == 0) {
		close(go[1]);
		child(go[0], result[1], argv, mask, stdout_fd);
	}
	close(go[0]);
	close(result[1]);
	w->go_fd = go[1];
	w->result_fd = result[0];
	if (w->pid < 0) {
		int code = errno;

		w->pid = 0;
		workload_deinit(w);
		return error_set_errno(err, code, "cannot fork");
	}
	return 0;
}

int workload_start(struct workload *w, struct error *err)
{
	ssize_t n;
	int code;

	if (write(w->go_fd, "", 1) != 1)
		return error_set_errno(err, errno, "cannot start '%s'", w->name);
	close_fd(&w->go_fd);
	/* A successful exec closes the pipe: end of file is success. */
	do
		n = read(w->result_fd, &code, sizeof(code));
	while (n < 0 && errno == EINTR);
	close_fd(&w->result_fd);
	if (n != sizeof(code))
		return 0;
	waitpid(w->pid, NULL, 0);
	w->pid = 0;
	w->status = code == ENOENT ? 127 : 126;
	if (code == ENOENT && !strchr(w->name, '/'))
		return error_set(err, code, "cannot run '%s': command not found", w->name);
	return error_set_errno(err, code, "cannot run '%s'", w->name);
}

bool workload_ended(struct workload *w)
{
	int status;

	if (!w->pid)
		return true;
	if (waitpid(w->pid, &status, WNOHANG) != w->pid)
		return false;
	w->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	w->pid = 0;
	return true;
}

void workload_deinit(struct workload *w)
{
	/* Without the go byte the child exits by itself. Once started, we must not kill it. */
	if (w->go_fd >= 0) {
		close_fd(&w->go_fd);
		if (w->pid)
			waitpid(w->pid, NULL, 0);
	}
	close_fd(&w->result_fd);
	w->pid = 0;
}
