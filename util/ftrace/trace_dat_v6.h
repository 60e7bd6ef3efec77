/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Version 6 of trace.dat: the parts after the common beginning follow one another.
 *
 * Errors: those of parse() in trace_dat_source.c.
 */
#ifndef FTRACE_TRACE_DAT_V6_H
#define FTRACE_TRACE_DAT_V6_H

#include "util/ftrace/trace_dat.h"

/* b: the bytes after the page size. */
int trace_dat_parse_6(struct trace_dat *t, struct bytes *b, struct error *err);

#endif
