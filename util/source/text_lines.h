/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of an input, one by one, in constant memory.
 *
 * A line has at most TEXT_LINE_MAX bytes; the rest of a longer line is skipped, whatever its
 * length. NUL bytes are part of a line. A CR before the newline is removed if the first line has
 * one: such a text was edited or sent on a system with such line ends.
 */
#ifndef SOURCE_TEXT_LINES_H
#define SOURCE_TEXT_LINES_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/source/input.h"

#define TEXT_LINE_MAX (16u << 10)

/* Message for a last line without newline, in an input that was not truncated (argument: its
 * number, PRIu64): the kernel ends each line. */
#define TEXT_LINE_OPEN "line %" PRIu64 ", the last one, has no newline and may be cut"

struct text_line {
	char *text; /* without newline, NUL-terminated, may be changed; valid until the next line */
	size_t len;
	uint64_t number; /* from 1 */
	uint64_t pos;	 /* position of its first byte in the unpacked text */
	bool was_cut;	 /* the line is longer than `text` */
	bool is_open;	 /* the input ended before a newline */
};

/*
 * Call take() for all lines of an input, until it returns non-zero, which is returned. The caller
 * keeps the input. Errors: -ENOMEM, those of reading.
 */
int text_lines_each(struct input *in, int (*take)(void *ctx, struct text_line *line), void *ctx);

#endif
