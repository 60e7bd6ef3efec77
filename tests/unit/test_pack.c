// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/perfdata/format.h"
#include "util/perfdata/pack.h"
#include "util/perfdata/unpack.h"

#define SIZE (3 * PACKER_CHUNK + 12345)

/* Unpack all records; each must stay within PACKER_CHUNK. */
static size_t unpack(struct unpacker *u, const struct iovec *records, uint8_t *out, size_t size)
{
	const uint8_t *p = records->iov_base, *end = p + records->iov_len;
	size_t len = 0;

	while (p < end) {
		struct perf_event_header h;
		const uint8_t *in = p + sizeof(h);
		size_t left, written;

		memcpy(&h, p, sizeof(h));
		assert_int_equal(h.type, PERF_RECORD_COMPRESSED);
		left = h.size - sizeof(h);
		assert_int_equal(unpacker_feed(u, &in, &left, out + len, size - len, &written), 0);
		assert_int_equal(left, 0);
		assert_true(written <= PACKER_CHUNK);
		len += written;
		p += h.size;
	}
	return len;
}

static void test_round_trip(void **state)
{
	uint8_t *data = malloc(SIZE), *back = malloc(2 * SIZE);
	struct iovec pieces[2] = {{data, 1000}, {data + 1000, SIZE - 1000}}, records;
	struct unpacker *u;
	struct packer *p;
	uint32_t x = 1;

	(void)state;
	assert_non_null(data);
	assert_non_null(back);
	if (packer_new(&p, 1, NULL) == -ENOTSUP) {
		free(data);
		free(back);
		skip();
	}
	/* One part that compresses to almost nothing, one that does not compress at all. */
	memset(data, 0, SIZE);
	for (size_t i = PACKER_CHUNK; i < 2 * PACKER_CHUNK; i++) {
		x = x * 1103515245 + 12345;
		data[i] = (uint8_t)(x >> 16);
	}
	assert_int_equal(unpacker_new(&u, NULL), 0);
	/* Everything that was fed comes out at once, and the stream continues. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(packer_feed(p, pieces, 2, &records, NULL), 0);
		assert_true(records.iov_len < SIZE / 2);
		assert_int_equal(unpack(u, &records, back, 2 * SIZE), SIZE);
		assert_memory_equal(back, data, SIZE);
	}
	assert_int_equal(packer_feed(p, pieces, 0, &records, NULL), 0);
	assert_int_equal(records.iov_len, 0);
	unpacker_free(u);
	packer_free(p);
	free(data);
	free(back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip)};

	return cmocka_run_group_tests_name("pack", tests, NULL, NULL);
}
