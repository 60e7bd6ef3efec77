// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/output/sample_scan.h"

#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER   ((uint64_t)PERF_CONTEXT_USER)

/* A sample with this callchain (nr 0: none) and call_site at offset 8 of 24 raw bytes. */
static void add_sample(struct strbuf *sb, uint64_t id, uint64_t time, const uint64_t *chain,
		       uint64_t nr, uint64_t call_site)
{
	const uint64_t head[] = {id, 0xffffffff80000000, 0, time, 0};
	const uint64_t raw[] = {0, call_site, 0};
	const uint32_t raw_size = sizeof(raw) + 4; /* with padding, as in the kernel */
	struct perf_event_header h = {
		.type = PERF_RECORD_SAMPLE,
		.size = (uint16_t)(sizeof(h) + sizeof(head) + (nr ? 8 + nr * 8 : 0) + 4 + raw_size),
	};

	strbuf_add(sb, &h, sizeof(h));
	strbuf_add(sb, head, sizeof(head));
	if (nr) {
		strbuf_add(sb, &nr, sizeof(nr));
		strbuf_add(sb, chain, nr * 8);
	}
	strbuf_add(sb, &raw_size, sizeof(raw_size));
	strbuf_add(sb, raw, sizeof(raw));
	strbuf_add(sb, "\0\0\0", 4);
}

/* All whole records of the bytes; which event each belongs to is returned for the last one. */
static size_t feed(struct sample_scan *s, const void *records, size_t len)
{
	const uint8_t *p = records, *end = p + len;
	struct sample_key key = {SAMPLE_SCAN_OTHER};

	while ((size_t)(end - p) >= sizeof(struct perf_event_header)) {
		struct perf_event_header h;

		memcpy(&h, p, sizeof(h));
		if (h.size > (size_t)(end - p))
			break;
		assert_int_equal(sample_scan_record(s, p, h.size, &key), 0);
		p += h.size;
	}
	return key.evsel;
}

static void test_scan(void **state)
{
	struct evsel_fd fd0 = {.id = 10}, fd1 = {.id = 11};
	struct evsel evsels[2] = {
		{.fds = &fd0, .nr_fds = 1, .call_site_offset = 8, .call_site_size = 8},
		{.fds = &fd1, .nr_fds = 1, .attr = {.sample_type = PERF_SAMPLE_CALLCHAIN}},
	};
	const struct evlist l = {evsels, 2};
	const uint64_t chain[] = {KERNEL,  0xffffffff81000001, 0xffffffff81000002, 0, USER,
				  0x400000};
	struct strbuf sb = STRBUF_INIT;
	struct sample_scan s;
	uint64_t addr;

	(void)state;
	add_sample(&sb, 10, 500, NULL, 0, 0xffffffff82000001);
	add_sample(&sb, 11, 300, chain, 6, 0);
	add_sample(&sb, 10, 400, NULL, 0, 0xffffffff82000001);
	add_sample(&sb, 99, 1, NULL, 0, 0xffffffff83000001); /* of no known event */
	assert_int_equal(sample_scan_init(&s, &l, NULL), 0);
	assert_true(feed(&s, sb.buf, sb.len) == SAMPLE_SCAN_OTHER);
	assert_int_equal(s.nr_samples, 3);
	assert_int_equal(s.samples[0], 2);
	assert_int_equal(s.samples[1], 1);
	assert_int_equal(s.first_ns, 300);
	assert_int_equal(s.last_ns, 500);
	assert_int_equal(s.addresses.nr, 4);
	addr = 0xffffffff81000002;
	assert_non_null(table_find(&s.addresses, &addr));
	addr = 0xffffffff80000000;
	assert_non_null(table_find(&s.addresses, &addr));

	/* Cut anywhere, it never reads past the end. */
	for (size_t len = 0; len < sb.len; len++) {
		uint8_t *copy = malloc(len ? len : 1);

		assert_non_null(copy);
		memcpy(copy, sb.buf, len);
		feed(&s, copy, len);
		if (len >= 8) {
			struct sample_key key;

			assert_int_equal(sample_scan_record(&s, copy, len, &key), 0);
		}
		free(copy);
	}
	sample_scan_deinit(&s);
	strbuf_deinit(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_scan)};

	return cmocka_run_group_tests_name("sample_scan", tests, NULL, NULL);
}
