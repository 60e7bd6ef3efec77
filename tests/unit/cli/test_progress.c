// SPDX-License-Identifier: GPL-2.0-or-later
/* The progress line and the status line below it, written to memory. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/base/log.h"
#include "util/cli/progress.h"

#define MS 1000000ull
#define S  1000000000ull

struct terminal {
	FILE *out;
	char *text;
	size_t size, seen;
};

static int open_terminal(void **state)
{
	struct terminal *t = calloc(1, sizeof(*t));

	t->out = open_memstream(&t->text, &t->size);
	setenv("COLUMNS", "100", 1);
	*state = t;
	return !t->out;
}

static int close_terminal(void **state)
{
	struct terminal *t = *state;

	log_set_status_line(false);
	fclose(t->out);
	free(t->text);
	free(t);
	return 0;
}

/* The text written since the last call. */
static const char *written(struct terminal *t)
{
	size_t from = t->seen;

	fflush(t->out);
	t->seen = t->size;
	return t->text + from;
}

static void test_nothing_in_the_first_second(void **state)
{
	struct terminal *t = *state;
	struct progress p;

	progress_init(&p, t->out, 7 * S);
	progress_update(&p, 7 * S, 0, 100, 0);
	progress_update(&p, 8 * S - 1, 50, 100, 1000);
	progress_clear(&p);
	assert_string_equal(written(t), "");
}

static void test_four_lines_a_second(void **state)
{
	struct terminal *t = *state;
	struct progress p;
	int lines = 0;

	progress_init(&p, t->out, S);
	for (uint64_t ms = 0; ms < 3000; ms++) {
		progress_update(&p, S + ms * MS, ms, 3000, ms);
		lines += *written(t) != '\0';
	}
	assert_int_equal(lines, 8);
}

static void test_percent_rate_and_rest(void **state)
{
	struct terminal *t = *state;
	struct progress p;

	progress_init(&p, t->out, S);
	progress_update(&p, 3 * S, 1 << 20, 4 << 20, 2469134);
	assert_string_equal(
		written(t),
		"\r[ 25 % of 4.0 MiB: 2,469,134 events, 1,234,567 events/s, 6 s left ]\033[K");
	/* the rate is the current one, the remaining time is based on the whole run */
	progress_update(&p, 4 * S, 3 << 20, 4 << 20, 2469144);
	assert_string_equal(written(t),
			    "\r[ 75 % of 4.0 MiB: 2,469,144 events, 10 events/s, 1 s left ]\033[K");
	/* a file that grew */
	progress_update(&p, 5 * S, 5 << 20, 4 << 20, 2469144);
	assert_string_equal(written(t),
			    "\r[ 100 % of 4.0 MiB: 2,469,144 events, 0 events/s, 0 s left ]\033[K");
}

static void test_long_rests(void **state)
{
	static const struct {
		uint64_t bytes, total;
		const char *left;
	} cases[] = {
		{1, 30, ", 58 s left ]"},
		{1, 31, ", 1 min 0 s left ]"},
		{1, 51, ", 1 min 40 s left ]"},
		{1, 3601, ", 2 h 0 min left ]"},
		{1, 180001, ", 100 h 0 min left ]"},
		{1, 180002, " events/s ]"},
		{1, UINT64_MAX, " events/s ]"},
		{0, 100, " events/s ]"},
	};
	struct terminal *t = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct progress p;

		progress_init(&p, t->out, 0);
		progress_update(&p, 2 * S, cases[i].bytes, cases[i].total, 1);
		assert_non_null(strstr(written(t), cases[i].left));
	}
}

static void test_a_pipe_has_no_percent(void **state)
{
	struct terminal *t = *state;
	struct progress p;

	progress_init(&p, t->out, S);
	progress_update(&p, 2 * S, 5 << 20, 0, 1000);
	assert_string_equal(written(t), "\r[ 5.0 MiB: 1,000 events, 1,000 events/s ]\033[K");
}

static void test_clearing_erases_once(void **state)
{
	struct terminal *t = *state;
	struct progress p;

	progress_init(&p, t->out, S);
	progress_update(&p, 2 * S, 1, 0, 1);
	assert_true(*written(t));
	progress_clear(&p);
	assert_string_equal(written(t), "\r\033[K");
	progress_clear(&p);
	assert_string_equal(written(t), "");
}

static void test_a_line_fits_the_terminal(void **state)
{
	struct terminal *t = *state;
	struct status_line line = {t->out};

	setenv("COLUMNS", "10", 1);
	status_line_show(&line, "%s", "0123456789abcdef");
	assert_string_equal(written(t), "\r012345678\033[K");
}

/* A log message in a child whose stderr is a pipe. */
static void test_the_log_erases_the_line_before_a_message(void **state)
{
	int fds[2], saved = dup(STDERR_FILENO);
	struct terminal *t = *state;
	struct status_line line = {t->out};
	char text[256];
	ssize_t n;

	assert_int_equal(pipe(fds), 0);
	dup2(fds[1], STDERR_FILENO);
	log_warn("one");
	status_line_show(&line, "line");
	log_debug("not shown, so it erases nothing");
	log_warn("two");
	log_warn("three");
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(fds[1]);
	n = read(fds[0], text, sizeof(text) - 1);
	close(fds[0]);
	assert_true(n > 0);
	text[n] = '\0';
	assert_string_equal(
		text, "perf: warning: one\n\r\033[Kperf: warning: two\nperf: warning: three\n");
	written(t);
	status_line_clear(&line);
	assert_string_equal(written(t), "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_terminal, close_terminal)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nothing_in_the_first_second),
		TEST(test_four_lines_a_second),
		TEST(test_percent_rate_and_rest),
		TEST(test_long_rests),
		TEST(test_a_pipe_has_no_percent),
		TEST(test_clearing_erases_once),
		TEST(test_a_line_fits_the_terminal),
		TEST(test_the_log_erases_the_line_before_a_message),
	};

	program_invocation_short_name = (char *)"perf"; /* messages begin with it */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
