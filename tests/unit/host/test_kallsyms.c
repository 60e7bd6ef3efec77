// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/host/kallsyms.h"

static void assert_line(const char **pos, const char *end, uint64_t address, char type,
			const char *name, const char *module)
{
	struct kallsyms_line l;

	assert_true(kallsyms_next(pos, end, &l));
	assert_true(l.address == address);
	assert_int_equal(l.type, type);
	assert_int_equal(l.name_len, strlen(name));
	assert_memory_equal(l.name, name, l.name_len);
	assert_int_equal(l.module != NULL, module != NULL);
	if (module) {
		assert_int_equal(l.module_len, strlen(module));
		assert_memory_equal(l.module, module, l.module_len);
	}
}

static void test_the_kernel_and_its_modules(void **state)
{
	static const char text[] = "ffffffff81000000 T _text\n"
				   "ffffffff81000100 t do_one.isra.0\n"
				   "ffffffffc0000000 t init\t[ext4]\n"
				   "0 D last";
	const char *pos = text, *end = text + sizeof(text) - 1;
	struct kallsyms_line l;

	(void)state;
	assert_line(&pos, end, 0xffffffff81000000, 'T', "_text", NULL);
	assert_line(&pos, end, 0xffffffff81000100, 't', "do_one.isra.0", NULL);
	assert_line(&pos, end, 0xffffffffc0000000, 't', "init", "ext4");
	assert_line(&pos, end, 0, 'D', "last", NULL); /* its newline is missing */
	assert_false(kallsyms_next(&pos, end, &l));
}

static void test_what_is_no_line_is_passed_over(void **state)
{
	static const char text[] = "\n"
				   "T no_address\n"
				   "12 T\n"
				   "12 T \n"
				   "12 T  two_blanks\n"
				   "12\tT\ttabs\n"
				   "FF T upper_case\n"
				   "ff T good [unclosed\n";
	const char *pos = text, *end = text + sizeof(text) - 1;
	struct kallsyms_line l;

	(void)state;
	assert_line(&pos, end, 0xff, 'T', "good", NULL);
	assert_false(kallsyms_next(&pos, end, &l));
}

static void test_a_text_that_is_cut_anywhere(void **state)
{
	static const char text[] = "ff T a\t[m]\n12 t b\n";

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		const char *pos = text;
		struct kallsyms_line l;
		unsigned int nr = 0;

		for (; kallsyms_next(&pos, text + len, &l); nr++)
			assert_true(l.text + l.len <= text + len);
		assert_int_equal(nr, (len > 5) + (len > 16));
		assert_ptr_equal(pos, text + len);
	}
}

/* Digits are read eight at a time: each other character, at each place, ends the address. */
static void test_addresses_of_any_length(void **state)
{
	static const char digits[] = "0123456789abcdef0a9f";

	(void)state;
	for (size_t len = 1; len < sizeof(digits); len++) {
		char text[64];
		const char *pos = text;
		int size = snprintf(text, sizeof(text), "%.*s T f\n", (int)len, digits);
		uint64_t address = 0;

		for (size_t i = 0; i < len; i++)
			address = address << 4 | (uint64_t)strtol((char[]){digits[i], 0}, NULL, 16);
		assert_line(&pos, text + size, address, 'T', "f", NULL);
	}
}

static void test_characters_that_are_no_digits(void **state)
{
	(void)state;
	for (int c = 0; c < 256; c++)
		for (size_t at = 0; at < 16; at++) {
			char text[] = "0123456789abcdef T f\n";
			const char *pos = text;
			struct kallsyms_line l;
			bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');

			text[at] = (char)c;
			/* a newline starts another line; the 'f' after a blank could be a type */
			if ((c != '\n' || at == 15) && (c != ' ' || at != 14))
				assert_int_equal(kallsyms_next(&pos, text + sizeof(text) - 1, &l),
						 digit);
		}
}

static void test_the_start_of_a_line_and_its_rest(void **state)
{
	static const char text[] = "ffffffffc0000000 t init\t[ext4]\n"
				   "ffffffffc0000000 t $x\n";
	const char *pos = text, *end = text + sizeof(text) - 1;
	struct kallsyms_line l;

	(void)state;
	assert_true(kallsyms_next_start(&pos, end, &l));
	assert_true(l.address == 0xffffffffc0000000 && l.type == 't');
	assert_memory_equal(l.name, "init", 4);
	kallsyms_finish(&l);
	assert_int_equal(l.name_len, 4);
	assert_int_equal(l.module_len, 4);
	assert_memory_equal(l.module, "ext4", 4);
	assert_false(kallsyms_next_start(&pos, end, &l));
}

static void test_code_of_any_binding(void **state)
{
	(void)state;
	assert_true(kallsyms_is_text('t') && kallsyms_is_text('T') && kallsyms_is_text('w') &&
		    kallsyms_is_text('W'));
	assert_false(kallsyms_is_text('d') || kallsyms_is_text('V'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_kernel_and_its_modules),
		cmocka_unit_test(test_what_is_no_line_is_passed_over),
		cmocka_unit_test(test_a_text_that_is_cut_anywhere),
		cmocka_unit_test(test_addresses_of_any_length),
		cmocka_unit_test(test_characters_that_are_no_digits),
		cmocka_unit_test(test_the_start_of_a_line_and_its_rest),
		cmocka_unit_test(test_code_of_any_binding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
