// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/skip.h"
#include "util/perfdata/format.h"
#include "util/perfdata/pack.h"
#include "util/source/unpacking.h"

#define SIZE (3 * PACKER_CHUNK + 12345)

/* Unpack all records; each must stay within PACKER_CHUNK. */
static size_t unpack(struct unpacking *u, const struct iovec *records, uint8_t *out, size_t size)
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
		assert_int_equal(unpacking_feed(u, &in, &left, out + len, size - len, &written), 0);
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
	struct unpacking *u;
	struct packer *p;
	uint32_t x = 1;

	(void)state;
	assert_non_null(data);
	assert_non_null(back);
	if (packer_new(&p, 1, NULL) == -ENOTSUP) {
		free(data);
		free(back);
		skip_because("perf is built without libzstd");
	}
	/* One part that compresses to almost nothing, one that does not compress at all. */
	memset(data, 0, SIZE);
	for (size_t i = PACKER_CHUNK; i < 2 * PACKER_CHUNK; i++) {
		x = x * 1103515245 + 12345;
		data[i] = (uint8_t)(x >> 16);
	}
	assert_int_equal(unpacking_new(PACKING_ZSTD, &u, NULL), 0);
	/* All bytes fed come out at once, and the stream continues. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(packer_feed(p, pieces, 2, &records, NULL), 0);
		assert_true(records.iov_len < SIZE / 2);
		assert_int_equal(unpack(u, &records, back, 2 * SIZE), SIZE);
		assert_memory_equal(back, data, SIZE);
	}
	assert_int_equal(packer_feed(p, pieces, 0, &records, NULL), 0);
	assert_int_equal(records.iov_len, 0);
	unpacking_free(u);
	packer_free(p);
	free(data);
	free(back);
}

struct sample {
	struct perf_event_header header;
	uint64_t same[8];
	uint64_t time;
};

/* Chunks of sorted records and other bytes, at changing levels, are one stream. */
static void test_sorted(void **state)
{
	enum { NR = 20000 };
	static const int levels[] = {1, 1, 3, 1};
	struct sample *samples = calloc(NR, sizeof(*samples));
	uint32_t *at = calloc(NR, sizeof(*at));
	uint8_t *back = malloc(2 * PACKER_CHUNK);
	const struct record_order order = {(const uint8_t *)samples, at, NR, NULL};
	struct iovec other = {at, 4096}, records, chunk;
	struct unpacking *u;
	struct packer *p;
	uint32_t x = 1;

	(void)state;
	assert_non_null(samples);
	assert_non_null(at);
	assert_non_null(back);
	if (packer_new(&p, 1, NULL) == -ENOTSUP) {
		free(samples);
		free(at);
		free(back);
		skip_because("perf is built without libzstd");
	}
	assert_int_equal(unpacking_new(PACKING_ZSTD, &u, NULL), 0);
	for (uint32_t i = 0; i < NR; i++) {
		samples[i].header = (struct perf_event_header){.type = PERF_RECORD_SAMPLE,
							       .size = sizeof(*samples)};
		samples[i].time = 1000 + i * 100;
		at[i] = (NR - 1 - i) * (uint32_t)sizeof(*samples);
		/* those of the last chunks have nothing in common */
		for (size_t n = 0; n < 8 && i < NR / 4; n++) {
			x = x * 1103515245 + 12345;
			samples[i].same[n] = x * 0x9e3779b97f4a7c15ULL;
		}
	}
	for (size_t i = 0, n = 0; i < NR; n++) {
		size_t nr, len;

		packer_set_level(p, levels[n % 4]);
		assert_int_equal(packer_feed(p, &other, 1, &records, NULL), 0);
		assert_int_equal(unpack(u, &records, back, 2 * PACKER_CHUNK), 4096);
		assert_memory_equal(back, at, 4096);
		nr = packer_gather(p, &order, i, &chunk);
		assert_int_equal(nr * sizeof(*samples), chunk.iov_len);
		assert_int_equal(nr, NR - i < PACKER_CHUNK / sizeof(*samples)
					     ? NR - i
					     : PACKER_CHUNK / sizeof(*samples));
		assert_int_equal(packer_feed_chunk(p, &records, NULL), 0);
		if (i < NR / 2)
			assert_true(records.iov_len < chunk.iov_len / 8);
		len = unpack(u, &records, back, 2 * PACKER_CHUNK);
		assert_int_equal(len, chunk.iov_len);
		for (size_t j = 0; j < nr; j++)
			assert_memory_equal(back + j * sizeof(*samples), &samples[NR - 1 - i - j],
					    sizeof(*samples));
		i += nr;
	}
	unpacking_free(u);
	packer_free(p);
	free(samples);
	free(at);
	free(back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_sorted),
	};

	return cmocka_run_group_tests_name("pack", tests, NULL, NULL);
}
