// SPDX-License-Identifier: GPL-2.0-or-later
/* A pager needs a terminal: the tests that run one put a pseudo terminal on stdout. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/base/cleanup.h"
#include "util/cli/pager.h"
#include "util/cli/terminal.h"

static int open_terminal(int *ret_master)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	assert_true(master >= 0);
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
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
static void page_in_child(int out)
{
	struct pager pager = PAGER_INIT;
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		dup2(out, STDOUT_FILENO);
		if (pager_start(&pager, NULL))
			_exit(1);
		printf("a line\n");
		pager_finish(&pager);
		_exit(fflush(stdout) ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
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
		cmocka_unit_test(test_a_pipe_gets_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
