// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/render/json.h"

/* The output of fn, on the heap. */
static char *written(void (*fn)(struct json *j))
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct json j;

	json_init(&j, out);
	fn(&j);
	assert_int_equal(json_finish(&j), 0);
	fclose(out);
	return text;
}

static void write_numbers(struct json *j)
{
	json_open(j, NULL, '[', true);
	json_u64(j, NULL, UINT64_MAX);
	json_i64(j, NULL, INT64_MIN);
	json_hex(j, NULL, 0xffffffff81000000);
	json_hex(j, NULL, 0);
	json_double(j, NULL, 2.5, 3);
	json_double(j, NULL, INFINITY, 3);
	json_double(j, NULL, NAN, 3);
	json_bool(j, NULL, true);
	json_string(j, NULL, NULL);
	json_close(j, ']');
}

/* Whatever the value: as printf() prints it in the C locale. */
static void test_doubles_are_printfs(void **state)
{
	static const double values[] = {0,
					-0.25,
					20.3125,
					1.0005,
					0.9995,
					-1.8e21,
					1.8e19,
					0x1p53,
					0x1p64,
					1e300,
					123456.7,
					0.0005,
					99.9995,
					2.5,
					1e-9,
					-100.75,
					4503599627370496.5};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		for (int decimals = 1; decimals < 7; decimals++) {
			char want[400];
			char *text = NULL;
			size_t size;
			FILE *out = open_memstream(&text, &size);
			struct json j;

			json_init(&j, out);
			json_double(&j, NULL, values[i], decimals);
			assert_int_equal(json_finish(&j), 0);
			fclose(out);
			snprintf(want, sizeof(want), "%.*f\n", decimals, values[i]);
			assert_string_equal(text, want);
			free(text);
		}
}

static void write_strings(struct json *j)
{
	json_open(j, NULL, '[', true);
	json_string(j, NULL, "q\" b\\ n\n t\t c\x01");
	json_string(j, NULL, "\xc3\xa4");		      /* UTF-8 */
	json_string(j, NULL, "\xff");			      /* not UTF-8 */
	json_string(j, NULL, "\xc0\x80");		      /* overlong */
	json_string(j, NULL, "\xed\xa0\x80");		      /* half of a pair */
	json_string(j, NULL, "\xe2\x82");		      /* truncated */
	json_string(j, NULL, "\xe2\x80\x8b\xf3\xa0\x81\xa1"); /* not seen: U+200B, U+E0061 */
	json_close(j, ']');
}

static void write_nested(struct json *j)
{
	json_open(j, NULL, '{', true);
	json_open(j, "a", '[', true);
	json_close(j, ']');
	json_open(j, "b", '{', true);
	json_u64(j, "c", 1);
	json_u64(j, "d", 2);
	json_close(j, '}');
	json_string(j, "e\"", "");
	json_close(j, '}');
}

static void assert_writes(void (*fn)(struct json *j), const char *want)
{
	char *text = written(fn);

	assert_string_equal(text, want);
	free(text);
}

static void test_numbers(void **state)
{
	(void)state;
	assert_writes(write_numbers,
		      "[18446744073709551615, -9223372036854775808, "
		      "\"0xffffffff81000000\", \"0x0\", 2.500, null, null, true, null]\n");
}

static void test_strings(void **state)
{
	(void)state;
	assert_writes(write_strings,
		      "[\"q\\\" b\\\\ n\\u000a t\\u0009 c\\u0001\", \"\xc3\xa4\", \"\\ufffd\", "
		      "\"\\ufffd\\ufffd\", \"\\ufffd\\ufffd\\ufffd\", \"\\ufffd\\ufffd\", "
		      "\"\\u200b\\udb40\\udc61\"]\n");
}

static void test_nested(void **state)
{
	(void)state;
	assert_writes(write_nested, "{\"a\": [], \"b\": {\"c\": 1, \"d\": 2}, \"e\\\"\": \"\"}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_doubles_are_printfs),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_nested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
