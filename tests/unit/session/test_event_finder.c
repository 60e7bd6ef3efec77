// SPDX-License-Identifier: GPL-2.0-or-later
/* The event that a record belongs to: by its id, at any place, or by its other content. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/perfdata/format.h"
#include "util/session/event_finder.h"

struct fixture {
	struct recording recording;
	struct event_finder finder;
	uint64_t words[8]; /* a record */
	struct record record;
};

static void init(struct fixture *f)
{
	*f = (struct fixture){.record = {.type = PERF_RECORD_SAMPLE, .size = 32, .total = 32}};
	recording_init(&f->recording);
	f->record.data = (const uint8_t *)f->words;
}

static struct recorded_event *add(struct fixture *f, uint64_t sample_type, uint64_t config,
				  uint64_t id)
{
	const struct event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
					.config = config,
					.sample_type = sample_type,
					.flags = 1ull << ATTR_SAMPLE_ID_ALL};
	struct recorded_event *ev = recording_add_event(&f->recording, &attr);

	assert_non_null(ev);
	if (id)
		assert_int_equal(recording_add_id(&f->recording, id, ev->event.index), 0);
	return ev;
}

static struct recorded_event *find(struct fixture *f)
{
	return event_finder_sample(&f->finder, &f->recording, &f->record);
}

static struct recorded_event *find_id(struct fixture *f, uint64_t id)
{
	f->words[1] = id;
	return find(f);
}

/* Each is looked up twice: the second time the result is cached. */
static void test_by_id(void **state)
{
	struct recorded_event *a, *b, *late;
	struct fixture f;

	(void)state;
	init(&f);
	assert_null(find_id(&f, 7)); /* no event at all */
	a = add(&f, PERF_SAMPLE_IDENTIFIER, 1, 7);
	b = add(&f, PERF_SAMPLE_IDENTIFIER, 2, 8);
	for (int i = 0; i < 2; i++) {
		assert_ptr_equal(find_id(&f, 7), a);
		assert_ptr_equal(find_id(&f, 8), b);
		assert_null(find_id(&f, 9));
		assert_null(find_id(&f, 7 + EVENT_FINDER_CACHE)); /* in the same cache slot as 7 */
	}
	/* in a pipe, where events arrive one by one */
	late = add(&f, PERF_SAMPLE_IDENTIFIER, 3, 9);
	for (int i = 0; i < 2; i++) {
		assert_ptr_equal(find_id(&f, 9), late);
		assert_ptr_equal(find_id(&f, 7), a);
	}
	recording_deinit(&f.recording);
}

static void test_ids_in_different_places(void **state)
{
	struct recorded_event *first, *second;
	struct fixture f;

	(void)state;
	init(&f);
	first = add(&f, PERF_SAMPLE_IDENTIFIER, 1, 7);
	assert_ptr_equal(find_id(&f, 7), first);
	second = add(&f, PERF_SAMPLE_TID | PERF_SAMPLE_ID, 2, 8);
	for (int i = 0; i < 2; i++) {
		f.words[2] = 0;
		assert_ptr_equal(find_id(&f, 7), first);
		/* an id at another event's place does not count: the sample goes to the first
		 * event */
		assert_ptr_equal(find_id(&f, 8), first);
		f.words[2] = 8;
		assert_ptr_equal(find_id(&f, 8), second);
		assert_ptr_equal(find_id(&f, 1000), second);
	}
	recording_deinit(&f.recording);
}

static void test_the_only_one(void **state)
{
	struct recorded_event *ev;
	struct fixture f;

	(void)state;
	init(&f);
	ev = add(&f, PERF_SAMPLE_TID | PERF_SAMPLE_TIME, 1, 0);
	assert_ptr_equal(find_id(&f, 1234), ev);
	recording_deinit(&f.recording);
}

/* Without ids: a tracepoint's raw data starts with its number. */
static void test_by_the_number_of_the_tracepoint(void **state)
{
	struct recorded_event *a, *b;
	const uint32_t raw_size = 4;
	struct fixture f;
	uint16_t number = 0;

	(void)state;
	init(&f);
	a = add(&f, PERF_SAMPLE_RAW, 500, 0);
	b = add(&f, PERF_SAMPLE_RAW, 600, 0);
	for (int i = 0; i < 3; i++) {
		struct recorded_event *want[] = {a, b, NULL};

		number = (uint16_t)(500 + 100 * i);
		memcpy(&f.words[1], &raw_size, sizeof(raw_size));
		memcpy((uint8_t *)&f.words[1] + 4, &number, sizeof(number));
		assert_ptr_equal(find(&f), want[i]);
	}
	recording_deinit(&f.recording);
}

/* LOST and similar records have the id in their last eight bytes. */
static void test_other_records(void **state)
{
	struct recorded_event *a, *b;
	struct fixture f;

	(void)state;
	init(&f);
	f.record.type = PERF_RECORD_LOST;
	assert_null(event_finder_other(&f.finder, &f.recording, &f.record));
	a = add(&f, PERF_SAMPLE_IDENTIFIER, 1, 7);
	b = add(&f, PERF_SAMPLE_IDENTIFIER, 2, 8);
	f.words[3] = 8;
	assert_ptr_equal(event_finder_other(&f.finder, &f.recording, &f.record), b);
	f.words[3] = 7;
	assert_ptr_equal(event_finder_other(&f.finder, &f.recording, &f.record), a);
	f.words[3] = 9; /* unknown: the first one is used */
	assert_ptr_equal(event_finder_other(&f.finder, &f.recording, &f.record), a);
	recording_deinit(&f.recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_id),
		cmocka_unit_test(test_ids_in_different_places),
		cmocka_unit_test(test_the_only_one),
		cmocka_unit_test(test_by_the_number_of_the_tracepoint),
		cmocka_unit_test(test_other_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
