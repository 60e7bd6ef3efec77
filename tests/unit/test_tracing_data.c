// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/perfdata/format.h"
#include "util/record/host_features.h"
#include "util/record/tracing_data.h"

static const char format[] =
	"name: kmalloc\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\n"
	"\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\n"
	"print fmt: \"call_site=%pS field:call_site2;\", (void *)REC->call_site\n";

static void test_field(void **state)
{
	uint32_t offset = 1, size = 2;

	(void)state;
	assert_true(tracefs_format_field(format, "call_site", &offset, &size));
	assert_int_equal(offset, 8);
	assert_int_equal(size, 8);
	assert_true(tracefs_format_field(format, "ptr", &offset, &size));
	assert_int_equal(offset, 16);
	assert_true(tracefs_format_field(format, "name", &offset, &size));
	assert_int_equal(size, 4);
	assert_false(tracefs_format_field(format, "site", &offset, &size));
	assert_false(tracefs_format_field(format, "call", &offset, &size));
	assert_false(tracefs_format_field("", "call_site", &offset, &size));
	assert_false(tracefs_format_field("\tfield:", "x", &offset, &size));
}

static void test_early_records(void **state)
{
	struct strbuf data = STRBUF_INIT, out = STRBUF_INIT, joined = STRBUF_INIT;

	(void)state;
	for (uint32_t i = 0; i < 20001; i++)
		strbuf_add(&data, &i, sizeof(i));
	strbuf_addch(&data, 'x');
	assert_int_equal(tracing_data_early_records(&out, &data), 0);
	for (size_t at = 0; at < out.len;) {
		const struct perfdata_early *r = (const void *)(out.buf + at);

		assert_int_equal(r->header.type, PERF_RECORD_HEADER_EVENT_TYPE);
		assert_int_equal(r->header.size % 8, 0);
		assert_in_range(r->header.size, PERFDATA_EARLY_SIZE_MIN, 65528);
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

/* Lines are never split; one that does not fit in a record is omitted. */
static void test_info_records(void **state)
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
	assert_int_equal(early_info_records(&out, &info), 0);
	for (size_t at = 0; at < out.len; nr++) {
		const struct perfdata_early *r = (const void *)(out.buf + at);

		assert_int_equal(r->header.type, PERF_RECORD_HEADER_EVENT_TYPE);
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

static void test_migratetypes(void **state)
{
	struct strbuf names = STRBUF_INIT;

	(void)state;
	assert_int_equal(host_migratetypes(&names,
					   "Page block order: 9\n\n"
					   "Number of blocks type     Unmovable      Movable  "
					   "Reclaimable   HighAtomic      Isolate \n"
					   "Node 0, zone      DMA            1            7\n"),
			 0);
	assert_string_equal(names.buf, "Unmovable Movable Reclaimable HighAtomic Isolate");
	strbuf_reset(&names);
	assert_int_equal(host_migratetypes(&names, "nothing"), 0);
	assert_int_equal(names.len, 0);
	strbuf_deinit(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_field),
		cmocka_unit_test(test_early_records),
		cmocka_unit_test(test_info_records),
		cmocka_unit_test(test_migratetypes),
	};

	return cmocka_run_group_tests_name("tracing_data", tests, NULL, NULL);
}
