// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/dump/page_owner_text.h"

static int parse(const char *line, struct page_owner_header *ret_header)
{
	return page_owner_parse_header(line, strlen(line), ret_header);
}

static void check_comm(const char *line, const char *comm, uint64_t ts)
{
	struct page_owner_header h;

	assert_int_equal(parse(line, &h), 0);
	assert_true(h.has_comm);
	assert_int_equal(h.comm_len, strlen(comm));
	assert_memory_equal(h.comm, comm, h.comm_len);
	assert_int_equal(h.ts_ns, ts);
}

static void test_first_lines_of_every_kernel(void **state)
{
	struct page_owner_header h;

	(void)state;
	/* 4.6 */
	assert_int_equal(
		parse("Page allocated via order 3, mask 0x24280ca(GFP_HIGHUSER_MOVABLE)", &h), 0);
	assert_int_equal(h.order, 3);
	assert_int_equal(h.gfp_flags, 0x24280ca);
	assert_false(h.has_pid || h.has_comm || h.has_ts || h.has_free_ts);
	assert_int_equal(h.pid, -1);
	/* 5.11 */
	assert_int_equal(parse("Page allocated via order 0, mask 0x0(), pid 12, ts 345 ns", &h), 0);
	assert_int_equal(h.pid, 12);
	assert_int_equal(h.tgid, 12);
	assert_int_equal(h.ts_ns, 345);
	assert_false(h.has_comm || h.has_free_ts);
	/* 5.13 */
	assert_int_equal(parse("Page allocated via order 0, mask 0x0(), pid 12, ts 345 ns, free_ts "
			       "678 ns",
			       &h),
			 0);
	assert_int_equal(h.free_ts_ns, 678);
	/* 5.18 */
	assert_int_equal(parse("Page allocated via order 0, mask 0xcc0(GFP_KERNEL), pid 12, tgid 9 "
			       "(swapper/0), ts 345 ns, free_ts 678 ns",
			       &h),
			 0);
	assert_int_equal(h.pid, 12);
	assert_int_equal(h.tgid, 9);
	assert_int_equal(h.free_ts_ns, 678);
	/* 6.8 */
	check_comm("Page allocated via order 0, mask 0x0(), pid 0, tgid 0 (swapper), ts 7 ns",
		   "swapper", 7);
}

static void test_commands_may_contain_anything(void **state)
{
	struct page_owner_header h;

	(void)state;
#define HEAD "Page allocated via order 0, mask 0x0(), pid 1, tgid 1 ("
	check_comm(HEAD "a) b(c), ts 5 ns", "a) b(c", 5);
	check_comm(HEAD "), ts 1 ns), ts 2 ns", "), ts 1 ns", 2);
	check_comm(HEAD "a, free_ts 1 ns), ts 2 ns, free_ts 3 ns", "a, free_ts 1 ns", 2);
	check_comm(HEAD "), ts 2 ns", "", 2);
	check_comm(HEAD "a\nb), ts 2 ns", "a\nb", 2);
	/* so far */
	assert_int_equal(parse(HEAD "a", &h), -EAGAIN);
	assert_int_equal(parse(HEAD "a)", &h), -EAGAIN);
	assert_int_equal(parse(HEAD "a), ts 5", &h), -EAGAIN);
	assert_int_equal(parse(HEAD, &h), -EAGAIN);
}

static void test_what_is_not_a_first_line(void **state)
{
	static const char *const lines[] = {
		"",
		"Page allocated via order ",
		"Page allocated via order x, mask 0x0()",
		"Page allocated via order 99999999999999999999999, mask 0x0()",
		"Page allocated via order 0, mask 0()",
		"Page allocated via order 0, mask 0x()",
		"Page allocated via order 0, mask 0x0(",
		"Page allocated via order 0, mask 0x0() and more",
		"Page allocated via order 0, mask 0x0(), pid x, ts 5 ns",
		"Page allocated via order 0, mask 0x0(), pid 99999999999, ts 5 ns",
		"Page allocated via order 0, mask 0x0(), pid 1, tgid 1 swapper, ts 5 ns",
		"Page allocated via order 0, mask 0x0(), pid 1, ts 99999999999999999999999 ns",
		"Page allocated via order 0, mask 0x0(), pid 1, ts 9223372036854775808 ns",
	};
	struct page_owner_header h;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_int_equal(parse(lines[i], &h), -EINVAL);
}

static int place(const char *line, struct page_owner_place *ret_place)
{
	return page_owner_parse_place(line, strlen(line), ret_place);
}

static void test_second_lines(void **state)
{
	struct page_owner_place p;

	(void)state;
	assert_int_equal(place("PFN 4096 type Movable Block 8 type Unmovable Flags "
			       "0x10(lru|node=1|zone=1)",
			       &p),
			 0);
	assert_int_equal(p.pfn, 4096);
	assert_int_equal(
		place("PFN 0x10000000000000 type Movable Block 8 type Movable Flags 0", &p),
		-EINVAL);
	assert_int_equal(p.pfn, 4096);
	assert_int_equal(p.block, 8);
	assert_int_equal(p.migratetype, 1);
	assert_int_equal(p.block_migratetype, 0);
	assert_int_equal(p.node, 1);
	assert_int_equal(p.zone, 1);
	assert_int_equal(place("PFN 0x1000 type CMA Block 8 type Strange Flags 0x0()", &p), 0);
	assert_int_equal(p.pfn, 4096);
	assert_int_equal(p.migratetype, 4);
	assert_int_equal(p.block_migratetype, -1);
	assert_int_equal(p.node, -1);
	assert_int_equal(p.zone, -1);
	assert_int_equal(place("PFN ", &p), -EINVAL);
	assert_int_equal(place("PFN 0x type Movable Block 8 type Movable Flags 0x0()", &p),
			 -EINVAL);
	assert_int_equal(place("PFN 1 type Movable Block 8 type Movable", &p), -EINVAL);
	assert_int_equal(place("PFN 1 type  Block 8 type Movable Flags 0x0()", &p), -EINVAL);
	assert_int_equal(
		place("PFN 0x11111111111111111 type Movable Block 8 type Movable Flags ", &p),
		-EINVAL);
}

static void test_the_pageblock_order(void **state)
{
	static const struct {
		uint64_t pfn, block;
		uint32_t order;
	} cases[] = {
		{4096, 8, 9},	    {4607, 8, 9},
		{4608, 8, 0},	    {4608, 9, 9},
		{100, 0, 0},	    {2, 1, 1},
		{3, 3, 0},	    {1ull << 15, 1, 15},
		{1ull << 16, 1, 0}, {UINT64_MAX, UINT64_MAX >> 13, 13},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(page_owner_pageblock_order(&(struct page_owner_place){
					 .pfn = cases[i].pfn, .block = cases[i].block}),
				 cases[i].order);
}

static void check_memcg(const char *line, const char *want, bool want_offline)
{
	bool offline = !want_offline;
	size_t len = 0;
	const char *name = page_owner_memcg(line, strlen(line), &len, &offline);

	if (!want) {
		assert_null(name);
		return;
	}
	assert_int_equal(len, strlen(want));
	assert_memory_equal(name, want, len);
	assert_true(offline == want_offline);
}

static void test_other_lines(void **state)
{
	size_t len = 0;
	const char *line = "Page has been migrated, last migrate reason: compaction";

	(void)state;
	check_memcg("Charged to memcg /", "/", false);
	check_memcg("Charged (via objcg) to memcg a b", "a b", false);
	check_memcg("Charged (via objcg) to offline memcg c", "c", true);
	check_memcg("Charged to memcg ", NULL, false);
	check_memcg("Charged", NULL, false);
	assert_memory_equal(page_owner_reason(line, strlen(line), &len), "compaction", 10);
	assert_int_equal(len, 10);
	assert_null(page_owner_reason("reason", 6, &len));
	assert_int_equal(page_owner_line_of("", 0), PAGE_OWNER_END);
	assert_int_equal(page_owner_line_of(" a+0x1/0x2", 10), PAGE_OWNER_FRAME);
	assert_int_equal(page_owner_line_of("PFN", 3), PAGE_OWNER_OTHER);
	assert_int_equal(page_owner_line_of(line, strlen(line)), PAGE_OWNER_MIGRATED);
	assert_int_equal(page_owner_line_of("Slab cache page", 15), PAGE_OWNER_SLAB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_lines_of_every_kernel),
		cmocka_unit_test(test_commands_may_contain_anything),
		cmocka_unit_test(test_what_is_not_a_first_line),
		cmocka_unit_test(test_second_lines),
		cmocka_unit_test(test_the_pageblock_order),
		cmocka_unit_test(test_other_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
