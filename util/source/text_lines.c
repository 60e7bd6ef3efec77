// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/source/text_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Several lines, and a byte for the NUL of a line without a newline. */
#define BUF_SIZE (16 * TEXT_LINE_MAX)

struct text_lines {
	struct input *in;
	char *buf;
	size_t at, len; /* bytes read but not yet returned */
	uint64_t number, pos;
	bool ended;
	bool skip; /* the last line was cut: skip its rest */
	bool crlf; /* the first line ends with a CR, and so may others */
};

/* Make room after the unread bytes, and read. Returns 1, 0 at the end, or -errno. */
static int fill(struct text_lines *t)
{
	ssize_t n;

	if (t->ended)
		return 0;
	if (t->at) {
		memmove(t->buf, t->buf + t->at, t->len - t->at);
		t->len -= t->at;
		t->at = 0;
	}
	n = input_read(t->in, t->buf + t->len, BUF_SIZE - t->len);
	if (n < 0)
		return (int)n;
	t->ended = !n;
	t->len += (size_t)n;
	return n > 0;
}

/* Skip the rest of a line that is too long, including its newline. */
static int skip_rest(struct text_lines *t)
{
	for (;;) {
		char *from = t->buf + t->at, *end = memchr(from, '\n', t->len - t->at);
		size_t len = end ? (size_t)(end - from) + 1 : t->len - t->at;
		int ret;

		t->at += len;
		t->pos += len;
		if (end)
			return 0;
		ret = fill(t);
		if (ret <= 0)
			return ret;
	}
}

/* Find the end of the next line in the buffer; NULL if it is too long, or the last line without
 * newline. */
static int find_end(struct text_lines *t, char **ret_end)
{
	size_t searched = 0;

	for (;;) {
		size_t have = t->len - t->at;
		size_t upto = have < TEXT_LINE_MAX + 1 ? have : TEXT_LINE_MAX + 1;
		int ret;

		*ret_end = memchr(t->buf + t->at + searched, '\n', upto - searched);
		if (*ret_end || upto > TEXT_LINE_MAX)
			return 0;
		searched = upto;
		ret = fill(t);
		if (ret <= 0)
			return ret;
	}
}

/* Return the first `len` unread bytes as a line, with or without a newline after them. */
static inline void hand_out(struct text_lines *t, size_t len, bool newline,
			    struct text_line *ret_line)
{
	size_t text_len = len;

	ret_line->text = t->buf + t->at;
	if (t->crlf && len && ret_line->text[len - 1] == '\r')
		text_len--;
	ret_line->len = text_len;
	ret_line->number = ++t->number;
	ret_line->pos = t->pos;
	ret_line->was_cut = t->skip;
	ret_line->is_open = !newline && !t->skip;
	ret_line->text[text_len] = '\0';
	t->at += len + newline;
	t->pos += len + newline;
}

/* Return a line that is not completely in the buffer, or too long. */
static int next_slowly(struct text_lines *t, struct text_line *ret_line)
{
	int ret = t->skip ? skip_rest(t) : 0;
	char *end = NULL;
	size_t len;

	if (ret < 0)
		return ret;
	t->skip = false;
	ret = find_end(t, &end);
	if (ret < 0)
		return ret;
	len = end ? (size_t)(end - (t->buf + t->at)) : t->len - t->at;
	if (!end && !len)
		return 0;
	if (!t->number)
		t->crlf = end && end > t->buf + t->at && end[-1] == '\r';
	/* the bytes after it will be skipped, so the first of them may be overwritten */
	t->skip = len > TEXT_LINE_MAX;
	hand_out(t, t->skip ? TEXT_LINE_MAX : len, end != NULL, ret_line);
	return 1;
}

/* Returns 1, 0 at the end, or -errno. */
static inline int next(struct text_lines *t, struct text_line *ret_line)
{
	const char *from = t->buf + t->at;
	const char *end = t->skip ? NULL : memchr(from, '\n', t->len - t->at);

	if (!end || (size_t)(end - from) > TEXT_LINE_MAX)
		return next_slowly(t, ret_line);
	hand_out(t, (size_t)(end - from), true, ret_line);
	return 1;
}

int text_lines_each(struct input *in, int (*take)(void *ctx, struct text_line *line), void *ctx)
{
	struct text_lines lines = {.in = in, .buf = calloc(1, BUF_SIZE + 1)};
	struct text_line line;
	int ret;

	if (!lines.buf)
		return -ENOMEM;
	while ((ret = next(&lines, &line)) > 0) {
		ret = take(ctx, &line);
		if (ret)
			break;
	}
	free(lines.buf);
	return ret;
}
