// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/tracepoint/tracing_data.h"

static void assert_text(const struct trace_text *text, const char *wanted)
{
	assert_int_equal(text->len, strlen(wanted));
	assert_memory_equal(text->text, wanted, text->len);
}

/* Reading returns the written data, except that the events of a system come together. */
static void test_written_and_read(void **state)
{
	struct trace_format formats[] = {
		{"kmem", {"one", 3}}, {"sched", {"other", 5}}, {"kmem", {"two", 3}}};
	const struct tracing_data told = {
		.long_size = 8,
		.page_size = 16384,
		.formats = formats,
		.nr_formats = 3,
		.header_page = {"page", 4},
		.header_event = {"event", 5},
		.kallsyms = {"ff T a\n", 7},
	};
	struct strbuf sb = STRBUF_INIT;
	struct tracing_data t;

	(void)state;
	assert_int_equal(tracing_data_write(&sb, &told), 0);
	assert_int_equal(tracing_data_parse(&t, (const uint8_t *)sb.buf, sb.len, NULL), 0);
	assert_false(t.truncated);
	assert_int_equal(t.big_endian, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	assert_int_equal(t.long_size, 8);
	assert_int_equal(t.page_size, 16384);
	assert_text(&t.header_page, "page");
	assert_text(&t.header_event, "event");
	assert_text(&t.kallsyms, "ff T a\n");
	assert_int_equal(t.nr_formats, 3);
	assert_string_equal(t.formats[0].system, "kmem");
	assert_text(&t.formats[0].text, "one");
	assert_string_equal(t.formats[1].system, "kmem");
	assert_text(&t.formats[1].text, "two");
	assert_string_equal(t.formats[2].system, "sched");
	assert_text(&t.formats[2].text, "other");
	tracing_data_deinit(&t);
	strbuf_deinit(&sb);
}

static void test_a_section_that_ends_early(void **state)
{
	struct trace_format format = {"kmem", {"one", 3}};
	const struct tracing_data told = {
		.long_size = 4, .page_size = 4096, .formats = &format, .nr_formats = 1};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	assert_int_equal(tracing_data_write(&sb, &told), 0);
	for (size_t len = 0; len < sb.len; len++) {
		struct tracing_data t;

		if (tracing_data_parse(&t, (const uint8_t *)sb.buf, len, NULL))
			continue;
		/* up to the size of the symbols all is needed */
		assert_int_equal(t.truncated, len < sb.len - 12);
		tracing_data_deinit(&t);
	}
	strbuf_deinit(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written_and_read),
		cmocka_unit_test(test_a_section_that_ends_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
