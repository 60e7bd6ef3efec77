// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "util/base/label.h"

static const char *const names[] = {"bash", "",	   "unknownx", "unknow", ":",	 ":-",
				    ":1x",  "::1", "[other]",  "--",	 "a\"b", "kernel.core"};
static const char *const labels[] = {"unknown", "none", "kernel", "[others]",
				     "-",	":-1",	":123",	  "unloaded module"};

static void assert_interned(const char *name, const char *want)
{
	struct intern it;

	intern_init(&it);
	for (int passing = 0; passing < 2; passing++) {
		uint32_t number = label_intern(&it, name, strlen(name), passing);

		assert_int_not_equal(number, INTERN_NONE);
		assert_string_equal(intern_get(&it, number, NULL), want);
	}
	intern_deinit(&it);
}

static void test_names_stay_as_they_are(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_false(label_collides(names[i], strlen(names[i])));
		assert_interned(names[i], names[i]);
	}
}

static void test_labels_are_quoted(void **state)
{
	char want[64];

	(void)state;
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		snprintf(want, sizeof(want), "\"%s\"", labels[i]);
		assert_interned(labels[i], want);
	}
	assert_true(label_collides(label_unknown, strlen(label_unknown)));
}

/* Otherwise two names could become one. */
static void test_a_quote_at_the_start_is_quoted(void **state)
{
	(void)state;
	assert_interned("\"unknown\"", "\"\"unknown\"\"");
	assert_interned("\"", "\"\"\"");
}

static void test_part_of_a_strbuf(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_addstr(&sb, "in none");
	label_strbuf(&sb, 3);
	assert_string_equal(sb.buf, "in \"none\"");
	label_strbuf(&sb, 1);
	assert_string_equal(sb.buf, "in \"none\"");
	strbuf_deinit(&sb);
}

static void test_a_name_that_cannot_grow(void **state)
{
	char function[] = "unknown", quote[] = "\"x", other[] = "vfree";

	(void)state;
	assert_string_equal(label_fixed(function), "\"unknown\"");
	assert_string_equal(label_fixed(quote), "?x");
	assert_ptr_equal(label_fixed(other), other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_stay_as_they_are),
		cmocka_unit_test(test_labels_are_quoted),
		cmocka_unit_test(test_a_quote_at_the_start_is_quoted),
		cmocka_unit_test(test_part_of_a_strbuf),
		cmocka_unit_test(test_a_name_that_cannot_grow),
	};

	return cmocka_run_group_tests_name("label", tests, NULL, NULL);
}
