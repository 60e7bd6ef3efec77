// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/timespan.h"

#include <errno.h>
#include <string.h>

#define NS_PER_SECOND 1000000000ull

/* "12.345" up to end; digits behind the ninth are cut. */
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

int timespan_parse_seconds(const char *s, uint64_t *ret_ns)
{
	uint64_t ns = 0;
	int ret = *s ? parse_seconds(s, s + strlen(s), &ns) : -EINVAL;

	if (!ret)
		*ret_ns = ns;
	return ret;
}
