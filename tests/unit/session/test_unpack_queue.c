// SPDX-License-Identifier: GPL-2.0-or-later
/* The queue's output is the same with and without a thread, however it ends. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/skip.h"
#include "util/base/bytes.h"
#include "util/base/strbuf.h"
#include "util/perfdata/pack.h"
#include "util/perfdata/record.h"
#include "util/session/unpack_queue.h"

#define NR_MAX 1000

/* Pieces of one or more streams, each ended by a flush. */
struct stream {
	struct strbuf bytes;
	size_t end[NR_MAX]; /* of each piece */
	unsigned int nr;
};

/* The payloads of the COMPRESSED records, as one piece. */
static void add_piece(struct stream *s, const struct iovec *records)
{
	const uint8_t *p = records->iov_base, *end = p + records->iov_len;

	while (p < end) {
		uint16_t size = load_u16(p + 6, false);

		strbuf_add(&s->bytes, p + RECORD_HEADER_SIZE, size - RECORD_HEADER_SIZE);
		p += size;
	}
	assert_true(s->nr < NR_MAX);
	s->end[s->nr++] = s->bytes.len;
}

/* nr pieces that unpack to `size` bytes each, with little repetition. */
static void add_stream(struct stream *s, unsigned int nr, size_t size)
{
	struct error err = ERROR_INIT;
	uint32_t random = s->nr + 1;
	uint32_t *words = malloc(size + 4);
	struct packer *packer;

	assert_non_null(words);
	assert_int_equal(packer_new(&packer, 1, &err), 0);
	while (nr--) {
		struct iovec in = {words, size}, records;

		for (size_t i = 0; i < size / 4 + 1; i++) {
			random = random * 1664525 + 1013904223;
			words[i] = random >> 20;
		}
		assert_int_equal(packer_feed(packer, &in, 1, &records, &err), 0);
		add_piece(s, &records);
	}
	packer_free(packer);
	free(words);
}

/* One piece of `mib` MiB of zeros. */
static void make_bomb(struct stream *s, unsigned int mib)
{
	static uint8_t zeros[1 << 20];
	struct error err = ERROR_INIT;
	struct packer *packer;

	assert_int_equal(packer_new(&packer, 1, &err), 0);
	while (mib--) {
		struct iovec in = {zeros, sizeof(zeros)}, records;

		assert_int_equal(packer_feed(packer, &in, 1, &records, &err), 0);
		add_piece(s, &records);
	}
	packer_free(packer);
	s->end[0] = s->end[s->nr - 1];
	s->nr = 1;
}

static void deinit(struct stream *s)
{
	strbuf_deinit(&s->bytes);
	*s = (struct stream){.bytes = STRBUF_INIT};
}

/* The reader: the output, portion by portion, and the blocks. */
struct reading {
	struct unpack_queue *q;
	const struct stream *s;
	struct strbuf portions; /* pos, length and whether it is the last; -1 after a reset */
	struct strbuf bytes;
	struct spans spans;
	uint8_t *blocks[NR_MAX];
	unsigned int nr_blocks, added;
};

static void start(struct reading *r, const struct stream *s, bool threaded)
{
	struct error err = ERROR_INIT;

	*r = (struct reading){.s = s, .portions = STRBUF_INIT, .bytes = STRBUF_INIT};
	assert_int_equal(unpack_queue_new(&r->q, &r->spans, threaded), 0);
	assert_int_equal(unpack_queue_open(r->q, &err), 0);
}

static void end_reading(struct reading *r)
{
	unpack_queue_free(r->q);
	for (unsigned int i = 0; i < r->nr_blocks; i++)
		free(r->blocks[i]);
	spans_deinit(&r->spans);
	strbuf_deinit(&r->portions);
	strbuf_deinit(&r->bytes);
}

static void add(struct reading *r)
{
	for (unsigned int n = unpack_queue_wants(r->q); n && r->added < r->s->nr; n--) {
		size_t from = r->added ? r->s->end[r->added - 1] : 0;

		unpack_queue_add(r->q, r->added, (const uint8_t *)r->s->bytes.buf + from,
				 r->s->end[r->added] - from);
		r->added++;
	}
}

static int take(struct reading *r, struct unpacked *u)
{
	int ret = unpack_queue_take(r->q, u);
	uint64_t portion[3];

	if (ret)
		return ret;
	if (u->block) {
		assert_true(r->nr_blocks < NR_MAX);
		r->blocks[r->nr_blocks++] = u->block;
	}
	portion[0] = u->pos;
	portion[1] = u->len;
	portion[2] = u->last;
	strbuf_add(&r->portions, portion, sizeof(portion));
	strbuf_add(&r->bytes, u->data, u->len);
	/* offset in the block, because its neighbours depend on it */
	if (u->len)
		strbuf_addf(&r->portions, "%s%zu", u->block ? "block " : "",
			    (size_t)(u->data - r->blocks[r->nr_blocks - 1]));
	return 0;
}

/* Takes all of a piece; negative if it is bad. */
static int take_piece(struct reading *r)
{
	struct unpacked u;
	int ret;

	do {
		ret = take(r, &u);
	} while (!ret && !u.last);
	return ret;
}

/* Continue with the piece number `at`. */
static void restart(struct reading *r, unsigned int at)
{
	struct error err = ERROR_INIT;

	unpack_queue_reset(r->q);
	assert_int_equal(unpack_queue_open(r->q, &err), 0);
	r->added = at;
}

/* Takes every piece; after a bad or unwanted one, continues with the piece number `next`. */
static void read_all(struct reading *r, unsigned int next, unsigned int unwanted)
{
	for (unsigned int at = 0; at < r->s->nr; at++) {
		add(r);
		if (!take_piece(r) && at != unwanted)
			continue;
		strbuf_addstr(&r->portions, "bad");
		restart(r, next);
		at = next - 1;
	}
	assert_int_equal(unpack_queue_take(r->q, &(struct unpacked){0}), -EINVAL);
}

static void assert_same_both_ways(const struct stream *s, unsigned int next, unsigned int unwanted)
{
	struct reading here, ahead;

	start(&here, s, false);
	start(&ahead, s, true);
	read_all(&here, next, unwanted);
	read_all(&ahead, next, unwanted);
	assert_true(here.portions.len > 0 && here.bytes.len > 0);
	assert_int_equal(here.portions.len, ahead.portions.len);
	assert_memory_equal(here.portions.buf, ahead.portions.buf, here.portions.len);
	assert_int_equal(here.bytes.len, ahead.bytes.len);
	assert_memory_equal(here.bytes.buf, ahead.bytes.buf, here.bytes.len);
	assert_int_equal(here.nr_blocks, ahead.nr_blocks);
	end_reading(&here);
	end_reading(&ahead);
}

static void test_same_with_a_thread(void **state)
{
	static const size_t sizes[] = {1, 100, 7000, 65536, 300000, 1 << 20};
	struct stream s = {.bytes = STRBUF_INIT};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		add_stream(&s, sizes[i] < 65536 ? 400 : 20, sizes[i]);
		assert_same_both_ways(&s, 0, UINT_MAX);
		deinit(&s);
	}
}

static void test_bad_piece_and_the_frame_behind_it(void **state)
{
	struct stream s = {.bytes = STRBUF_INIT};
	unsigned int next;

	(void)state;
	add_stream(&s, 200, 20001);
	next = s.nr;
	add_stream(&s, 200, 3001);
	/* in the first piece, while much is queued, near the end of the first stream */
	for (unsigned int at = 0; at < next; at += 99) {
		size_t from = at ? s.end[at - 1] : 0;
		char saved[4];

		memcpy(saved, s.bytes.buf + from, 4);
		memset(s.bytes.buf + from, 0xff, 4);
		assert_same_both_ways(&s, next, UINT_MAX);
		memcpy(s.bytes.buf + from, saved, 4);
		assert_same_both_ways(&s, next, at);
	}
	deinit(&s);
}

/* At any point: neither hangs nor leaks, which the sanitizer checks. */
static void test_ending_early(void **state)
{
	struct stream s = {.bytes = STRBUF_INIT};

	(void)state;
	add_stream(&s, 70, 200000);
	for (unsigned int taken = 0; taken < 40; taken += 3) {
		struct reading r;
		struct unpacked u;

		start(&r, &s, true);
		for (int turn = 0; turn < 3; turn++) {
			add(&r);
			for (unsigned int i = 0; i < taken; i++)
				assert_int_equal(take(&r, &u), 0);
			if (turn == 1)
				add(&r);
			else
				restart(&r, 0);
		}
		end_reading(&r);
		start(&r, &s, true);
		end_reading(&r);
	}
	deinit(&s);
}

static void test_bomb_comes_in_portions(void **state)
{
	struct stream s = {.bytes = STRBUF_INIT};
	struct unpacked u;
	struct reading r;

	(void)state;
	make_bomb(&s, 64);
	assert_same_both_ways(&s, 1, UINT_MAX);
	start(&r, &s, true);
	add(&r);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(take(&r, &u), 0);
		assert_int_equal(u.len, UNPACK_ROOM);
		assert_false(u.last);
	}
	end_reading(&r);
	deinit(&s);
}

static void test_without_libzstd(void **state)
{
	(void)state;
	skip_because("perf is built without libzstd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_with_a_thread),
		cmocka_unit_test(test_bad_piece_and_the_frame_behind_it),
		cmocka_unit_test(test_ending_early),
		cmocka_unit_test(test_bomb_comes_in_portions),
	};
	const struct CMUnitTest skipped[] = {cmocka_unit_test(test_without_libzstd)};

	if (!packer_available())
		return cmocka_run_group_tests_name("unpack_queue", skipped, NULL, NULL);
	return cmocka_run_group_tests_name("unpack_queue", tests, NULL, NULL);
}
