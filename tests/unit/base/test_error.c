// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/base/error.h"

static void test_set_returns_the_negative_code(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(error_set(&err, ENOENT, "no '%s' at %d", "x", 7), -ENOENT);
	assert_int_equal(err.code, ENOENT);
	assert_string_equal(err.msg, "no 'x' at 7");
}

static void test_set_errno_adds_its_text(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(error_set_errno(&err, EACCES, "cannot open '%s'", "f"), -EACCES);
	assert_string_equal(err.msg, "cannot open 'f': Permission denied");
}

static void test_prefix_keeps_code_and_message(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	error_set(&err, EINVAL, "bad size");
	assert_int_equal(error_prefix(&err, "record %d", 3), -EINVAL);
	assert_int_equal(error_prefix(&err, "'perf.data'"), -EINVAL);
	assert_string_equal(err.msg, "'perf.data': record 3: bad size");
}

static void test_nomem(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(error_nomem(&err), -ENOMEM);
	assert_int_equal(err.code, ENOMEM);
	assert_string_equal(err.msg, "out of memory");
}

static void test_null_is_allowed(void **state)
{
	(void)state;
	assert_int_equal(error_set(NULL, EIO, "x"), -EIO);
	assert_int_equal(error_set_errno(NULL, EIO, "x"), -EIO);
	assert_int_equal(error_nomem(NULL), -ENOMEM);
	assert_true(error_prefix(NULL, "x") < 0);
}

/* A message that does not fit is truncated, never written past its end. */
static void test_long_messages_are_cut(void **state)
{
	struct {
		struct error err;
		char after[8];
	} s = {.err = ERROR_INIT, .after = "guarded"};
	char big[2 * ERROR_MSG_MAX];

	(void)state;
	memset(big, 'a', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	assert_int_equal(error_set(&s.err, EIO, "%s", big), -EIO);
	assert_int_equal(strlen(s.err.msg), ERROR_MSG_MAX - 1);
	assert_int_equal(error_prefix(&s.err, "%s", "why"), -EIO);
	assert_int_equal(strlen(s.err.msg), ERROR_MSG_MAX - 1);
	assert_memory_equal(s.err.msg, "why: aaa", 8);
	assert_int_equal(error_prefix(&s.err, "%s", big), -EIO);
	assert_int_equal(error_set_errno(&s.err, EIO, "%s", big), -EIO);
	assert_string_equal(s.after, "guarded");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_returns_the_negative_code),
		cmocka_unit_test(test_set_errno_adds_its_text),
		cmocka_unit_test(test_prefix_keeps_code_and_message),
		cmocka_unit_test(test_nomem),
		cmocka_unit_test(test_null_is_allowed),
		cmocka_unit_test(test_long_messages_are_cut),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
