/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct tracing_data: the tracing data section, parsed.
 *
 * Layout (trace-event-read.c of the stock tool; a file's HEADER_TRACING_DATA section and a pipe's
 * TRACING_DATA payload have the same bytes): magic, version string, u8 big-endian, u8 size of long,
 * u32 page size, header_page, header_event, the formats of ftrace's own events, then those of each
 * event by system, kallsyms, printk formats, and from version 0.6 saved command lines. Every size
 * is checked against the section. A truncated section is used up to its end. The struct points into
 * the section and owns only the array; built from a tracefs (tracefs_formats.h), it also owns the
 * texts.
 */
#ifndef TRACEPOINT_TRACING_DATA_H
#define TRACEPOINT_TRACING_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/bytes.h"
#include "util/base/error.h"
#include "util/base/strbuf.h"

/* The magic: 23, 8, 68, "tracing". The version follows: "0.5" or "0.6" with NUL. */
#define TRACING_DATA_MAGIC "\x17\x08\x44tracing"

struct trace_text {
	const char *text; /* not NUL-terminated */
	size_t len;
};

/* A kernel has about 3,000 formats. Formats of a file beyond this limit are skipped and counted. */
#define TRACE_FORMATS_MAX 16384
/* A kernel's symbols have about 15 MiB. Lines of a file beyond this limit are dropped. */
#define TRACE_KALLSYMS_MAX (64u << 20)
/* The names of systems and events have at most 64 bytes (MAX_EVENT_NAME_LEN in
 * kernel/trace/trace.h). */
#define TRACE_NAME_MAX 128

struct trace_format {
	const char *system; /* NUL-terminated */
	struct trace_text text;
};

struct tracing_data {
	bool big_endian;
	uint8_t long_size; /* bytes, 4 or 8 */
	uint32_t page_size;
	bool truncated;
	struct trace_format *formats;
	size_t nr_formats;
	size_t nr_left_out; /* number of skipped formats: too many, or of a system with an invalid
			       name */
	struct trace_text header_page,
		header_event; /* header_page and header_event of the ring buffer, from tracefs */
	struct trace_text kallsyms;
	char **texts; /* texts of the formats, owned; NULL if they are in the section */
};

/* Whole lines of this text of kallsyms, at most TRACE_KALLSYMS_MAX bytes. text may be NULL. */
struct trace_text tracing_data_kallsyms(const char *text, size_t size);

/* Whether it is a power of two that a kernel may use. */
bool tracing_page_size_valid(uint32_t bytes);

/* Errors: -EINVAL if it is not tracing data or ends before the page size; -ENOMEM. */
int tracing_data_parse(struct tracing_data *t, const uint8_t *data, size_t size, struct error *err);
void tracing_data_deinit(struct tracing_data *t);

/*
 * Parse parts that a trace.dat keeps in sections of their own: header_page and header_event, and
 * the formats of each system, which are appended (-ENOMEM). A truncated part sets b->failed.
 */
void tracing_data_parse_headers(struct tracing_data *t, struct bytes *b);
int tracing_data_parse_systems(struct tracing_data *t, struct bytes *b);

/*
 * Append a section of these formats in this machine's byte order, regardless of t->big_endian. The
 * events of a system are adjacent in it. Errors: -ENOMEM.
 */
int tracing_data_write(struct strbuf *out, const struct tracing_data *t);

#endif
