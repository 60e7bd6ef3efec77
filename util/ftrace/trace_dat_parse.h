/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The beginning of a trace.dat, and from there on what its version has.
 */
#ifndef FTRACE_TRACE_DAT_PARSE_H
#define FTRACE_TRACE_DAT_PARSE_H

#include "util/ftrace/trace_dat.h"

/*
 * Errors: it ends or makes no sense before the formats of its events, has another version or an
 * unknown compression, or holds the text of a latency tracer.  trace_dat_deinit() may be called
 * even then.
 *
 * held_max: limit for the unpacked bytes of all its sections; a section that exceeds it is damage.
 */
int trace_dat_parse(struct trace_dat *t, const uint8_t *data, uint64_t size, uint64_t held_max,
		    struct error *err);

#endif
