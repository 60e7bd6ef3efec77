/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time windows: the time spans that a report is about (--time).
 *
 * Both ends are included. Windows may overlap and may be in any order. No window at all stands for
 * the whole time. Times are those of the samples.
 */
#ifndef DECODE_WINDOWS_H
#define DECODE_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/source/facts.h"

struct time_window {
	uint64_t start_ns, stop_ns;
};

/* Whether the time is in one of them. */
static inline bool windows_have(const struct time_window *v, size_t nr, uint64_t time_ns)
{
	for (size_t i = 0; i < nr; i++)
		if (time_ns >= v[i].start_ns && time_ns <= v[i].stop_ns)
			return true;
	return !nr;
}

/* Whether the time is after all of them. */
bool windows_before(const struct time_window *v, size_t nr, uint64_t time_ns);

/* The part of the span from the first moment in a window to the last; an empty span if there is
 * none. */
struct source_span windows_clip(const struct time_window *v, size_t nr, struct source_span span);

/* The duration of the span that is in windows. */
uint64_t windows_length_ns(const struct time_window *v, size_t nr, struct source_span span);

#endif
