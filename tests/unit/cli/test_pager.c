// SPDX-License-Identifier: GPL-2.0-or-later
/* A pager needs a terminal: tests that run one put a pseudo terminal on stdout. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/skip.h"
#include "util/base/cleanup.h"
#include "util/cli/pager.h"
#include "util/cli/terminal.h"

static int open_terminal(int *ret_master)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	/* a chroot without /dev/pts */
	if (master < 0 || grantpt(master) || unlockpt(master) || access(ptsname(master), R_OK)) {
		skip_because("there are no pseudo terminals (/dev/pts)");
	}
	*ret_master = master;
	return open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
}

static void test_columns(void **state)
{
	_cleanup_close_ int master = -1;
	_cleanup_close_ int terminal = open_terminal(&master);
	struct winsize size = {.ws_row = 50, .ws_col = 133};

	(void)state;
	unsetenv("COLUMNS");
	assert_int_equal(terminal_columns(terminal), 80); /* it does not know */
	assert_int_equal(ioctl(terminal, TIOCSWINSZ, &size), 0);
	assert_int_equal(terminal_columns(terminal), 133);
	assert_int_equal(terminal_columns(-1), 80);
	setenv("COLUMNS", "200", 1);
	assert_int_equal(terminal_columns(terminal), 200);
	setenv("COLUMNS", "0", 1);
	assert_int_equal(terminal_columns(terminal), 133);
	setenv("COLUMNS", "wide", 1);
	assert_int_equal(terminal_columns(terminal), 133);
	unsetenv("COLUMNS");
}

/* In a child whose stdout is the terminal (or a pipe): write one line through the pager. */
static void page_lines_in_child(int out, int nr_lines)
{
	struct pager pager = PAGER_INIT;
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		dup2(out, STDOUT_FILENO);
		signal(SIGPIPE, SIG_IGN);
		if (pager_start(&pager, NULL))
			_exit(1);
		for (int i = 0; i < nr_lines; i++)
			printf("a line\n");
		if (!pager_finish(&pager))
			printf("again\n");
		_exit(fflush(stdout) ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void page_in_child(int out)
{
	page_lines_in_child(out, 1);
}

static void assert_output(int fd, const char *want)
{
	char buf[256] = "";

	assert_true(read(fd, buf, sizeof(buf) - 1) > 0);
	buf[strcspn(buf, "\r\n")] = '\0';
	assert_string_equal(buf, want);
}

static void test_a_terminal_gets_the_pager(void **state)
{
	_cleanup_close_ int master = -1;
	_cleanup_close_ int terminal = open_terminal(&master);

	(void)state;
	setenv("PERF_PAGER", "sed 's/^/paged /'", 1);
	page_in_child(terminal);
	assert_output(master, "paged a line");
	setenv("PERF_PAGER", "", 1);
	page_in_child(terminal);
	assert_output(master, "a line");
	unsetenv("PERF_PAGER");
	setenv("PAGER", "cat", 1);
	page_in_child(terminal);
	assert_output(master, "a line");
	setenv("PAGER", "sed 's/$/!/'", 1);
	page_in_child(terminal);
	assert_output(master, "a line!");
	unsetenv("PAGER");
}

static void test_output_of_which_there_is_only_one_is_lost_without_the_pager(void **state)
{
	_cleanup_close_ int master = -1;
	_cleanup_close_ int terminal = open_terminal(&master);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	pid_t pid;
	int status;

	(void)state;
	setenv("PERF_PAGER", "/no/such/pager", 1);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct pager pager = PAGER_INIT;
		struct error err = ERROR_INIT;

		dup2(null, STDERR_FILENO); /* hides the shell's complaint */
		dup2(terminal, STDOUT_FILENO);
		signal(SIGPIPE, SIG_IGN);
		if (pager_start(&pager, NULL) || pager_finish_once(&pager, 0, &err) != -ENOENT ||
		    err.code != ENOENT)
			_exit(1);
		if (pager_start(&pager, NULL) ||
		    pager_finish_once(&pager, -EINVAL, &err) != -EINVAL)
			_exit(2);
		setenv("PERF_PAGER", "cat >/dev/null;", 1);
		if (pager_start(&pager, NULL) || pager_finish_once(&pager, 0, NULL))
			_exit(3);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	unsetenv("PERF_PAGER");
	close(null);
}

static void test_without_the_pager_it_is_printed_again(void **state)
{
	static const char *const bad[] = {"/no/such/pager", "/tmp", "no-such-pager -x"};
	_cleanup_close_ int master = -1;
	_cleanup_close_ int terminal = open_terminal(&master);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), old = dup(STDERR_FILENO);

	(void)state;
	dup2(null, STDERR_FILENO); /* hides the shell's complaint */
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		setenv("PERF_PAGER", bad[i], 1);
		page_lines_in_child(terminal, 1);
		assert_output(master, "again");
		page_lines_in_child(terminal, 100000); /* the pipe breaks during this */
		assert_output(master, "again");
	}
	dup2(old, STDERR_FILENO);
	unsetenv("PERF_PAGER");
	close(old);
	close(null);
}

/* less is the default if it is installed. */
static void test_no_less_no_pager(void **state)
{
	_cleanup_close_ int master = -1;
	_cleanup_close_ int terminal = open_terminal(&master);
	const char *old_path = getenv("PATH");
	char dir[] = "/tmp/test_pager.XXXXXX", less[64],
	     *path = strdup(old_path ? old_path : "/bin");
	FILE *script;

	(void)state;
	assert_non_null(path);
	assert_non_null(mkdtemp(dir));
	snprintf(less, sizeof(less), "%s/less", dir);
	setenv("TERM", "vt100", 1);
	setenv("PATH", dir, 1);
	page_in_child(terminal);
	assert_output(master, "a line");
	script = fopen(less, "w");
	assert_non_null(script);
	fputs("#!/bin/sh\nread line; echo \"less: $line\"\n", script);
	fclose(script);
	assert_int_equal(chmod(less, 0700), 0);
	page_in_child(terminal);
	assert_output(master, "less: a line");
	setenv("PATH", path, 1);
	free(path);
	unlink(less);
	rmdir(dir);
}

static void test_a_pipe_gets_none(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	setenv("PERF_PAGER", "sed 's/^/paged /'", 1);
	page_in_child(fds[1]);
	assert_output(fds[0], "a line");
	unsetenv("PERF_PAGER");
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_a_terminal_gets_the_pager),
		cmocka_unit_test(test_without_the_pager_it_is_printed_again),
		cmocka_unit_test(test_output_of_which_there_is_only_one_is_lost_without_the_pager),
		cmocka_unit_test(test_no_less_no_pager),
		cmocka_unit_test(test_a_pipe_gets_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
