// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/perfdata/format.h"
#include "util/perfdata/sample.h"

/* A record being written in either byte order. */
struct writer {
	uint8_t data[1024];
	uint16_t size;
	bool swap;
};

static void put_u32(struct writer *w, uint32_t v)
{
	v = w->swap ? __builtin_bswap32(v) : v;
	memcpy(w->data + w->size, &v, sizeof(v));
	w->size += sizeof(v);
}

static void put_u64(struct writer *w, uint64_t v)
{
	v = w->swap ? __builtin_bswap64(v) : v;
	memcpy(w->data + w->size, &v, sizeof(v));
	w->size += sizeof(v);
}

/* The fields in the kernel's order, each with its own value. */
static const struct {
	uint64_t bit;
	uint64_t value;
} fields[] = {
	{PERF_SAMPLE_IDENTIFIER, 0x1d}, {PERF_SAMPLE_IP, 0x1f00000001},
	{PERF_SAMPLE_TID, 0},		{PERF_SAMPLE_TIME, 123456789012345},
	{PERF_SAMPLE_ADDR, 0xadd0},	{PERF_SAMPLE_ID, 0x1d},
	{PERF_SAMPLE_STREAM_ID, 0x57},	{PERF_SAMPLE_CPU, 0},
	{PERF_SAMPLE_PERIOD, 77},
};
#define NR_FIELDS (sizeof(fields) / sizeof(fields[0]))

/* The fast path, if there is one without details in our byte order, must give the same result. */
static int parse(const struct sample_layout *layout, const uint8_t *record, uint16_t size,
		 bool swap, struct sample *ret_sample)
{
	int ret = sample_parse(layout, record, size, swap, ret_sample);
	struct sample_layout without = *layout;
	const struct sample *a = ret_sample;
	struct sample b = {0};

	sample_layout_drop_details(&without);
	if (!without.is_usual || swap)
		return ret;
	assert_int_equal(layout->is_usual, layout->ip == SAMPLE_FIELD_ABSENT &&
						   layout->period == SAMPLE_FIELD_ABSENT);
	assert_int_equal(sample_parse_usual(&without, record, size, &b), ret);
	if (ret)
		return ret;
	assert_int_equal(a->time_ns, b.time_ns);
	assert_int_equal(a->pid, b.pid);
	assert_int_equal(b.ip, 0);
	assert_int_equal(a->tid, b.tid);
	assert_int_equal(a->cpu, b.cpu);
	assert_int_equal(b.period, 0);
	assert_int_equal(a->swap, b.swap);
	assert_ptr_equal(a->raw, b.raw);
	assert_int_equal(a->raw_size, b.raw_size);
	assert_int_equal(a->nr_callchain, b.nr_callchain);
	assert_ptr_equal(a->callchain, b.callchain);
	return 0;
}

static void put_sample(struct writer *w, uint64_t sample_type)
{
	w->size = 0;
	put_u32(w, PERF_RECORD_SAMPLE);
	put_u32(w, 0);
	for (size_t i = 0; i < NR_FIELDS; i++) {
		if (!(sample_type & fields[i].bit))
			continue;
		if (fields[i].bit == PERF_SAMPLE_TID) {
			put_u32(w, 41);
			put_u32(w, 42);
		} else if (fields[i].bit == PERF_SAMPLE_CPU) {
			put_u32(w, 3);
			put_u32(w, 0);
		} else {
			put_u64(w, fields[i].value);
		}
	}
	if (sample_type & PERF_SAMPLE_READ) {
		put_u64(w, 5);
		put_u64(w, 0x1d);
	}
	if (sample_type & PERF_SAMPLE_CALLCHAIN) {
		put_u64(w, 2);
		put_u64(w, (uint64_t)PERF_CONTEXT_KERNEL);
		put_u64(w, 0xcafe);
	}
	if (sample_type & PERF_SAMPLE_RAW) {
		put_u32(w, 4);
		put_u32(w, 0x01020304);
	}
}

static void check(uint64_t sample_type, bool swap)
{
	struct event_attr attr = {.sample_type = sample_type, .read_format = PERF_FORMAT_ID};
	struct writer w = {.swap = swap};
	struct sample_layout layout;
	struct sample s;

	put_sample(&w, sample_type);
	sample_layout_init(&layout, &attr);
	assert_int_equal(parse(&layout, w.data, w.size, swap, &s), 0);
	assert_int_equal(s.pid, sample_type & PERF_SAMPLE_TID ? 41 : 0);
	assert_int_equal(s.tid, sample_type & PERF_SAMPLE_TID ? 42 : 0);
	assert_true(s.time_ns == (sample_type & PERF_SAMPLE_TIME ? 123456789012345 : 0));
	assert_true(s.ip == (sample_type & PERF_SAMPLE_IP ? 0x1f00000001 : 0));
	if (sample_type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID))
		assert_int_equal(load_u64(w.data + layout.id, swap), 0x1d);
	else
		assert_int_equal(layout.id, SAMPLE_FIELD_ABSENT);
	assert_int_equal(s.cpu, sample_type & PERF_SAMPLE_CPU ? 3 : -1);
	assert_int_equal(s.period, sample_type & PERF_SAMPLE_PERIOD ? 77 : 0);
	assert_int_equal(s.nr_callchain, sample_type & PERF_SAMPLE_CALLCHAIN ? 2 : 0);
	if (s.nr_callchain)
		assert_int_equal(load_u64(s.callchain + 8, swap), 0xcafe);
	assert_int_equal(s.raw_size, sample_type & PERF_SAMPLE_RAW ? 4 : 0);
	if (s.raw_size)
		assert_int_equal(load_u32(s.raw, swap), 0x01020304);
	assert_true(sample_time(&layout, w.data, w.size, swap, 9) ==
		    (sample_type & PERF_SAMPLE_TIME ? 123456789012345 : 9));
	/* one byte less never fits */
	if (w.size > 8)
		assert_int_equal(parse(&layout, w.data, w.size - 1, swap, &s), -EINVAL);
}

static void test_each_set_of_fields(void **state)
{
	static const uint64_t more[] = {PERF_SAMPLE_READ, PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_RAW};

	(void)state;
	for (unsigned int set = 0; set < 1u << (NR_FIELDS + 3); set++) {
		uint64_t sample_type = 0;

		for (size_t i = 0; i < NR_FIELDS + 3; i++)
			if (set >> i & 1)
				sample_type |= i < NR_FIELDS ? fields[i].bit : more[i - NR_FIELDS];
		check(sample_type, false);
		check(sample_type, true);
	}
}

static void test_read_formats(void **state)
{
	static const struct {
		uint64_t read_format;
		unsigned int words; /* u64s, including the group's count */
	} cases[] = {
		{0, 1},
		{PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING, 3},
		{PERF_FORMAT_ID | 1u << 4 /* LOST */, 3},
		{PERF_FORMAT_GROUP, 1 + 2},
		{PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED, 1 + 1 + 4},
		{PERF_FORMAT_GROUP | PERF_FORMAT_ID | 1u << 4, 1 + 6},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event_attr attr = {.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_RAW,
					  .read_format = cases[i].read_format};
		struct writer w = {.size = 8};
		struct sample_layout layout;
		struct sample s;

		for (unsigned int k = 0; k < cases[i].words; k++)
			put_u64(&w, 2); /* the group's count, too */
		put_u32(&w, 4);
		put_u32(&w, 0xabcd);
		sample_layout_init(&layout, &attr);
		assert_int_equal(parse(&layout, w.data, w.size, false, &s), 0);
		assert_int_equal(load_u32(s.raw, false), 0xabcd);
	}
}

/* All fields that may come between RAW and CGROUP. */
#define BETWEEN                                                                                    \
	(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |               \
	 PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |                     \
	 PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR)

static void put_words(struct writer *w, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		put_u64(w, 0x7777777777777777);
}

/* Registers 0 to 2 and 0 to 1, two branches with an index, and with counters if these bits say so.
 */
static void put_cgroup_sample(struct writer *w, const struct event_attr *attr)
{
	const uint64_t type = attr->sample_type, branches = attr->branch_sample_type;

	put_sample(w, type);
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		put_u64(w, 2);
		put_words(w, !!(branches & PERF_SAMPLE_BRANCH_HW_INDEX));
		put_words(w, 2 * 3);
		put_words(w, branches & PERFDATA_SAMPLE_BRANCH_COUNTERS ? 2 : 0);
	}
	if (type & PERF_SAMPLE_REGS_USER) {
		put_u64(w, 2);
		put_words(w, 3);
	}
	if (type & PERF_SAMPLE_STACK_USER) {
		put_u64(w, 24);
		put_words(w, 3 + 1);
	}
	for (uint64_t bit = 1; bit < PERF_SAMPLE_MAX; bit <<= 1)
		if (type & bit &
		    (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC |
		     PERF_SAMPLE_TRANSACTION))
			put_words(w, 1);
	if (type & PERF_SAMPLE_REGS_INTR) {
		put_u64(w, 2);
		put_words(w, 2);
	}
	if (type & PERF_SAMPLE_PHYS_ADDR)
		put_words(w, 1);
	put_u64(w, 0xc6000000001);
}

static void check_cgroup(uint64_t between, uint64_t branches, bool swap)
{
	struct event_attr attr = {.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						 PERF_SAMPLE_CPU | PERF_SAMPLE_RAW |
						 PERF_SAMPLE_CGROUP | between,
				  .branch_sample_type = branches,
				  .sample_regs_user = 7,
				  .sample_regs_intr = 3};
	struct writer w = {.swap = swap};
	struct sample_layout layout;
	struct sample s;

	put_cgroup_sample(&w, &attr);
	sample_layout_init(&layout, &attr);
	assert_int_equal(parse(&layout, w.data, w.size, swap, &s), 0);
	assert_true(s.cgroup == 0xc6000000001);
	assert_int_equal(s.raw_size, 4);
	for (uint16_t cut = 1; cut < w.size; cut++)
		assert_int_equal(parse(&layout, w.data, w.size - cut, swap, &s), -EINVAL);
	/* bytes after it are not read */
	put_u64(&w, 1);
	assert_int_equal(parse(&layout, w.data, w.size, swap, &s), 0);
	assert_true(s.cgroup == 0xc6000000001);
}

static void test_the_cgroup_is_behind_whatever_else_there_is(void **state)
{
	const uint64_t index = PERF_SAMPLE_BRANCH_HW_INDEX;
	const uint64_t counters = PERFDATA_SAMPLE_BRANCH_COUNTERS;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		check_cgroup(0, 0, swap);
		check_cgroup(BETWEEN, 0, swap);
		check_cgroup(BETWEEN, index, swap);
		check_cgroup(BETWEEN, counters, swap);
		check_cgroup(BETWEEN, index | counters, swap);
		check_cgroup(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_WEIGHT_STRUCT, 0, swap);
		for (uint64_t bit = 1; bit < PERF_SAMPLE_MAX; bit <<= 1)
			if (BETWEEN & bit)
				check_cgroup(bit, 0, swap);
	}
}

/* As for a kernel thread: no registers, no stack; a tracepoint has no branches, nor their index. */
static void test_the_cgroup_is_behind_what_is_empty(void **state)
{
	struct event_attr attr = {.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_CGROUP |
						 PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |
						 PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR,
				  .branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX,
				  .sample_regs_user = UINT64_MAX,
				  .sample_regs_intr = UINT64_MAX};
	struct writer w = {.swap = false};
	struct sample_layout layout;
	struct sample s;

	(void)state;
	put_sample(&w, attr.sample_type);
	for (int i = 0; i < 4; i++)
		put_u64(&w, 0);
	put_u64(&w, 5);
	sample_layout_init(&layout, &attr);
	assert_int_equal(parse(&layout, w.data, w.size, false, &s), 0);
	assert_int_equal(s.cgroup, 5);
}

/* Registers and stack, from which user stacks are unwound. A kernel thread has none. */
static void test_user_registers_and_stack(void **state)
{
	struct event_attr attr = {.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						 PERF_SAMPLE_CPU | PERF_SAMPLE_RAW |
						 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
				  .sample_regs_user = 0x105};
	struct sample_layout layout;

	(void)state;
	sample_layout_init(&layout, &attr);
	for (int swap = 0; swap < 2; swap++) {
		struct writer w = {.swap = swap};
		struct sample s;

		put_sample(&w, attr.sample_type);
		put_u64(&w, PERF_SAMPLE_REGS_ABI_64);
		for (uint64_t i = 1; i <= 3; i++)
			put_u64(&w, i);
		put_u64(&w, 16);
		put_u64(&w, 0x5741);
		put_u64(&w, 0x5742);
		put_u64(&w, 8); /* number of valid bytes */
		assert_int_equal(parse(&layout, w.data, w.size, swap, &s), 0);
		assert_int_equal(s.user.mask, 0x105);
		assert_false(s.user.is_32bit);
		assert_int_equal(load_u64(s.user.regs + 16, swap), 3);
		assert_int_equal(s.user.stack_size, 8);
		assert_int_equal(load_u64(s.user.stack, swap), 0x5741);
		for (uint16_t cut = 1; cut < w.size; cut++)
			assert_int_equal(parse(&layout, w.data, w.size - cut, swap, &s), -EINVAL);
		put_sample(&w, attr.sample_type);
		put_u64(&w, 0);
		put_u64(&w, 0);
		assert_int_equal(parse(&layout, w.data, w.size, swap, &s), 0);
		assert_null(s.user.regs);
		assert_null(s.user.stack);
	}
}

static void test_lengths_before_the_cgroup_that_lie(void **state)
{
	static const uint64_t types[] = {PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_STACK_USER,
					 PERF_SAMPLE_REGS_USER, PERF_SAMPLE_REGS_INTR};
	static const uint64_t lengths[] = {2, UINT64_MAX / 24 + 2, UINT64_MAX / 8 + 2, UINT64_MAX};

	(void)state;
	for (size_t t = 0; t < 4; t++)
		for (size_t i = 0; i < 4; i++) {
			struct event_attr attr = {
				.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_CGROUP | types[t],
				.branch_sample_type = PERFDATA_SAMPLE_BRANCH_COUNTERS,
				.sample_regs_user = UINT64_MAX,
				.sample_regs_intr = UINT64_MAX};
			struct writer w = {.swap = false};
			struct sample_layout layout;
			struct sample s;

			put_sample(&w, attr.sample_type);
			put_u64(&w, lengths[i]);
			if (types[t] != PERF_SAMPLE_STACK_USER)
				put_words(&w, 4);
			sample_layout_init(&layout, &attr);
			assert_int_equal(parse(&layout, w.data, w.size, false, &s), -EINVAL);
		}
}

static void test_lengths_that_lie(void **state)
{
	static const uint64_t types[] = {PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_RAW, PERF_SAMPLE_READ};
	static const uint64_t lengths[] = {2, 0x2000000000000000, UINT64_MAX, 0xffffffff};

	(void)state;
	for (size_t t = 0; t < 3; t++) {
		for (size_t i = 0; i < 4; i++) {
			struct event_attr attr = {.sample_type = types[t],
						  .read_format = PERF_FORMAT_GROUP};
			struct writer w = {.size = 8};
			struct sample_layout layout;
			struct sample s;

			if (types[t] == PERF_SAMPLE_RAW) {
				const uint32_t length = (uint32_t)lengths[i];

				if (length <= 2)
					continue; /* fits */
				put_u64(&w, (uint64_t)length << 32 | length);
			} else {
				put_u64(&w, lengths[i]);
				put_u64(&w, 0);
			}
			sample_layout_init(&layout, &attr);
			assert_int_equal(parse(&layout, w.data, w.size, false, &s), -EINVAL);
		}
	}
}

static void test_tail(void **state)
{
	struct event_attr attr = {
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_STREAM_ID |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
			       PERF_SAMPLE_RAW,
		.flags = 1u << ATTR_SAMPLE_ID_ALL,
	};
	struct sample_layout layout;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct writer w = {.size = 8, .swap = swap};

		put_u64(&w, 0xb0d7); /* the record's own */
		put_u64(&w, 0);
		put_u64(&w, 1000);
		put_u64(&w, 0x57);
		put_u64(&w, 1);
		put_u64(&w, 0x1d);
		sample_layout_init(&layout, &attr);
		assert_int_equal(sample_tail_time(&layout, w.data, w.size, swap, 9), 1000);
		assert_int_equal(sample_tail_id(&layout, w.data, w.size, swap, 9), 0x1d);
		assert_int_equal(sample_tail_id(&layout, w.data, 47, swap, 9), 9);
	}
	attr.flags = 0;
	sample_layout_init(&layout, &attr);
	assert_int_equal(sample_tail_time(&layout, (const uint8_t[64]){0}, 64, false, 9), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_set_of_fields),
		cmocka_unit_test(test_read_formats),
		cmocka_unit_test(test_lengths_that_lie),
		cmocka_unit_test(test_the_cgroup_is_behind_whatever_else_there_is),
		cmocka_unit_test(test_the_cgroup_is_behind_what_is_empty),
		cmocka_unit_test(test_user_registers_and_stack),
		cmocka_unit_test(test_lengths_before_the_cgroup_that_lie),
		cmocka_unit_test(test_tail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
