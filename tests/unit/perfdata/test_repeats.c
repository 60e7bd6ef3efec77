// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/perfdata/repeats.h"

#define NR 20000

struct fixture {
	struct repeats repeats;
	uint8_t *bytes;
	size_t len;
	uint32_t at[NR];
	struct record_order records;
	uint8_t back[REPEATS_BLOCK];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->bytes = malloc(NR * 200);
	assert_non_null(f->bytes);
	assert_int_equal(repeats_init(&f->repeats), 0);
	f->records = (struct record_order){f->bytes, f->at, 0, NULL};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	repeats_deinit(&f->repeats);
	free(f->bytes);
	free(f);
	return 0;
}

/* A record of this size; all its bytes after the header are the same. */
static uint8_t *add(struct fixture *f, uint16_t size, uint8_t fill)
{
	const struct perf_event_header h = {.type = PERF_RECORD_SAMPLE, .size = size};
	uint8_t *record = f->bytes + f->len;

	memset(record, fill, size);
	memcpy(record, &h, sizeof(h));
	f->at[f->records.nr++] = (uint32_t)f->len;
	f->len += size;
	return record;
}

/* A reader restores the block from the list. */
static void check(struct fixture *f)
{
	const struct repeats *r = &f->repeats;
	size_t len = 0;

	for (uint32_t i = 0; i < r->nr; i++) {
		const struct repeat *v = &r->v[i];

		memcpy(f->back + len, r->bytes + len, v->nr_new);
		len += v->nr_new;
		assert_in_range(v->distance, 1, len);
		assert_true(len + v->nr_same <= r->len);
		for (uint32_t n = 0; n < v->nr_same; n++, len++)
			f->back[len] = f->back[len - v->distance];
	}
	assert_int_equal(len, r->end);
	memcpy(f->back + len, r->bytes + len, r->len - len);
	assert_memory_equal(f->back, r->bytes, r->len);
}

static void test_like_the_one_before(void **state)
{
	struct fixture *f = *state;
	uint8_t *record;

	for (int i = 0; i < 3; i++) {
		record = add(f, 96, 7);
		record[33] = (uint8_t)i;
		record[70] = record[71] = (uint8_t)(10 + i);
	}
	assert_int_equal(repeats_fill(&f->repeats, &f->records, 0), 3);
	check(f);
	assert_int_equal(f->repeats.len, 3 * 96);
	/* up to the first new byte, and from each to the next */
	assert_int_equal(f->repeats.nr, 5);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(f->repeats.v[i].distance, 96);
	assert_int_equal(f->repeats.v[0].nr_new, 96);
	assert_int_equal(f->repeats.v[0].nr_same, 33);
	assert_int_equal(f->repeats.v[1].nr_new, 1);
	assert_int_equal(f->repeats.v[1].nr_same, 70 - 34);
	assert_int_equal(f->repeats.v[2].nr_new, 2);
	assert_int_equal(f->repeats.v[2].nr_same, 96 - 72 + 33);
	assert_int_equal(f->repeats.end, 3 * 96);
	/* a block is independent of earlier ones */
	assert_int_equal(repeats_fill(&f->repeats, &f->records, 2), 1);
	check(f);
	assert_int_equal(f->repeats.nr, 0);
}

/* Records of other sizes may come between, and sizes that share an entry. */
static void test_sizes(void **state)
{
	struct fixture *f = *state;

	add(f, 96, 1);
	add(f, 40, 1);
	add(f, 96, 1);
	assert_int_equal(repeats_fill(&f->repeats, &f->records, 0), 3);
	check(f);
	assert_int_equal(f->repeats.nr, 1);
	assert_int_equal(f->repeats.v[0].distance, 96 + 40);
	add(f, 96 + 8 * REPEATS_SIZES, 1);
	add(f, 96, 1);
	/* not a multiple of 8, which the kernel never writes */
	add(f, 13, 1);
	add(f, 13, 1);
	assert_int_equal(repeats_fill(&f->repeats, &f->records, 0), 7);
	check(f);
	assert_int_equal(f->repeats.nr, 1);
}

/* However similar records are, a repeat never exceeds the limit of zstd's format. */
static void test_long_repeats(void **state)
{
	struct fixture *f = *state;
	size_t nr;

	for (int i = 0; i < NR; i++)
		add(f, 80, 0);
	nr = repeats_fill(&f->repeats, &f->records, 0);
	assert_int_equal(nr, REPEATS_BLOCK / 80);
	check(f);
	for (uint32_t i = 0; i < f->repeats.nr; i++)
		assert_in_range(f->repeats.v[i].nr_same, 1, UINT16_MAX);
	f->len = f->records.nr = 0;
	add(f, UINT16_MAX / 8 * 8, 0);
	add(f, UINT16_MAX / 8 * 8, 0);
	add(f, 8, 0);
	assert_int_equal(repeats_fill(&f->repeats, &f->records, 0), 3);
	check(f);
}

/* Differences at any bytes, and records without equal bytes. */
static void test_any_bytes(void **state)
{
	struct fixture *f = *state;
	uint32_t x = 1;
	size_t nr = 0;

	for (int i = 0; i < NR; i++) {
		uint8_t *record = add(f, (uint16_t)(64 + i / 4000 * 8), 0);

		for (int n = 0; n < 1 << i / 4000 * 2; n++) {
			x = x * 1103515245 + 12345;
			record[8 + (x >> 16) % 56] = (uint8_t)(x >> 24);
		}
	}
	while (nr < NR) {
		size_t more = repeats_fill(&f->repeats, &f->records, nr);

		assert_in_range(more, 1, NR);
		check(f);
		nr += more;
	}
	assert_int_equal(repeats_fill(&f->repeats, &f->records, NR), 0);
}

/* Samples stored as their differing fields become equal to whole ones, with the same repeats. */
static void test_likes(void **state)
{
	enum { SIZE = 112, TID_AT = 56, OBJECT_AT = 68, TEMPLATES = 3 };
	struct fixture *f = *state;
	struct record_like *likes = calloc(NR, sizeof(*likes));
	uint8_t *whole = malloc((size_t)REPEATS_BLOCK);
	struct record_order order = {f->bytes, NULL, NR, likes};
	uint32_t *at = calloc(NR, sizeof(*at)), x = 1;
	size_t nr, nr_done = 0;

	assert_non_null(likes);
	assert_non_null(whole);
	assert_non_null(at);
	order.at = at;
	for (uint32_t i = 0; i < NR; i++) {
		/* runs of samples like one of a few; each complete record is a template */
		uint32_t template = i / 7 % TEMPLATES;
		uint8_t *record =
			add(f, (uint16_t)(SIZE + 8 * (template == 2)), (uint8_t) template);
		struct record_like like = {
			.at = f->at[template * 7],
			.tid_at = TID_AT,
			.object_at = OBJECT_AT,
			.pid = i / 3,
			.tid = i / 2,
			.time = i * 12345ULL,
		};

		x = x * 1103515245 + 12345;
		like.object = 0xffff888000000000ULL + (x >> 8) % (i % 2 ? 1U << 24 : 4);
		memcpy(record + RECORD_LIKE_TASK_AT, &like.pid, 4);
		memcpy(record + RECORD_LIKE_TASK_AT + 4, &like.tid, 4);
		memcpy(record + RECORD_LIKE_TIME_AT, &like.time, 8);
		memcpy(record + TID_AT, &like.tid, 4);
		memcpy(record + OBJECT_AT, &like.object, 8);
		likes[i] = like;
		at[i] = i % 7 || i >= 7 * TEMPLATES ? RECORD_LIKE | i : f->at[i];
	}
	while (nr_done < NR) {
		uint32_t len, nr_repeats;

		nr = repeats_fill(&f->repeats, &f->records, nr_done);
		len = f->repeats.len;
		nr_repeats = f->repeats.nr;
		memcpy(whole, f->repeats.bytes, len);
		assert_int_equal(repeats_fill(&f->repeats, &order, nr_done), nr);
		assert_int_equal(f->repeats.len, len);
		assert_memory_equal(f->repeats.bytes, whole, len);
		assert_int_equal(f->repeats.nr, nr_repeats);
		check(f);
		nr_done += nr;
	}
	free(likes);
	free(whole);
	free(at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_like_the_one_before, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sizes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_repeats, setup, teardown),
		cmocka_unit_test_setup_teardown(test_any_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_likes, setup, teardown),
	};

	return cmocka_run_group_tests_name("repeats", tests, NULL, NULL);
}
