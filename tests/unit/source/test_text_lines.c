// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/source/text_lines.h"

static const struct source_options usual;

/* All lines of a text, each with a copy of its bytes. */
struct lines {
	struct input *in;
	struct text_line *v;
	size_t nr, next;
};

static void open_text(struct lines *l, const char *text, size_t len)
{
	char path[] = "/tmp/test_text_lines.XXXXXX";
	int fd = mkstemp(path);

	assert_int_equal(write(fd, text, len), len);
	close(fd);
	*l = (struct lines){.nr = 0};
	assert_int_equal(input_open(path, &usual, &l->in, NULL), 0);
	unlink(path);
}

static int keep(void *ctx, struct text_line *line)
{
	struct lines *l = ctx;

	l->v = realloc(l->v, (l->nr + 1) * sizeof(*l->v));
	assert_non_null(l->v);
	l->v[l->nr] = *line;
	l->v[l->nr].text = malloc(line->len + 1);
	assert_non_null(l->v[l->nr].text);
	memcpy(l->v[l->nr++].text, line->text, line->len + 1); /* and its NUL */
	return 0;
}

static void read_text(struct lines *l, const char *text, size_t len)
{
	open_text(l, text, len);
	assert_int_equal(text_lines_each(l->in, keep, l), 0);
}

static const struct text_line *next_line(struct lines *l)
{
	assert_true(l->next < l->nr);
	return &l->v[l->next++];
}

static void close_text(struct lines *l)
{
	for (size_t i = 0; i < l->nr; i++)
		free(l->v[i].text);
	free(l->v);
	input_free(l->in);
}

static void check_line(struct lines *l, uint64_t number, uint64_t pos, const char *text, size_t len)
{
	const struct text_line *line = next_line(l);

	assert_int_equal(line->number, number);
	assert_int_equal(line->pos, pos);
	assert_int_equal(line->len, len);
	assert_memory_equal(line->text, text, len);
	assert_int_equal(line->text[len], '\0');
	assert_false(line->was_cut);
}

static void check_end(const struct lines *l)
{
	assert_int_equal(l->next, l->nr);
}

static void test_lines_come_one_by_one(void **state)
{
	static const char text[] = "one\n\nthr\0ee\nfour";
	struct lines l;

	(void)state;
	read_text(&l, text, sizeof(text) - 1);
	check_line(&l, 1, 0, "one", 3);
	check_line(&l, 2, 4, "", 0);
	check_line(&l, 3, 5, "thr\0ee", 6);
	check_line(&l, 4, 12, "four", 4);
	check_end(&l);
	close_text(&l);
	read_text(&l, "", 0);
	check_end(&l);
	close_text(&l);
}

static void test_a_cr_is_dropped_if_the_first_line_has_one(void **state)
{
	struct lines l;

	(void)state;
	read_text(&l, "a\r\n\r\nb\n\rc\r\nd\r", 13);
	check_line(&l, 1, 0, "a", 1);
	check_line(&l, 2, 3, "", 0);
	check_line(&l, 3, 5, "b", 1);
	check_line(&l, 4, 7, "\rc", 2);
	check_line(&l, 5, 11, "d", 1);
	check_end(&l);
	close_text(&l);
	read_text(&l, "a\nb\r\n", 5);
	check_line(&l, 1, 0, "a", 1);
	check_line(&l, 2, 2, "b\r", 2);
	check_end(&l);
	close_text(&l);
}

static void test_the_last_one_may_be_open(void **state)
{
	struct lines l;

	(void)state;
	read_text(&l, "a\nb", 3);
	assert_false(next_line(&l)->is_open);
	assert_true(next_line(&l)->is_open);
	check_end(&l);
	close_text(&l);
}

/* A line of `len` bytes between two short ones. */
static void check_long(size_t len)
{
	char *text = malloc(len + 8);
	const struct text_line *line;
	struct lines l;

	assert_non_null(text);
	snprintf(text, len + 8, "a\n%*s\nb\n", (int)len, "");
	memset(text + 2, 'x', len);
	read_text(&l, text, len + 5);
	check_line(&l, 1, 0, "a", 1);
	line = next_line(&l);
	assert_int_equal(line->pos, 2);
	assert_int_equal(line->was_cut, len > TEXT_LINE_MAX);
	assert_int_equal(line->len, len > TEXT_LINE_MAX ? TEXT_LINE_MAX : len);
	assert_int_equal(strlen(line->text), line->len);
	check_line(&l, 3, len + 3, "b", 1);
	check_end(&l);
	close_text(&l);
	free(text);
}

static void test_a_long_line_is_cut(void **state)
{
	(void)state;
	for (size_t len = TEXT_LINE_MAX - 2; len <= TEXT_LINE_MAX + 2; len++)
		check_long(len);
	check_long(20u * TEXT_LINE_MAX);
	check_long(5u << 20);
}

/* Lines of all lengths, across the ends of the buffer. */
static void test_no_byte_is_lost(void **state)
{
	enum { NR = 5000 };
	size_t len = 0;
	char *text = malloc((size_t)NR * 200), want[256];
	struct lines l;

	(void)state;
	assert_non_null(text);
	for (int i = 0; i < NR; i++)
		len += (size_t)sprintf(text + len, "%*d\n", i % 150 + 6, i);
	read_text(&l, text, len);
	len = 0;
	for (int i = 0; i < NR; i++) {
		int n = sprintf(want, "%*d", i % 150 + 6, i);

		check_line(&l, (uint64_t)i + 1, len, want, (size_t)n);
		len += (size_t)n + 1;
	}
	check_end(&l);
	close_text(&l);
	free(text);
}

/* Stops at line `stop`, if there is one. */
struct taken {
	uint64_t nr, stop;
	size_t bytes;
};

static int take(void *ctx, struct text_line *line)
{
	struct taken *t = ctx;

	assert_int_equal(line->number, ++t->nr);
	assert_int_equal(line->pos, t->bytes);
	t->bytes += line->len + !line->is_open;
	return t->nr == t->stop ? -EBADMSG : 0;
}

static void test_each_is_taken_until_one_is_refused(void **state)
{
	static const char text[] = "one\n\nthree\nfour";
	struct taken all = {.stop = 0}, some = {.stop = 3};
	struct lines l;

	(void)state;
	open_text(&l, text, sizeof(text) - 1);
	assert_int_equal(text_lines_each(l.in, take, &all), 0);
	assert_int_equal(all.nr, 4);
	assert_int_equal(all.bytes, sizeof(text) - 1);
	close_text(&l);
	open_text(&l, text, sizeof(text) - 1);
	assert_int_equal(text_lines_each(l.in, take, &some), -EBADMSG);
	assert_int_equal(some.nr, 3);
	close_text(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_come_one_by_one),
		cmocka_unit_test(test_a_cr_is_dropped_if_the_first_line_has_one),
		cmocka_unit_test(test_the_last_one_may_be_open),
		cmocka_unit_test(test_a_long_line_is_cut),
		cmocka_unit_test(test_no_byte_is_lost),
		cmocka_unit_test(test_each_is_taken_until_one_is_refused),
	};

	return cmocka_run_group_tests_name("text_lines", tests, NULL, NULL);
}
