/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the text of an event's format into its fields and print fmt (print_parsed.h); print_expr.h
 * parses the expressions.
 */
#ifndef TRACEPOINT_PRINT_FMT_PARSE_H
#define TRACEPOINT_PRINT_FMT_PARSE_H

#include "util/tracepoint/print_parsed.h"
#include "util/tracepoint/tracing_data.h"

/* Errors: -ENOMEM. Unsupported text sets `failed`. */
int print_parse(struct print_parsed *p, const struct trace_text *format, uint8_t long_size);
void print_parsed_deinit(struct print_parsed *p);

#endif
