// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/perfdata/feature_writer.h"

static void test_an_early_stream(void **state)
{
	struct strbuf data = STRBUF_INIT, out = STRBUF_INIT, joined = STRBUF_INIT;

	(void)state;
	for (uint32_t i = 0; i < 20001; i++)
		strbuf_add(&data, &i, sizeof(i));
	strbuf_addch(&data, 'x');
	assert_int_equal(feature_early_stream(&out, HEADER_TRACING_DATA, &data), 0);
	for (size_t at = 0; at < out.len;) {
		const struct perfdata_early *r = (const void *)(out.buf + at);

		assert_int_equal(r->header.type, PERF_RECORD_EVENT_UPDATE);
		assert_int_equal(r->header.size % 8, 0);
		assert_in_range(r->header.size, sizeof(*r), 65528);
		assert_int_equal(r->event, 0);
		assert_int_equal(r->magic, PERFDATA_EARLY_MAGIC);
		assert_int_equal(r->offset, joined.len);
		assert_int_equal(r->total, data.len);
		strbuf_add(&joined, r + 1, r->size);
		at += r->header.size;
	}
	assert_int_equal(joined.len, data.len);
	assert_memory_equal(joined.buf, data.buf, data.len);
	strbuf_deinit(&data);
	strbuf_deinit(&out);
	strbuf_deinit(&joined);
}

/* Lines are never cut; one that does not fit into a record is omitted. */
static void test_early_lines(void **state)
{
	struct strbuf info = STRBUF_INIT, out = STRBUF_INIT, joined = STRBUF_INIT;
	unsigned int nr = 0;
	size_t whole;

	(void)state;
	for (int i = 0; i < 5000; i++)
		strbuf_addf(&info, "event: kmem:number_%d count=%d\n", i, i);
	whole = info.len;
	for (int i = 0; i < 50000; i++)
		strbuf_addch(&info, 'x');
	strbuf_addstr(&info, "\nlast: 1\n");
	assert_int_equal(feature_early_lines(&out, HEADER_RECORDING_INFO, &info), 0);
	for (size_t at = 0; at < out.len; nr++) {
		const struct perfdata_early *r = (const void *)(out.buf + at);

		assert_int_equal(r->header.type, PERF_RECORD_EVENT_UPDATE);
		assert_int_equal(r->kind, HEADER_RECORDING_INFO);
		assert_int_equal(r->size, r->total);
		assert_int_equal(((const char *)(r + 1))[r->size - 1], '\n');
		strbuf_add(&joined, r + 1, r->size);
		at += r->header.size;
	}
	assert_in_range(nr, 5, 12);
	assert_int_equal(joined.len, whole + strlen("last: 1\n"));
	assert_memory_equal(joined.buf, info.buf, whole);
	assert_string_equal(joined.buf + whole, "last: 1\n");
	strbuf_deinit(&info);
	strbuf_deinit(&out);
	strbuf_deinit(&joined);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_early_stream),
		cmocka_unit_test(test_early_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
