/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct print_fmt: writes the text of an event, as the kernel prints it.
 *
 * A format ends in a print fmt: a format string as for printf(), and its arguments, which are C
 * expressions of the event's fields. It is compiled once for each event, so writing a sample's text
 * needs no parsing. All operators except assignment and comma are supported, casts, array elements,
 * __print_flags(), __print_symbolic(), __get_str(), the conversions of printf(), and function
 * addresses (%pS, %ps). Other identifiers have no value in a recording and count as 0. If a print
 * fmt uses anything else, the text is "[FAILED TO PARSE]" and the fields' values, as with
 * libtraceevent. Formats and samples may be hostile: reads stay inside the raw data; depth and
 * sizes are limited.
 */
#ifndef TRACEPOINT_PRINT_FMT_H
#define TRACEPOINT_PRINT_FMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/tracepoint/tracing_data.h"

struct print_fmt;

/* Appends the name of a function address, with or without its offset. Returns false if it has
 * none. */
typedef bool (*print_fmt_symbol_fn)(void *ctx, struct strbuf *out, uint64_t address, bool offset);

struct print_fmt_raw {
	const uint8_t *data;
	uint32_t size;
	bool swap;
	uint8_t long_size; /* of the recorded kernel, bytes */
	print_fmt_symbol_fn symbol;
	void *ctx; /* context of symbol() */
};

/* The id of an event, from the text of its format, or -EINVAL. */
int print_fmt_id(const struct trace_text *format, uint64_t *ret_id);

/* Compile the text of an event's format. NULL if out of memory. */
struct print_fmt *print_fmt_new(const struct trace_text *format, uint8_t long_size);
void print_fmt_free(struct print_fmt *f);

/*
 * Append the text of a sample, or its fields' values if the print fmt is not supported. Strings in
 * it are made printable.
 */
void print_fmt_add(const struct print_fmt *f, struct strbuf *out, const struct print_fmt_raw *raw);

#endif
