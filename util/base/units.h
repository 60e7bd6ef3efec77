/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers to and from text.
 *
 * The parsers are strict: the whole string must be the number, without sign or blanks, decimal or
 * 0x hex. They return 0, -EINVAL (not a number) or -ERANGE (does not fit, or is out of bounds), and
 * write *ret only on success. The formatters always NUL-terminate, truncate text that does not fit,
 * and return buf. Sizes are bytes; K, M, G, T are powers of 1024.
 */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

/* Enough for any formatted u64, with separators of up to 4 bytes. */
#define UNITS_BUF 64

int units_parse_u64(const char *s, uint64_t *ret);
int units_parse_u64_bounded(const char *s, uint64_t min, uint64_t max, uint64_t *ret);

/* A u64 with an optional suffix B, K, M, G or T (either case): 512, 64K, 1g, 1MB, 1MiB. */
int units_parse_size(const char *s, uint64_t *ret);

/* A u64 with a suffix ms, s, m, h or d: 500ms, 30s, 2h. Without a suffix the unit is bare_ns. */
int units_parse_time(const char *s, uint64_t bare_ns, uint64_t *ret_ns);

/* Rounded to nearest; values out of range become 0 or UINT64_MAX. */
uint64_t units_round(double v);

/* 1234567 with "," becomes 1,234,567; with sep "" digits are not grouped. */
char *units_group(char *buf, size_t n, uint64_t v, const char *sep);

/* 999 ns, 1.50 ms, 119 s, 24.0 h: three significant digits. */
char *units_duration(char *buf, size_t n, uint64_t ns);

/* 512 B, 1.2 MiB: one decimal, rounded to nearest. */
char *units_bytes(char *buf, size_t n, uint64_t bytes);

/* 2026-01-01 12:00:00 +0100: local time, from ns since 1970. Empty for 0, which is unknown. */
char *units_date(char *buf, size_t n, uint64_t wall_ns);

#endif
