/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct strbuf: a growing byte string, always NUL-terminated.
 *
 * buf is never NULL: an empty one points to a shared empty string, so it can always be printed. len
 * does not count the final NUL. Functions that grow it return 0 or -ENOMEM, and leave the content
 * unchanged on failure. Failures set `failed`, so a sequence may be checked once at its end.
 */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf {
	char *buf;
	size_t len;
	size_t cap; /* bytes on the heap; 0: buf is the shared empty string */
	bool failed;
};

extern char strbuf_empty[];

#define STRBUF_INIT                                                                                \
	{                                                                                          \
		.buf = strbuf_empty                                                                \
	}

void strbuf_init(struct strbuf *sb);
void strbuf_deinit(struct strbuf *sb);

/* Make room for `extra` more bytes and the NUL. */
int strbuf_grow(struct strbuf *sb, size_t extra);
int strbuf_add(struct strbuf *sb, const void *data, size_t len);
int strbuf_addstr(struct strbuf *sb, const char *s);
int strbuf_addch(struct strbuf *sb, char c);
int strbuf_addf(struct strbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/* Append a number in hexadecimal, padded on the left to `width` columns (at most 16). */
int strbuf_add_hex(struct strbuf *sb, uint64_t v, int width);

/* Append bytes as two digits each, without blanks. */
int strbuf_add_hex_bytes(struct strbuf *sb, const uint8_t *bytes, size_t nr);

/* Truncate to len bytes; no-op if it is shorter. strbuf_reset() keeps the memory, and `failed`. */
void strbuf_setlen(struct strbuf *sb, size_t len);
void strbuf_reset(struct strbuf *sb);

/* Returns the string as heap memory that the caller frees, and empties the strbuf. NULL if out of
 * memory. */
char *strbuf_detach(struct strbuf *sb);

/* Append all bytes that can be read from fd, or from the file. Returns 0 or -errno. */
int strbuf_read(struct strbuf *sb, int fd);
int strbuf_read_file(struct strbuf *sb, const char *path);

/* The same, at most `max` bytes. */
int strbuf_read_max(struct strbuf *sb, int fd, size_t max);

#endif
