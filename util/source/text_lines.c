// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/source/text_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Several lines; and a byte for the NUL of one that has no newline. */
#define BUF_SIZE (16 * TEXT_LINE_MAX)

int text_lines_init(struct text_lines *t, struct input *in)
{
	*t = (struct text_lines){.in = in, .buf = malloc(BUF_SIZE + 1)};
	return t->buf ? 0 : -ENOMEM;
}

void text_lines_deinit(struct text_lines *t)
{
	free(t->buf);
	t->buf = NULL;
}

/* Make room behind what is left, and read. Returns 1, 0 at the end, or -errno. */
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

/* The rest of a line that is too long, with its newline. */
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

/* Where the next line ends in the buffer; NULL: it is too long, or the last and open. */
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

int text_lines_next(struct text_lines *t, struct text_line *ret_line)
{
	int ret = t->skip ? skip_rest(t) : 0;
	struct text_line line;
	char *end = NULL;

	if (ret < 0)
		return ret;
	t->skip = false;
	line = (struct text_line){.number = t->number + 1, .pos = t->pos};
	ret = find_end(t, &end);
	if (ret < 0)
		return ret;
	line.text = t->buf + t->at;
	line.len = end ? (size_t)(end - line.text) : t->len - t->at;
	if (!end && !line.len)
		return 0;
	/* what is behind it will be skipped, so that its first byte may be overwritten */
	line.was_cut = t->skip = line.len > TEXT_LINE_MAX;
	if (line.was_cut)
		line.len = TEXT_LINE_MAX;
	line.is_open = !end && !line.was_cut;
	line.text[line.len] = '\0';
	t->at += line.len + (end != NULL);
	t->pos += line.len + (end != NULL);
	t->number++;
	*ret_line = line;
	return 1;
}
