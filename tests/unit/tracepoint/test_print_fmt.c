// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/tracepoint/print_fmt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/tracepoint/print_fmt_parse.h"

/* int a (-3), unsigned short b (7), char name[8] ("cat"), __data_loc text ("x y"), long v[2]. */
static const char fields[] =
	"name: test\nID: 42\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:int a;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned short b;\toffset:8;\tsize:2;\tsigned:0;\n"
	"\tfield:char name[8];\toffset:10;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] text;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long v[2];\toffset:24;\tsize:16;\tsigned:0;\n"
	"\tfield:void * p;\toffset:40;\tsize:8;\tsigned:0;\n\nprint fmt: ";

struct sample_bytes {
	uint8_t data[52];
};

static struct sample_bytes make_sample(void)
{
	const int32_t a = -3;
	const uint16_t b = 7;
	const uint32_t loc = 4u << 16 | 48;
	const uint64_t v[] = {16, 0xffffffffffffffff}, p = 0xabc;
	struct sample_bytes s = {{0}};

	memcpy(s.data + 4, &a, sizeof(a));
	memcpy(s.data + 8, &b, sizeof(b));
	memcpy(s.data + 10, "cat", 4);
	memcpy(s.data + 20, &loc, sizeof(loc));
	memcpy(s.data + 24, v, sizeof(v));
	memcpy(s.data + 40, &p, sizeof(p));
	memcpy(s.data + 48, "x y", 4);
	return s;
}

static bool name_of(void *ctx, struct strbuf *out, uint64_t address, bool offset)
{
	(void)ctx;
	if (address != 16)
		return false;
	strbuf_addstr(out, offset ? "main+0x2" : "main");
	return true;
}

/* Is its text what the print fmt says, or the values of the fields? */
static bool is_understood(const struct trace_text *format)
{
	struct print_parsed parsed;
	bool failed;

	assert_int_equal(print_parse(&parsed, format, 8), 0);
	failed = parsed.failed;
	print_parsed_deinit(&parsed);
	return !failed;
}

/* The text of the sample, of which `size` bytes are there, by this print fmt. */
static char *text_of(const char *print_fmt, uint32_t size, bool *ret_parsed)
{
	const struct sample_bytes sample = make_sample();
	struct print_fmt_raw raw = {
		.data = sample.data, .size = size, .long_size = 8, .symbol = name_of};
	struct strbuf format = STRBUF_INIT, out = STRBUF_INIT;
	struct trace_text text;
	struct print_fmt *f;

	strbuf_addf(&format, "%s%s\n", fields, print_fmt);
	text = (struct trace_text){format.buf, format.len};
	f = print_fmt_new(&text, 8);
	assert_non_null(f);
	*ret_parsed = is_understood(&text);
	print_fmt_add(f, &out, &raw);
	print_fmt_free(f);
	strbuf_deinit(&format);
	return strbuf_detach(&out);
}

static void expect(const char *print_fmt, const char *want)
{
	bool parsed;
	char *got = text_of(print_fmt, sizeof(struct sample_bytes), &parsed);

	assert_true(parsed);
	assert_string_equal(got, want);
	free(got);
}

static void prints_each_conversion(void **state)
{
	(void)state;
	expect("\"a=%d b=%u x=%x 100%%\", REC->a, REC->b, REC->b", "a=-3 b=7 x=7 100%");
	expect("\"%s|%5s|%-5s|%.2s|\", REC->name, REC->name, REC->name, REC->name",
	       "cat|  cat|cat  |ca|");
	expect("\"%03d %#x %08lx %X %o\", REC->b, REC->b, REC->b, REC->v[0], REC->v[0]",
	       "007 0x7 00000007 10 20");
	expect("\"%p %p\", REC->p, REC->v[0] - 16", "0xabc (nil)");
	expect("\"%s %*d\", __get_str(text), REC->b, REC->b", "x y       7");
}

static void a_number_has_the_size_of_its_conversion(void **state)
{
	(void)state;
	expect("\"%hhu %hu %u %lu\", REC->v[1], REC->v[1], REC->v[1], REC->v[1]",
	       "255 65535 4294967295 18446744073709551615");
	expect("\"%ld\", (long)REC->a", "-3");
}

static void computes_as_c_does(void **state)
{
	(void)state;
	expect("\"%d %d %d\", 2 + 3 * 4, (2 + 3) * 4, 1 << 4 | 3", "14 20 19");
	expect("\"%d %d %d\", REC->a < 5, REC->a > 5 || REC->b == 7, !REC->b", "1 1 0");
	expect("\"%s\", REC->b > 5 ? \"many\" : \"few\"", "many");
	expect("\"%u\", ((unsigned int)REC->a) >> 28", "15");
	expect("\"%d %d\", REC->b / 0, unknown_name", "0 0");
}

static void prints_flags_and_symbols(void **state)
{
	(void)state;
	expect("\"%s\", __print_flags(REC->b, \"|\", {1, \"A\"}, {( unsigned long)2, \"B\"}, "
	       "{ 0, ((void *)0) })",
	       "A|B|0x4");
	expect("\"%s\", (REC->b & 8) ? __print_flags(REC->b, \"|\", {1, \"A\"}) : \"none\"",
	       "none");
	expect("\"%s %s\", __print_symbolic(REC->b, {6, \"six\"}, {7, \"seven\"}), "
	       "__print_symbolic(REC->b, {6, \"six\"})",
	       "seven 0x7");
}

static void names_functions(void **state)
{
	(void)state;
	expect("\"%pS %ps %pS\", REC->v[0], REC->v[0], REC->p", "main+0x2 main 0xabc");
}

static void falls_back_to_the_fields(void **state)
{
	static const char *const unknown[] = {
		"\"%pI4\", REC->p",
		"\"%d\", __new_function(REC->a)",
		"\"%d\", REC->nothing",
		"\"%d\"",
		"\"%d\", ((((REC->a",
		"no string",
		"\"%d\", __print_flags(REC->a, 7)",
		"\"%d\", REC->a +",
	};
	bool parsed;

	(void)state;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		char *got = text_of(unknown[i], sizeof(struct sample_bytes), &parsed);

		assert_false(parsed);
		assert_string_equal(got, "[FAILED TO PARSE] a=-3 b=7 name=cat text=x y v=ARRAY[10, "
					 "00, 00, 00, 00, 00, 00, 00, ff, ff, ff, ff, ff, ff, ff, "
					 "ff] p=0xabc");
		free(got);
	}
}

static void reads_nothing_beyond_the_sample(void **state)
{
	bool parsed;

	(void)state;
	for (uint32_t size = 0; size < sizeof(struct sample_bytes); size++) {
		free(text_of("\"%d %s %s %lu %p\", REC->a, REC->name, __get_str(text), "
			     "REC->v[REC->b - 6], REC->p",
			     size, &parsed));
		free(text_of("fails", size, &parsed));
	}
	expect("\"%lu\", REC->v[REC->b]", "0");
}

static void deep_expressions_are_refused(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	bool parsed;

	(void)state;
	strbuf_addstr(&sb, "\"%d\", ");
	for (int i = 0; i < 100000; i++)
		strbuf_addch(&sb, '(');
	free(text_of(sb.buf, 52, &parsed));
	assert_false(parsed);
	strbuf_setlen(&sb, 6);
	for (int i = 0; i < 100000; i++)
		strbuf_addstr(&sb, "REC->a + ");
	strbuf_addstr(&sb, "1");
	free(text_of(sb.buf, 52, &parsed));
	assert_false(parsed);
	strbuf_deinit(&sb);
}

static void finds_the_id(void **state)
{
	struct trace_text text = {fields, sizeof(fields) - 1};
	uint64_t id;

	(void)state;
	assert_int_equal(print_fmt_id(&text, &id), 0);
	assert_int_equal(id, 42);
	text.len = 10;
	assert_true(print_fmt_id(&text, &id) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_each_conversion),
		cmocka_unit_test(a_number_has_the_size_of_its_conversion),
		cmocka_unit_test(computes_as_c_does),
		cmocka_unit_test(prints_flags_and_symbols),
		cmocka_unit_test(names_functions),
		cmocka_unit_test(falls_back_to_the_fields),
		cmocka_unit_test(reads_nothing_beyond_the_sample),
		cmocka_unit_test(deep_expressions_are_refused),
		cmocka_unit_test(finds_the_id),
	};

	return cmocka_run_group_tests_name("print_fmt", tests, NULL, NULL);
}
