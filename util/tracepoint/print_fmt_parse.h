/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of an event's format to what print_fmt.h writes texts with: its fields, and its print
 * fmt, whose expressions print_expr.h reads.
 */
#ifndef TRACEPOINT_PRINT_FMT_PARSE_H
#define TRACEPOINT_PRINT_FMT_PARSE_H

#include "util/tracepoint/print_parsed.h"
#include "util/tracepoint/tracing_data.h"

/* Errors: -ENOMEM; what cannot be understood sets `failed`. */
int print_parse(struct print_parsed *p, const struct trace_text *format, uint8_t long_size);
void print_parsed_deinit(struct print_parsed *p);

#endif
