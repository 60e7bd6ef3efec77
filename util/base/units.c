// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static int digit_value(char c, unsigned int base)
{
	unsigned int v;

	if (c >= '0' && c <= '9')
		v = c - '0';
	else if (c >= 'a' && c <= 'f')
		v = c - 'a' + 10;
	else if (c >= 'A' && c <= 'F')
		v = c - 'A' + 10;
	else
		return -1;
	return v < base ? (int)v : -1;
}

/* Parse the digits at the start of s; *ret_end is the first character after them. */
static int parse_digits(const char *s, uint64_t *ret, const char **ret_end)
{
	unsigned int base = 10;
	uint64_t v = 0;
	bool overflow = false;
	const char *start;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	}
	for (start = s; *s; s++) {
		int d = digit_value(*s, base);

		if (d < 0)
			break;
		if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)d, &v))
			overflow = true;
	}
	if (s == start)
		return -EINVAL;
	*ret_end = s;
	*ret = v;
	return overflow ? -ERANGE : 0;
}

int units_parse_u64(const char *s, uint64_t *ret)
{
	const char *end = s;
	uint64_t v;
	int r = parse_digits(s, &v, &end);

	if (*end)
		return -EINVAL;
	if (!r)
		*ret = v;
	return r;
}

int units_parse_u64_bounded(const char *s, uint64_t min, uint64_t max, uint64_t *ret)
{
	uint64_t v;
	int r = units_parse_u64(s, &v);

	if (r)
		return r;
	if (v < min || v > max)
		return -ERANGE;
	*ret = v;
	return 0;
}

/* Returns the shift of a size suffix, or -1. */
static int suffix_shift(char c)
{
	switch (c) {
	case '\0':
	case 'b':
	case 'B':
		return 0;
	case 'k':
	case 'K':
		return 10;
	case 'm':
	case 'M':
		return 20;
	case 'g':
	case 'G':
		return 30;
	case 't':
	case 'T':
		return 40;
	default:
		return -1;
	}
}

/* After the K of "1K", "1KB" and "1KiB"; nothing after the B of "1B". */
static bool is_size_end(const char *s, int shift)
{
	if (shift && *s == 'i')
		return s[1] == 'B' && !s[2];
	return !*s || (shift && !strcasecmp(s, "b"));
}

int units_parse_size(const char *s, uint64_t *ret)
{
	const char *end = s;
	uint64_t v;
	int r = parse_digits(s, &v, &end);
	int shift;

	if (r == -EINVAL)
		return r;
	shift = suffix_shift(*end);
	if (shift < 0 || !is_size_end(*end ? end + 1 : end, shift))
		return -EINVAL;
	if (r || v > UINT64_MAX >> shift)
		return -ERANGE;
	*ret = v << shift;
	return 0;
}

int units_parse_time(const char *s, uint64_t bare_ns, uint64_t *ret_ns)
{
	static const struct {
		const char *suffix;
		uint64_t ns;
	} units[] = {
		{"ms", 1000000ULL},	 {"s", 1000000000ULL},	   {"m", 60000000000ULL},
		{"h", 3600000000000ULL}, {"d", 86400000000000ULL},
	};
	const char *end = s;
	uint64_t v;
	int r = parse_digits(s, &v, &end);
	uint64_t unit_ns = *end ? 0 : bare_ns;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].suffix))
			unit_ns = units[i].ns;
	if (r == -EINVAL || !unit_ns)
		return -EINVAL;
	if (r || __builtin_mul_overflow(v, unit_ns, &v))
		return -ERANGE;
	*ret_ns = v;
	return 0;
}

uint64_t units_round(double v)
{
	if (!(v > 0))
		return 0;
	return v + 0.5 < 0x1p64 ? (uint64_t)(v + 0.5) : UINT64_MAX;
}

/* Write the decimal digits of v to the end of buf. */
static const char *digits_of(uint64_t v, char *buf, size_t n)
{
	char *p = buf + n;

	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	return p;
}

char *units_group(char *buf, size_t n, uint64_t v, const char *sep)
{
	char room[20];
	const char *digits = digits_of(v, room, sizeof(room));
	size_t len = (size_t)(room + sizeof(room) - digits);
	size_t sep_len = strlen(sep);
	size_t out = 0;

	if (!n)
		return buf;
	for (size_t i = 0; i < len; i++) {
		if (i && sep_len && (len - i) % 3 == 0) {
			if (out + sep_len >= n)
				break;
			memcpy(buf + out, sep, sep_len);
			out += sep_len;
		}
		if (out + 1 >= n)
			break;
		buf[out++] = digits[i];
	}
	buf[out] = '\0';
	return buf;
}

char *units_duration(char *buf, size_t n, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
		unsigned int least; /* used from this number of them on */
	} units[] = {{3600000000000, "h", 2},
		     {60000000000, "min", 2},
		     {1000000000, "s", 1},
		     {1000000, "ms", 1},
		     {1000, "us", 1}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		double v = (double)ns / (double)units[i].ns;

		if (ns < units[i].ns * units[i].least)
			continue;
		snprintf(buf, n, "%.*f %s", v < 10 ? 2 : v < 100 ? 1 : 0, v, units[i].name);
		return buf;
	}
	snprintf(buf, n, "%" PRIu64 " ns", ns);
	return buf;
}

char *units_bytes(char *buf, size_t n, uint64_t bytes)
{
	static const char *const names[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

	if (bytes < 1024) {
		snprintf(buf, n, "%" PRIu64 " B", bytes);
		return buf;
	}
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		unsigned int shift = 10 * (i + 1);
		uint64_t whole = bytes >> shift;
		/* 10 bits of fraction are enough for one decimal, and cannot overflow */
		uint64_t fraction = (bytes >> (shift - 10)) & 1023;
		uint64_t tenths = whole * 10 + (fraction * 10 + 512) / 1024;

		/* a value that rounds to 1024.0 is printed as 1.0 of the next unit */
		if (tenths < 10240 || i + 1 == sizeof(names) / sizeof(names[0])) {
			snprintf(buf, n, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10, tenths % 10,
				 names[i]);
			break;
		}
	}
	return buf;
}

char *units_date(char *buf, size_t n, uint64_t wall_ns)
{
	const time_t seconds = (time_t)(wall_ns / 1000000000);
	struct tm tm;

	if (!wall_ns || !localtime_r(&seconds, &tm) ||
	    !strftime(buf, n, "%Y-%m-%d %H:%M:%S %z", &tm))
		snprintf(buf, n, "%s", "");
	return buf;
}
