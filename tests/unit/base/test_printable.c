// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "util/base/printable.h"

static void check(const char *text, const char *want)
{
	char name[64];
	size_t len;

	snprintf(name, sizeof(name), "%s", text);
	len = printable_make(name);
	assert_string_equal(name, want);
	assert_int_equal(len, strlen(want));
}

static void test_names_stay_as_they_are(void **state)
{
	(void)state;
	check("", "");
	check("kmalloc-64", "kmalloc-64");
	check("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80~",
	      "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80~");
}

static void test_controls_are_replaced(void **state)
{
	(void)state;
	check("a\nb\x1b[2J\x7f", "a?b?[2J?");
	check("\t\r", "??");
	/* CSI as one character, and as a byte that is not UTF-8 */
	check("\xc2\x9b"
	      "2J",
	      "?2J");
	check("\x9b"
	      "2J",
	      "?2J");
}

static void test_what_turns_the_line_is_replaced(void **state)
{
	(void)state;
	check("\xe2\x80\xaa\xe2\x80\xae", "??"); /* U+202A, U+202E */
	check("\xe2\x81\xa6\xe2\x81\xa9", "??"); /* U+2066, U+2069 */
	check("\xe2\x80\x8e\xe2\x80\xa8\xd8\x9c\xef\xbb\xbf", "????");
	/* their neighbours are not */
	check("\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\x9f\xe2\x81\xb0",
	      "\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\x9f\xe2\x81\xb0");
}

/* Invisible characters would make two names look the same. */
static void test_what_is_not_seen_is_replaced(void **state)
{
	(void)state;
	check("ba\xe2\x80\x8bsh", "ba?sh");		      /* U+200B */
	check("\xe2\x80\x8c\xe2\x80\x8d\xc2\xad", "???");     /* U+200C, U+200D, U+00AD */
	check("\xe2\x81\xa0\xe1\x85\x9f\xe3\x85\xa4", "???"); /* U+2060, U+115F, U+3164 */
	check("\xef\xb8\x8f\xef\xbf\xb9", "??");	      /* U+FE0F, U+FFF9 */
	check("\xf3\xa0\x81\xa1\xf3\xa0\x84\x80", "??");      /* U+E0061, U+E0100 */
}

static void test_what_is_not_utf8_is_replaced(void **state)
{
	(void)state;
	check("\xff\xfe", "??");
	check("\xc3\xa9t\xc3", "\xc3\xa9t?");
	check("\xe2\x82\xac\xe2\x82", "\xe2\x82\xac??");
	check("\xc0\x9b", "??");		     /* overlong */
	check("\xe0\x80\x9b", "???");		     /* overlong */
	check("\xed\xa0\x80", "???");		     /* a surrogate */
	check("\xf4\x90\x80\x80\xf5\x80", "??????"); /* beyond Unicode */
}

static void test_a_strbuf_from_a_place_on(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_add(&sb, "a\nb\n\0\x1b", 6);
	printable_strbuf(&sb, 2);
	assert_string_equal(sb.buf, "a\nb???");
	printable_strbuf(&sb, sb.len);
	printable_strbuf(&sb, 0);
	assert_string_equal(sb.buf, "a?b???");
	strbuf_deinit(&sb);
}

static void test_characters_are_counted(void **state)
{
	(void)state;
	assert_int_equal(utf8_count("", 0), 0);
	assert_int_equal(utf8_count("kmalloc", 3), 3);
	assert_int_equal(utf8_count("caf\xc3\xa9 \xe2\x82\xac", 9), 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_stay_as_they_are),
		cmocka_unit_test(test_controls_are_replaced),
		cmocka_unit_test(test_what_turns_the_line_is_replaced),
		cmocka_unit_test(test_what_is_not_seen_is_replaced),
		cmocka_unit_test(test_what_is_not_utf8_is_replaced),
		cmocka_unit_test(test_a_strbuf_from_a_place_on),
		cmocka_unit_test(test_characters_are_counted),
	};

	return cmocka_run_group_tests_name("printable", tests, NULL, NULL);
}
