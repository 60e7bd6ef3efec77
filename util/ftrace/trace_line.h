/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct trace_line: a line of text from a tracefs' `trace` or `trace_pipe`.
 *
 *	"            bash-11865   [000] d..1. 25088.513499: kmem_cache_free: call_site=... ptr=..."
 *
 * An option adds the thread group in parentheses after the thread. Other lines are "<stack trace>"
 * in place of an event, followed by a line " => FUNCTION" for each frame, and "CPU:1 [LOST 42
 * EVENTS]". There are also comments, one of which has the number of written events. A thread's name
 * may contain any characters. All text points into the line.
 *
 * Facts: Documentation/trace/ftrace.rst, trace_print_context() in kernel/trace/trace_output.c.
 */
#ifndef FTRACE_TRACE_LINE_H
#define FTRACE_TRACE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text_part {
	const char *at;
	size_t len;
};

enum trace_line_kind {
	TRACE_LINE_OTHER,
	TRACE_LINE_EVENT,
	TRACE_LINE_STACK, /* frames follow */
	TRACE_LINE_FRAME,
	TRACE_LINE_LOST,    /* nr events */
	TRACE_LINE_WRITTEN, /* nr events more than the buffer contains */
};

struct trace_line {
	enum trace_line_kind kind;
	struct text_part comm; /* "<...>" if unknown */
	uint32_t pid;
	int32_t cpu;
	struct text_part flags; /* "d..1."; equal for all events of one context */
	uint64_t time_ns;
	struct text_part name;	 /* name of the event, without its system */
	struct text_part fields; /* the rest of the line; for a frame, the function */
	uint64_t nr;
};

/* text: the line without its newline. */
void trace_line_parse(struct trace_line *l, const char *text, size_t len);

/*
 * Find the value of a field "NAME=VALUE": up to the next blank, including a module after the blank
 * ("call_site=f+0x1/0x2 [ext4]"). Returns false if there is no such field.
 */
bool trace_line_field(const struct trace_line *l, const char *name, struct text_part *ret_value);

#endif
