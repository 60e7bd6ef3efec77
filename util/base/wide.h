/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unsigned integers of 128 bits, for hashes: products of two 64-bit words, and their sums.
 *
 * Sums wrap around. Compilers for 32-bit machines have no such type; there a number is two words.
 */
#ifndef BASE_WIDE_H
#define BASE_WIDE_H

#include <stdint.h>

struct wide_words {
	uint64_t low, high;
};

/* The product by schoolbook multiplication of 32-bit halves. */
static inline struct wide_words wide_words_product(uint64_t a, uint64_t b)
{
	uint64_t a_low = (uint32_t)a, a_high = a >> 32;
	uint64_t b_low = (uint32_t)b, b_high = b >> 32;
	uint64_t low = a_low * b_low;
	/* at most (2^32 - 1)^2 + 2^32 - 1: it does not overflow */
	uint64_t middle = a_high * b_low + (low >> 32);
	uint64_t other = a_low * b_high + (uint32_t)middle;

	return (struct wide_words){
		.low = other << 32 | (uint32_t)low,
		.high = a_high * b_high + (middle >> 32) + (other >> 32),
	};
}

static inline struct wide_words wide_words_sum(struct wide_words x, struct wide_words y)
{
	uint64_t low = x.low + y.low;

	return (struct wide_words){.low = low, .high = x.high + y.high + (low < x.low)};
}

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 wide;

static inline wide wide_product(uint64_t a, uint64_t b)
{
	return (wide)a * b;
}

static inline wide wide_sum(wide x, wide y)
{
	return x + y;
}

static inline uint64_t wide_low(wide x)
{
	return (uint64_t)x;
}

static inline uint64_t wide_high(wide x)
{
	return (uint64_t)(x >> 64);
}

#else

typedef struct wide_words wide;

static inline wide wide_product(uint64_t a, uint64_t b)
{
	return wide_words_product(a, b);
}

static inline wide wide_sum(wide x, wide y)
{
	return wide_words_sum(x, y);
}

static inline uint64_t wide_low(wide x)
{
	return x.low;
}

static inline uint64_t wide_high(wide x)
{
	return x.high;
}

#endif

#endif
