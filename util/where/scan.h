/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines and numbers of a text in memory, which may be hostile.
 *
 * A line is copied without its newline into a buffer of SCAN_LINE_MAX bytes; longer lines and lines
 * with NUL bytes are skipped. So is a last line without a newline, which may be cut. A number of
 * bytes or pages is at most SCAN_NUMBER_MAX, so that it can be multiplied with a page size.
 */
#ifndef WHERE_SCAN_H
#define WHERE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCAN_LINE_MAX	4096
#define SCAN_NUMBER_MAX (INT64_C(1) << 52)

struct scan {
	const char *at, *end;
	char line[SCAN_LINE_MAX];
	size_t len;
};

void scan_init(struct scan *s, const char *text, size_t len);

/* Move to the next line. Returns false at the end. */
bool scan_next(struct scan *s);

/*
 * The decimal number at *at, after blanks; *at is behind it then. Returns false, and leaves *at,
 * if there is none or it is too large.
 */
bool scan_number(const char **at, int64_t *ret_value);

/* The number behind the first `key` of the text that starts a word: "pages=12". */
bool scan_key(const char *text, const char *key, int64_t *ret_value);

/* The number behind the text's beginning: "stack_count: 12". */
bool scan_after(const char *text, const char *begin, int64_t *ret_value);

/* Whether the text contains this word. */
bool scan_word(const char *text, const char *word);

#endif
