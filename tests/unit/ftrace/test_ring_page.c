// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/ftrace/ring_page.h"

#define PAGE   256
#define HEADER 16

static const struct ring_layout layout = {.long_size = 8, .page_size = PAGE};

struct built {
	uint8_t page[PAGE];
	uint32_t used;
};

static void put_word(struct built *b, uint32_t v)
{
	memcpy(b->page + HEADER + b->used, &v, sizeof(v));
	b->used += 4;
}

static void begin(struct built *b, uint64_t time_ns)
{
	memset(b, 0, sizeof(*b));
	memcpy(b->page, &time_ns, sizeof(time_ns));
}

static void end(struct built *b, uint64_t flags)
{
	uint64_t commit = b->used | flags;

	memcpy(b->page + 8, &commit, sizeof(commit));
}

/* Short data: the type is the number of words. */
static void put_event(struct built *b, uint32_t delta, uint32_t words, uint32_t value)
{
	put_word(b, delta << 5 | words);
	for (uint32_t i = 0; i < words; i++)
		put_word(b, value);
}

static void events_have_the_time_since_the_one_before(void **state)
{
	struct ring_page p;
	struct ring_event e;
	struct built b;

	(void)state;
	begin(&b, 1000);
	put_event(&b, 5, 2, 7);
	put_word(&b, 3u << 5 | 30); /* a time extension: 2 << 27, and 3 */
	put_word(&b, 2);
	put_event(&b, 1, 1, 8);
	end(&b, 0);
	assert_true(ring_page_init(&p, &layout, b.page, PAGE));
	assert_true(ring_page_next(&p, &e));
	assert_int_equal(e.time_ns, 1005);
	assert_int_equal(e.size, 8);
	assert_true(ring_page_next(&p, &e));
	assert_int_equal(e.time_ns, 1005 + (2u << 27) + 3 + 1);
	assert_int_equal(e.size, 4);
	assert_false(ring_page_next(&p, &e));
	assert_false(p.broken);
}

static void long_data_are_told_their_length(void **state)
{
	struct ring_page p;
	struct ring_event e;
	struct built b;

	(void)state;
	begin(&b, 1);
	put_word(&b, 0); /* type 0: the next word is the length, including itself */
	put_word(&b, 4 + 120);
	b.used += 120;
	put_event(&b, 1, 1, 0);
	end(&b, 0);
	assert_true(ring_page_init(&p, &layout, b.page, PAGE));
	assert_true(ring_page_next(&p, &e));
	assert_int_equal(e.size, 120);
	assert_true(ring_page_next(&p, &e));
	assert_false(ring_page_next(&p, &e));
}

static void what_was_discarded_is_skipped(void **state)
{
	struct ring_page p;
	struct ring_event e;
	struct built b;

	(void)state;
	begin(&b, 0);
	put_word(&b, 1u << 5 | 29);
	put_word(&b, 8); /* bytes from here on */
	put_word(&b, 0xdead);
	put_event(&b, 1, 1, 3);
	put_word(&b, 29); /* no time: end of the written events */
	end(&b, 0);
	b.used += 64;
	assert_true(ring_page_init(&p, &layout, b.page, PAGE));
	assert_true(ring_page_next(&p, &e));
	assert_memory_equal(e.data, &(uint32_t){3}, 4);
	assert_int_equal(e.time_ns, 2);
	assert_false(ring_page_next(&p, &e));
	assert_false(p.broken);
}

static void an_absolute_time_keeps_the_high_bits(void **state)
{
	uint64_t before = 3ULL << 59 | 100;
	struct ring_page p;
	struct ring_event e;
	struct built b;

	(void)state;
	begin(&b, before);
	put_word(&b, 7u << 5 | 31);
	put_word(&b, 1);
	put_event(&b, 0, 1, 0);
	end(&b, 0);
	assert_true(ring_page_init(&p, &layout, b.page, PAGE));
	assert_true(ring_page_next(&p, &e));
	assert_true(e.time_ns == (3ULL << 59) + (1ULL << 27) + 7);
}

static void missed_events_are_counted(void **state)
{
	struct ring_page p;
	struct built b;
	uint64_t nr = 42;

	(void)state;
	begin(&b, 1);
	put_event(&b, 1, 1, 0);
	end(&b, 1u << 31);
	assert_true(ring_page_init(&p, &layout, b.page, PAGE));
	assert_true(p.missed);
	assert_int_equal(p.nr_missed, 0);
	end(&b, 1u << 31 | 1u << 30);
	memcpy(b.page + HEADER + b.used, &nr, sizeof(nr));
	assert_true(ring_page_init(&p, &layout, b.page, PAGE));
	assert_int_equal(p.nr_missed, 42);
}

static void no_event_lies_outside_of_its_page(void **state)
{
	struct ring_page p;
	struct ring_event e;
	struct built b;

	(void)state;
	/* more bytes used than the page has */
	begin(&b, 1);
	put_event(&b, 1, 1, 0);
	b.used = 1u << 20;
	end(&b, 0);
	assert_true(ring_page_init(&p, &layout, b.page, PAGE));
	assert_true(p.broken);
	while (ring_page_next(&p, &e))
		assert_true(e.data >= b.page && e.data + e.size <= b.page + PAGE);
	/* data longer than the page, and an impossible length */
	for (uint32_t length = 0; length < 2; length++) {
		begin(&b, 1);
		put_word(&b, 0);
		put_word(&b, length ? UINT32_MAX : 3);
		end(&b, 0);
		assert_true(ring_page_init(&p, &layout, b.page, PAGE));
		assert_false(ring_page_next(&p, &e));
		assert_true(p.broken);
	}
	/* a page shorter than its header */
	assert_false(ring_page_init(&p, &layout, b.page, HEADER - 1));
}

static void a_page_that_is_cut_gives_what_is_there(void **state)
{
	struct ring_page p;
	struct ring_event e;
	struct built b;

	(void)state;
	begin(&b, 1);
	put_event(&b, 1, 1, 0);
	put_event(&b, 1, 1, 0);
	end(&b, 0);
	assert_true(ring_page_init(&p, &layout, b.page, HEADER + 12));
	assert_true(ring_page_next(&p, &e));
	assert_false(ring_page_next(&p, &e));
	assert_true(p.broken);
}

static void other_byte_orders_have_their_bits_elsewhere(void **state)
{
	const struct ring_layout big = {.swap = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
					.big_endian = true,
					.long_size = 4,
					.page_size = PAGE};
	uint8_t page[PAGE] = {0};
	struct ring_page p;
	struct ring_event e;

	(void)state;
	page[7] = 9;	   /* time */
	page[11] = 8;	   /* bytes used, in a long of 4 */
	page[12] = 1 << 3; /* type 1 */
	page[15] = 2;	   /* delta */
	page[19] = 5;	   /* data */
	assert_true(ring_page_init(&p, &big, page, PAGE));
	assert_true(ring_page_next(&p, &e));
	assert_int_equal(e.time_ns, 11);
	assert_int_equal(e.data[3], 5);
	assert_false(ring_page_next(&p, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_have_the_time_since_the_one_before),
		cmocka_unit_test(long_data_are_told_their_length),
		cmocka_unit_test(what_was_discarded_is_skipped),
		cmocka_unit_test(an_absolute_time_keeps_the_high_bits),
		cmocka_unit_test(missed_events_are_counted),
		cmocka_unit_test(no_event_lies_outside_of_its_page),
		cmocka_unit_test(a_page_that_is_cut_gives_what_is_there),
		cmocka_unit_test(other_byte_orders_have_their_bits_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
