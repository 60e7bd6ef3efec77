// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/session/resync.h"

#define UNKNOWN_TYPE 4711

struct fixture {
	struct recording recording;
	struct perfdata_input input;
	_Alignas(8) uint8_t bytes[4096];
	size_t len;
};

static void init(struct fixture *f, const struct source_options *options)
{
	memset(f, 0, sizeof(*f));
	recording_init(&f->recording);
	perfdata_input_init(&f->input, &f->recording, options);
}

static void deinit(struct fixture *f)
{
	perfdata_input_deinit(&f->input);
	recording_deinit(&f->recording);
}

static void add(struct fixture *f, uint32_t type, uint16_t size)
{
	const struct perf_event_header h = {.type = type, .size = size};

	memcpy(f->bytes + f->len, &h, sizeof(h));
	f->len += size;
}

static bool first_is_believable(const struct fixture *f)
{
	struct record rec;

	assert_int_equal(record_peek(f->bytes, f->len, false, &rec), RECORD_OK);
	return record_is_believable(&f->recording, &rec, f->len);
}

static void test_an_unknown_type_is_believed_if_known_ones_follow(void **state)
{
	static const struct source_options none = {.force = true};
	struct fixture f;

	(void)state;
	init(&f, &none);
	add(&f, PERF_RECORD_COMM, 24);
	assert_true(first_is_believable(&f));

	f.len = 0;
	add(&f, UNKNOWN_TYPE, 24);
	assert_true(first_is_believable(&f)); /* the last record: nothing contradicts it */
	add(&f, UNKNOWN_TYPE + 1, 16);
	add(&f, PERF_RECORD_COMM, 24);
	assert_true(first_is_believable(&f));
	/* the next bytes are not a record: the size is less than the header's */
	memcpy(f.bytes + 24 + offsetof(struct perf_event_header, size), &(uint16_t){4}, 2);
	assert_false(first_is_believable(&f));
	/* a size that no kernel writes */
	f.len = 0;
	add(&f, UNKNOWN_TYPE, 20);
	assert_false(first_is_believable(&f));
	deinit(&f);
}

static void test_the_next_sequence_is_found(void **state)
{
	static const struct source_options none = {.force = true};
	struct fixture f;
	uint64_t skip = 0;

	(void)state;
	init(&f, &none);
	memset(f.bytes, 0xff, sizeof(f.bytes));
	f.len = 40;
	/* a single record is not a sequence, unless the bytes end with it */
	add(&f, PERF_RECORD_COMM, 24);
	f.len += 20;
	for (int i = 0; i < 4; i++)
		add(&f, PERF_RECORD_COMM, 24);
	assert_int_equal(record_skip(&f.input, f.bytes, f.len + 100, 1000, false, &skip), 0);
	assert_int_equal(skip, 40 + 24 + 20);
	assert_int_equal(f.recording.facts.damage.nr_skipped_records, 1);
	assert_int_equal(f.recording.facts.damage.nr_skipped_bytes, skip);
	assert_int_equal(f.recording.facts.damage.first_pos, 1000);
	assert_non_null(strstr(f.recording.facts.damage.what, "no record can be read"));
	assert_false(f.recording.facts.damage.truncated);
	assert_int_equal(record_skip(&f.input, f.bytes, 40 + 24, 1000, false, &skip), 0);
	assert_int_equal(skip, 40);
	deinit(&f);
}

static void test_without_a_next_one_all_is_skipped(void **state)
{
	static const struct source_options none = {.force = true};
	struct fixture f;
	uint64_t skip = 0;

	(void)state;
	init(&f, &none);
	memset(f.bytes, 0xff, sizeof(f.bytes));
	assert_int_equal(record_skip(&f.input, f.bytes, sizeof(f.bytes), 8, true, &skip), 0);
	assert_int_equal(skip, sizeof(f.bytes));
	assert_true(f.recording.facts.damage.truncated);
	assert_int_equal(f.recording.facts.damage.nr_skipped_records, 0);
	assert_string_equal(f.recording.facts.damage.what, "the data ends inside a record");
	deinit(&f);
}

static int ask_to_stop(void *ctx, uint64_t bytes, uint64_t bytes_total, uint64_t nr_samples)
{
	(void)bytes, (void)bytes_total, (void)nr_samples;
	++*(int *)ctx;
	return 1;
}

static void test_a_long_search_can_be_stopped(void **state)
{
	static uint8_t hole[3 << 20];
	int asked = 0;
	const struct source_options options = {.progress = ask_to_stop, .progress_ctx = &asked};
	struct fixture f;
	uint64_t skip = 5;

	(void)state;
	init(&f, &options);
	assert_int_equal(record_skip(&f.input, hole, sizeof(hole), 0, false, &skip), -ECANCELED);
	assert_int_equal(asked, 1);
	assert_int_equal(skip, 5);
	assert_true(f.input.stopped);
	deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_unknown_type_is_believed_if_known_ones_follow),
		cmocka_unit_test(test_the_next_sequence_is_found),
		cmocka_unit_test(test_without_a_next_one_all_is_skipped),
		cmocka_unit_test(test_a_long_search_can_be_stopped),
	};

	return cmocka_run_group_tests_name("resync", tests, NULL, NULL);
}
