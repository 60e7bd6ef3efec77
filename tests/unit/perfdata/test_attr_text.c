// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/attr_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/perf_event.h>

static void expect(const struct event_attr *attr, const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	attr_text_add(&sb, attr);
	assert_string_equal(sb.buf, text);
	strbuf_deinit(&sb);
}

static void leaves_out_what_is_zero(void **state)
{
	(void)state;
	expect(&(struct event_attr){.type = 2, .size = 64}, "type: 2, size: 64");
}

static void names_bits_in_their_order(void **state)
{
	(void)state;
	expect(&(struct event_attr){.type = 2,
				    .size = 128,
				    .config = 0x1f,
				    .sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_IP,
				    .read_format = PERF_FORMAT_ID,
				    .flags = 1 | 1ull << 14 | 1ull << 22,
				    .wakeup = 7,
				    .sample_max_stack = 12},
	       "type: 2, size: 128, config: 0x1f, sample_type: IP|RAW, read_format: ID, disabled: "
	       "1, watermark: 1, exclude_callchain_user: 1, { wakeup_events, wakeup_watermark }: "
	       "7, "
	       "sample_max_stack: 12");
}

static void shows_unknown_bits_in_hex(void **state)
{
	(void)state;
	expect(&(struct event_attr){.sample_type = PERF_SAMPLE_IP | 1ull << 60,
				    .flags = 3ull << 15 | 1ull << 50},
	       "type: 0, size: 0, sample_type: IP|0x1000000000000000, precise_ip: 3, flags: "
	       "0x4000000000000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_out_what_is_zero),
		cmocka_unit_test(names_bits_in_their_order),
		cmocka_unit_test(shows_unknown_bits_in_hex),
	};

	return cmocka_run_group_tests_name("attr_text", tests, NULL, NULL);
}
