// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/timespan.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define NS_PER_SECOND 1000000000ull

/* Parse "12.345" up to end; digits after the ninth are ignored. */
static int parse_seconds(const char *s, const char *end, uint64_t *ret_ns)
{
	uint64_t seconds = 0, ns = 0, unit = NS_PER_SECOND;
	const char *p = s;

	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		seconds = seconds * 10 + (uint64_t)(*p - '0');
		if (seconds > UINT64_MAX / NS_PER_SECOND - 1)
			return -ERANGE;
	}
	if (p < end && *p == '.') {
		for (p++; p < end && *p >= '0' && *p <= '9'; p++) {
			unit /= 10;
			ns += (uint64_t)(*p - '0') * unit;
		}
		if (p == s + 1)
			return -EINVAL;
	}
	if (p != end)
		return -EINVAL;
	*ret_ns = seconds * NS_PER_SECOND + ns;
	return 0;
}

int timespan_parse(const char *s, uint64_t *ret_start_ns, uint64_t *ret_stop_ns)
{
	const char *comma = strchr(s, ','), *end = s + strlen(s);
	uint64_t start = 0, stop = UINT64_MAX;
	int ret = 0;

	if (!comma)
		return -EINVAL;
	if (comma > s)
		ret = parse_seconds(s, comma, &start);
	if (!ret && comma + 1 < end)
		ret = parse_seconds(comma + 1, end, &stop);
	if (!ret && stop < start)
		ret = -ERANGE;
	if (ret)
		return ret;
	*ret_start_ns = start;
	*ret_stop_ns = stop;
	return 0;
}

static void add_seconds(struct strbuf *sb, uint64_t ns)
{
	uint64_t seconds = ns / NS_PER_SECOND, fraction = ns % NS_PER_SECOND;
	int digits = 9;

	strbuf_addf(sb, "%" PRIu64, seconds);
	if (!fraction)
		return;
	for (; fraction % 10 == 0; digits--)
		fraction /= 10;
	strbuf_addf(sb, ".%0*" PRIu64, digits, fraction);
}

void timespan_add(struct strbuf *sb, uint64_t start_ns, uint64_t stop_ns)
{
	if (start_ns)
		add_seconds(sb, start_ns);
	strbuf_addch(sb, ',');
	if (stop_ns != UINT64_MAX)
		add_seconds(sb, stop_ns);
}

int timespan_parse_length(const char *s, uint64_t *ret_ns)
{
	/* Factors for the result of parse_seconds(), which are nanoseconds if the number is in
	 * seconds. */
	static const struct {
		const char *name;
		uint64_t times, divided;
	} units[] = {
		{"", 1, 1},
		{"s", 1, 1},
		{"ms", 1, 1000},
		{"us", 1, 1000000},
		{"ns", 1, NS_PER_SECOND},
		{"m", 60, 1},
		{"h", 3600, 1},
		{"d", 86400, 1},
	};
	const char *unit = s + strspn(s, "0123456789.");
	uint64_t ns = 0;
	int ret = unit == s ? -EINVAL : parse_seconds(s, unit, &ns);

	for (size_t i = 0; !ret && i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i].name) != 0)
			continue;
		if (__builtin_mul_overflow(ns, units[i].times, &ns))
			return -ERANGE;
		*ret_ns = ns / units[i].divided;
		return 0;
	}
	return ret ? ret : -EINVAL;
}
