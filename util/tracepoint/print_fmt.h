/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct print_fmt: the text of an event, as the kernel prints it.
 *
 * An event's format ends in a print fmt: a format string as for printf(), and its arguments, which
 * are C expressions of the event's fields.  It is compiled once for each event; writing the text of
 * a sample then takes no parsing.  Supported are all operators but assignment and comma, casts,
 * elements of arrays, __print_flags(), __print_symbolic(), __get_str(), and the conversions of
 * printf() and of function addresses (%pS, %ps).  Identifiers that are no fields have no value in a
 * recording; they are taken for 0.  If a print fmt uses anything else, the text is the values of
 * the fields, after "[FAILED TO PARSE]", as with libtraceevent.  Formats and samples may be
 * hostile: nothing beyond the raw data is read, depth and sizes are bounded.
 */
#ifndef TRACEPOINT_PRINT_FMT_H
#define TRACEPOINT_PRINT_FMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/tracepoint/tracing_data.h"

struct print_fmt;

/* Appends the name of a function address, with its offset or without; false: it has none. */
typedef bool (*print_fmt_symbol_fn)(void *ctx, struct strbuf *out, uint64_t address, bool offset);

struct print_fmt_raw {
	const uint8_t *data;
	uint32_t size;
	bool swap;
	uint8_t long_size; /* of the recorded kernel, bytes */
	print_fmt_symbol_fn symbol;
	void *ctx; /* of symbol */
};

/* The id of an event, from the text of its format; -EINVAL: it has none. */
int print_fmt_id(const struct trace_text *format, uint64_t *ret_id);

/* Compile the text of an event's format. NULL: no memory. */
struct print_fmt *print_fmt_new(const struct trace_text *format, uint8_t long_size);
void print_fmt_free(struct print_fmt *f);

/*
 * Append the text of a sample; the values of its fields, if the print fmt was not understood.
 * Strings in it are made printable.
 */
void print_fmt_add(const struct print_fmt *f, struct strbuf *out, const struct print_fmt_raw *raw);

#endif
