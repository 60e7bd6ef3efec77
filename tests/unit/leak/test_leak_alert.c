// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "util/base/array.h"
#include "util/leak/leak_alert.h"

static void test_conditions_are_parsed(void **state)
{
	struct leak_alert a = {.text = NULL};

	(void)state;
	assert_int_equal(leak_alert_parse(&a, "leaking>1MB", NULL), 0);
	assert_string_equal(a.text, "leaking>1MB");
	assert_int_equal(a.behaviours, 1u << LEAK_LEAKING);
	assert_int_equal(a.bytes, 1 << 20);
	assert_int_equal(leak_alert_parse(&a, "growing,leaking>0", NULL), 0);
	assert_int_equal(a.behaviours, 1u << LEAK_LEAKING | 1u << LEAK_GROWING);
	assert_int_equal(a.bytes, 0);
}

static void test_other_text_is_refused(void **state)
{
	static const char *const texts[] = {"",		  ">",	       "leaking",    "leaking>",
					    "leaking>1X", "leak>1",    "leakingg>1", "leaking,>1",
					    ",leaking>1", "plateau>1", "leaking<1",  "leaking>-1",
					    "leaking >1"};
	struct leak_alert a = {.text = "kept"};

	(void)state;
	for (size_t i = 0; i < NR_OF(texts); i++)
		assert_int_equal(leak_alert_parse(&a, texts[i], NULL), -EINVAL);
	assert_string_equal(a.text, "kept");
}

static void test_it_holds_for_more_than_the_bytes(void **state)
{
	struct leak_who who[] = {
		{.behaviour = LEAK_LEAKING, .bytes = 1024},
		{.behaviour = LEAK_GROWING, .bytes = 4096},
	};
	static const struct {
		const char *text;
		bool holds;
	} cases[] = {
		{"leaking>1023", true}, {"leaking>1K", false},	      {"growing>4095", true},
		{"growing>4K", false},	{"leaking,growing>2K", true}, {"leaking>2K", false},
	};
	struct leak l = {.end_ns = 0};
	struct leak_alert a;

	(void)state;
	l.rows[ACCOUNT_page].whos = (struct leak_whos){.v = who, .nr = NR_OF(who)};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		assert_int_equal(leak_alert_parse(&a, cases[i].text, NULL), 0);
		assert_int_equal(leak_alert_holds(&a, &l), cases[i].holds);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conditions_are_parsed),
		cmocka_unit_test(test_other_text_is_refused),
		cmocka_unit_test(test_it_holds_for_more_than_the_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
