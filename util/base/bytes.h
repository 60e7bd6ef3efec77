/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct bytes: a bounded cursor over bytes in the recording's byte order.
 *
 * It does not own the bytes. Every read is checked against `end`. A read that does not fit returns
 * 0 (or NULL), does not move the cursor and sets `failed`. The flag stays set, so a sequence of
 * reads is checked once at its end. `swap` is true if the recording's byte order differs from this
 * machine's.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const uint8_t *pos;
	const uint8_t *end;
	bool swap;
	bool failed;
};

static inline struct bytes bytes_make(const void *data, size_t len, bool swap)
{
	const uint8_t *p = data;

	return (struct bytes){.pos = p, .end = p ? p + len : p, .swap = swap};
}

static inline size_t bytes_left(const struct bytes *b)
{
	return (size_t)(b->end - b->pos);
}

/* Loads at any alignment. */
static inline uint16_t load_u16(const void *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t load_u32(const void *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t load_u64(const void *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

/* The next n bytes, or NULL if there are fewer. */
static inline const void *bytes_take(struct bytes *b, uint64_t n)
{
	const uint8_t *p = b->pos;

	if (b->failed || n > bytes_left(b)) {
		b->failed = true;
		return NULL;
	}
	b->pos += n;
	return p;
}

/* The next n bytes as a separate cursor; an empty, failed one if there are fewer. */
static inline struct bytes bytes_sub(struct bytes *b, uint64_t n)
{
	const void *p = bytes_take(b, n);
	struct bytes sub = bytes_make(p, p ? n : 0, b->swap);

	sub.failed = !p;
	return sub;
}

static inline uint8_t bytes_u8(struct bytes *b)
{
	const uint8_t *p = bytes_take(b, 1);

	return p ? *p : 0;
}

static inline uint16_t bytes_u16(struct bytes *b)
{
	const void *p = bytes_take(b, 2);

	return p ? load_u16(p, b->swap) : 0;
}

static inline uint32_t bytes_u32(struct bytes *b)
{
	const void *p = bytes_take(b, 4);

	return p ? load_u32(p, b->swap) : 0;
}

static inline uint64_t bytes_u64(struct bytes *b)
{
	const void *p = bytes_take(b, 8);

	return p ? load_u64(p, b->swap) : 0;
}

/* A NUL-terminated string that ends inside the bytes; NULL if there is none. */
static inline const char *bytes_cstr(struct bytes *b)
{
	const uint8_t *p = b->pos;
	const uint8_t *nul;

	if (b->failed || p == b->end || !(nul = memchr(p, 0, bytes_left(b)))) {
		b->failed = true;
		return NULL;
	}
	b->pos = nul + 1;
	return (const char *)p;
}

#endif
