/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of an input, one by one, in constant memory.
 *
 * A line is at most TEXT_LINE_MAX bytes long; of a longer one that much is kept and the rest is
 * skipped, whatever its length.  NUL bytes are part of a line.  A CR before the newline is not, if
 * the first line has one: such a text has been edited or sent from where lines end that way.
 */
#ifndef SOURCE_TEXT_LINES_H
#define SOURCE_TEXT_LINES_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/source/input.h"

#define TEXT_LINE_MAX (16u << 10)

/* What to say of a last line that is open though its input was not cut (its number: PRIu64): the
 * kernel ends each one. */
#define TEXT_LINE_OPEN "line %" PRIu64 ", the last one, has no newline and may be cut"

struct text_line {
	char *text; /* without its newline, and NUL-terminated; may be changed; valid until the
		     * next one is read */
	size_t len;
	uint64_t number; /* from 1 */
	uint64_t pos;	 /* of its first byte, in the unpacked text */
	bool was_cut;	 /* it is longer */
	bool is_open;	 /* the input ended before a newline */
};

/*
 * All lines of an input, which is borrowed: take() gets each, until it returns other than 0, which
 * is returned.  Errors: -ENOMEM, those of reading.
 */
int text_lines_each(struct input *in, int (*take)(void *ctx, struct text_line *line), void *ctx);

#endif
