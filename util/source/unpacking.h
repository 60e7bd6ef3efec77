/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct unpacking: a gzip or zstd stream that is unpacked as its bytes arrive.
 *
 * Several gzip members or zstd frames may follow one another. The caller's buffer limits the bytes
 * unpacked at a time, and a zstd stream that needs a window of more than 128 MiB is refused. So a
 * hostile stream costs time, not memory; the caller limits the time with unpacked_bytes_max().
 */
#ifndef SOURCE_UNPACKING_H
#define SOURCE_UNPACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"

enum packing { PACKING_NONE, PACKING_GZIP, PACKING_ZSTD };

/* Recognize the packing by the first bytes, of which at least 4 are needed. */
enum packing packing_of(const uint8_t *head, size_t size);

/* "gzip", "zstd"; NULL for PACKING_NONE. */
const char *packing_name(enum packing packing);

struct unpacking;

/* Errors: -ENOMEM; -ENOTSUP if perf was built without the library, "it is packed with ...". */
int unpacking_new(enum packing packing, struct unpacking **ret_unpacking, struct error *err);
void unpacking_free(struct unpacking *u);

/*
 * Unpack from *in (advanced, *in_left reduced) into out, until the input is used up or the output
 * is full. Returns 0 and the number of bytes written, -EINVAL for bad data (after writing the bytes
 * before them), or -ENOMEM.
 */
int unpacking_feed(struct unpacking *u, const uint8_t **in, size_t *in_left, uint8_t *out,
		   size_t out_size, size_t *ret_written);

/*
 * Limits for input that unpacks to much more than its size. size: stored bytes of the file, or of a
 * pipe so far. Real recordings and dumps unpack to 10 to 100 times their size, rarely to some
 * hundred times.
 */
#define UNPACKED_TIMES_MAX 500

/* Limit for all unpacked bytes together, which limits the time. */
static inline uint64_t unpacked_bytes_max(uint64_t size)
{
	const uint64_t min = 256ull << 20;

	return size > min / UNPACKED_TIMES_MAX ? size * UNPACKED_TIMES_MAX : min;
}

/* Limit for the bytes in memory at a time, including the memory needed to keep track of them. */
static inline uint64_t unpacked_held_max(uint64_t size)
{
	const uint64_t min = 64ull << 20, times = 100;

	return size > min / times ? size * times : min;
}

/* Whether the packed data may end here. If not, they were truncated. */
bool unpacking_is_whole(const struct unpacking *u);

#endif
