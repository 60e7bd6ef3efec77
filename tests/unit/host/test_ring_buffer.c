// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/host/ring_buffer.h"

#define SIZE 64

struct fixture {
	struct perf_event_mmap_page page;
	uint8_t data[SIZE];
	struct ring_buffer rb;
};

static void fixture_init(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->rb = (struct ring_buffer){.page = &f->page, .data = f->data, .size = SIZE};
}

static void test_empty(void **state)
{
	struct iovec pieces[2];
	struct fixture f;
	int nr = -1;

	(void)state;
	fixture_init(&f);
	assert_int_equal(ring_buffer_take(&f.rb, pieces, &nr), 0);
	assert_int_equal(nr, 0);
	ring_buffer_release(&f.rb, f.rb.taken);
	assert_int_equal(f.page.data_tail, 0);
}

static void test_one_piece(void **state)
{
	struct iovec pieces[2];
	struct fixture f;
	int nr;

	(void)state;
	fixture_init(&f);
	f.page.data_head = SIZE; /* full, and not wrapped */
	assert_int_equal(ring_buffer_take(&f.rb, pieces, &nr), SIZE);
	assert_int_equal(nr, 1);
	assert_ptr_equal(pieces[0].iov_base, f.data);
	assert_int_equal(pieces[0].iov_len, SIZE);
	assert_int_equal(f.page.data_tail, 0); /* the kernel must not write there yet */
	ring_buffer_release(&f.rb, f.rb.taken);
	assert_int_equal(f.page.data_tail, SIZE);
}

static void test_wrap(void **state)
{
	struct iovec pieces[2];
	struct fixture f;
	int nr;

	(void)state;
	fixture_init(&f);
	f.page.data_tail = 3 * SIZE + 48;
	f.page.data_head = 4 * SIZE + 24;
	assert_int_equal(ring_buffer_take(&f.rb, pieces, &nr), 40);
	assert_int_equal(nr, 2);
	assert_ptr_equal(pieces[0].iov_base, f.data + 48);
	assert_int_equal(pieces[0].iov_len, 16);
	assert_ptr_equal(pieces[1].iov_base, f.data);
	assert_int_equal(pieces[1].iov_len, 24);
	/* Records that come after the take are left for the next one. */
	f.page.data_head += 8;
	ring_buffer_release(&f.rb, f.rb.taken);
	assert_int_equal(f.page.data_tail, 4 * SIZE + 24);
	assert_int_equal(ring_buffer_take(&f.rb, pieces, &nr), 8);
	assert_int_equal(nr, 1);
	ring_buffer_release(&f.rb, f.rb.taken);
}

struct numbers {
	uint64_t v[4];
	size_t nr;
	int ret; /* to return for the second record */
};

static int take_number(void *ctx, const struct perf_event_header *h)
{
	struct numbers *n = ctx;

	memcpy(&n->v[n->nr], h + 1, sizeof(n->v[0]));
	return n->nr++ == 1 ? n->ret : 0;
}

/* Records of 24 bytes with their number and padding. */
static void write_record(struct fixture *f, uint64_t number)
{
	const struct perf_event_header h = {.size = 24};
	uint8_t record[24] = {0};

	memcpy(record, &h, sizeof(h));
	memcpy(record + sizeof(h), &number, sizeof(number));
	for (size_t i = 0; i < sizeof(record); i++)
		f->data[f->page.data_head++ % SIZE] = record[i];
}

static void test_each_record(void **state)
{
	struct numbers n = {.nr = 0};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	assert_int_equal(ring_buffer_for_each(&f.rb, take_number, &n), 0);
	assert_int_equal(n.nr, 0);
	f.page.data_head = f.page.data_tail = SIZE - 32; /* the second one wraps */
	write_record(&f, 7);
	write_record(&f, 8);
	assert_int_equal(ring_buffer_for_each(&f.rb, take_number, &n), 0);
	assert_int_equal(n.nr, 2);
	assert_int_equal(n.v[0], 7);
	assert_int_equal(n.v[1], 8);
	assert_int_equal(ring_buffer_unread(&f.rb), 0);
}

/* The kernel gets the space of records that are not read, too. */
static void test_an_error_ends_the_reading(void **state)
{
	struct numbers n = {.ret = -5};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	write_record(&f, 7);
	write_record(&f, 8);
	f.page.data_head = SIZE; /* and what no record has */
	assert_int_equal(ring_buffer_for_each(&f.rb, take_number, &n), -5);
	assert_int_equal(n.nr, 2);
	assert_int_equal(ring_buffer_unread(&f.rb), 0);
	assert_int_equal(f.rb.taken, 0);
}

/* The kernel writes downwards; records of 16 bytes, each with its number after the header. */
static void write_backward(struct fixture *f, uint64_t number)
{
	struct perf_event_header h = {.size = 16};

	f->page.data_head -= h.size;
	memcpy(f->data + f->page.data_head % SIZE, &h, sizeof(h));
	memcpy(f->data + f->page.data_head % SIZE + 8, &number, sizeof(number));
}

static void test_newest(void **state)
{
	struct perf_event_header h = {0};
	uint8_t copy[SIZE];
	struct fixture f;
	uint64_t number;

	(void)state;
	fixture_init(&f);
	assert_int_equal(ring_buffer_copy_newest(&f.rb, copy), 0);
	for (uint64_t i = 1; i <= 3; i++)
		write_backward(&f, i);
	assert_int_equal(ring_buffer_copy_newest(&f.rb, copy), 48);
	assert_false(ring_buffer_overwritten(&f.rb));
	for (uint64_t i = 1; i <= 3; i++) {
		memcpy(&number, copy + i * 16 + 8, sizeof(number));
		assert_int_equal(number, i);
	}
	/* Round and round: the newest four, oldest first. */
	for (uint64_t i = 4; i <= 11; i++)
		write_backward(&f, i);
	assert_int_equal(ring_buffer_copy_newest(&f.rb, copy), SIZE);
	assert_true(ring_buffer_overwritten(&f.rb));
	for (uint64_t i = 0; i < 4; i++) {
		memcpy(&number, copy + i * 16 + 8, sizeof(number));
		assert_int_equal(number, 8 + i);
	}
	/* A longer one overwrites part of the oldest, which is then skipped. */
	f.page.data_head -= 24;
	h.size = 24; /* it wraps after its header */
	memcpy(f.data + f.page.data_head % SIZE, &h, sizeof(h));
	assert_int_equal(ring_buffer_copy_newest(&f.rb, copy), 24 + 2 * 16);
	memcpy(&number, copy + SIZE - 24 - 16 + 8, sizeof(number));
	assert_int_equal(number, 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_one_piece),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_each_record),
		cmocka_unit_test(test_an_error_ends_the_reading),
		cmocka_unit_test(test_newest),
	};

	return cmocka_run_group_tests_name("ring_buffer", tests, NULL, NULL);
}
