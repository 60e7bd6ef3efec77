/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Version 7 of trace.dat: after the common beginning, sections, which may be compressed, and
 * options with the place of each.
 *
 * Errors: those of parse() in trace_dat_source.c.
 */
#ifndef FTRACE_TRACE_DAT_V7_H
#define FTRACE_TRACE_DAT_V7_H

#include "util/ftrace/trace_dat.h"

/* b: the bytes after the page size. */
int trace_dat_parse_7(struct trace_dat *t, struct bytes *b, struct error *err);

#endif
