/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time spans in user notation: "START,STOP" in seconds.
 *
 * Seconds may have any fraction, and either side may be empty ("12.5,", ",13"). Stored as exact
 * nanoseconds, without floating point.
 */
#ifndef BASE_TIMESPAN_H
#define BASE_TIMESPAN_H

#include <stdint.h>

#include "util/base/strbuf.h"

/* An empty start is 0, an empty stop UINT64_MAX. Returns 0, -EINVAL, or -ERANGE (stop before
 * start). */
int timespan_parse(const char *s, uint64_t *ret_start_ns, uint64_t *ret_stop_ns);

/* Append the span in the form that timespan_parse() reads, without trailing zeros. */
void timespan_add(struct strbuf *sb, uint64_t start_ns, uint64_t stop_ns);

/* Parse a length: "12.345" seconds, or with a unit (ns, us, ms, s, m, h, d). Returns 0, -EINVAL or
 * -ERANGE. */
int timespan_parse_length(const char *s, uint64_t *ret_ns);

#endif
