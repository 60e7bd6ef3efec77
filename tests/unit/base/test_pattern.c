// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/base/pattern.h"

static void matches(const char *text, const char *name, int want)
{
	struct error err = ERROR_INIT;
	regex_t re;

	if (pattern_compile(&re, text, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(!regexec(&re, name, 0, NULL, 0), want);
	regfree(&re);
}

static void refused(const char *text, const char *want)
{
	struct error err = ERROR_INIT;
	regex_t re;

	assert_int_equal(pattern_compile(&re, text, &err), -EINVAL);
	if (!strstr(err.msg, want))
		fail_msg("'%s' without '%s'", err.msg, want);
}

static void test_what_people_write_is_compiled(void **state)
{
	(void)state;
	matches("", "x", 1);
	matches("^(alloc|get)_pages?$", "alloc_page", 1);
	matches("^_{0,3}(folio_alloc|vma_alloc_folio)", "__folio_alloc", 1);
	matches("[]a]{2}b", "]ab", 1);
	matches("[^]{3000}]x", "yx", 1);
	matches("[[:digit:]]+", "a1", 1);
	matches("[{(]\\{9999,", "({9999,", 1);
	matches("(a+)+b", "aaab", 1);
	matches("(.*){10,}", "abc", 1);
	matches("a{200}", "a", 0);
}

static void test_what_is_wrong_is_told(void **state)
{
	(void)state;
	refused("(", "'(' is not a regular expression: Unmatched (");
	refused("a{2,1}", "is not a regular expression");
	refused("[a", "is not a regular expression");
}

static void test_what_would_take_all_memory_is_refused(void **state)
{
	char deep[512] = "", longer[PATTERN_PARTS_MAX + 2];

	(void)state;
	refused("(.*){10,}{10,}{10,}{10,}", "too large");
	refused("((((((a{9}){9}){9}){9}){9}){9}){9}", "too large");
	refused("a{32767}", "too large");
	refused("a{99999999999999999999}", "too large");
	refused("((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+", "too large");
	refused("(a|b{1000}){1000}", "too large");
	refused("[[:x:]{5}]{2001}", "too large");
	memset(deep, '(', 40);
	refused(deep, "nested too deep");
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	refused(longer, "too large");
	longer[PATTERN_PARTS_MAX] = '\0';
	matches(longer, "a", 0);
}

static void test_it_does_not_refer_back(void **state)
{
	(void)state;
	refused("(a*)*\\1", "refers back");
	matches("a\\\\1", "a\\1", 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_people_write_is_compiled),
		cmocka_unit_test(test_what_is_wrong_is_told),
		cmocka_unit_test(test_what_would_take_all_memory_is_refused),
		cmocka_unit_test(test_it_does_not_refer_back),
	};

	return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
