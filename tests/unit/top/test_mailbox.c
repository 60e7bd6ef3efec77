// SPDX-License-Identifier: GPL-2.0-or-later
/* The exchange between the thread that reads events and those that draw or write. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/top/mailbox.h"
#include "util/top/writer.h"

static bool is_readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

static struct top_frame *frame(uint64_t end_ns)
{
	struct top_frame *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	strbuf_init(&f->details);
	f->end_ns = end_ns;
	return f;
}

static void test_the_latest_frame_is_taken(void **state)
{
	const struct top_request request = {.account = ACCOUNT_slab};
	struct top_mailbox m;
	struct top_frame *f;
	bool closed;

	(void)state;
	assert_int_equal(top_mailbox_init(&m, &request), 0);
	assert_null(top_mailbox_take(&m, &closed));
	assert_false(is_readable(m.frame_fd));
	top_mailbox_put(&m, frame(1));
	top_mailbox_put(&m, frame(2));
	assert_true(is_readable(m.frame_fd));
	f = top_mailbox_take(&m, &closed);
	assert_int_equal(f->end_ns, 2);
	assert_false(closed);
	assert_false(is_readable(m.frame_fd));
	top_frame_free(f);
	top_mailbox_close(&m);
	assert_true(is_readable(m.frame_fd));
	assert_null(top_mailbox_take(&m, &closed));
	assert_true(closed);
	top_mailbox_put(&m, frame(3)); /* never taken: freed with it */
	top_mailbox_deinit(&m);
}

static void test_a_request_is_answered_once(void **state)
{
	struct top_request request = {.account = ACCOUNT_slab}, got;
	char name[] = "alloc_skb+10";
	struct top_mailbox m;
	bool paused;

	(void)state;
	assert_int_equal(top_mailbox_init(&m, &request), 0);
	assert_int_equal(top_mailbox_look(&m, &got, &paused), TOP_GO_ON);
	request.grouping = 2;
	request.details = name;
	top_mailbox_ask(&m, &request);
	assert_true(is_readable(m.wake_fd));
	name[0] = 'x'; /* it has a copy */
	assert_int_equal(top_mailbox_look(&m, &got, &paused), TOP_ANSWER);
	assert_int_equal(got.grouping, 2);
	assert_string_equal(got.details, "alloc_skb+10");
	top_request_deinit(&got);
	assert_false(is_readable(m.wake_fd));
	top_mailbox_pause(&m, true);
	assert_int_equal(top_mailbox_look(&m, &got, &paused), TOP_GO_ON);
	assert_true(paused);
	top_request_deinit(&got);
	top_mailbox_quit(&m);
	assert_int_equal(top_mailbox_look(&m, &got, &paused), TOP_STOP);
	top_request_deinit(&got);
	top_mailbox_deinit(&m);
}

static char *block(size_t size, char c)
{
	char *text = malloc(size);

	assert_non_null(text);
	memset(text, c, size);
	return text;
}

/* A pipe that nobody reads is full at 64 KiB: the writer waits, those who put do not. */
static void test_a_slow_reader_gets_all_that_fits_in_order(void **state)
{
	const size_t size = 700000;
	struct out_file file = OUT_FILE_INIT;
	char path[32];
	struct top_writer w;
	size_t n = 0;
	int fds[2], c;
	FILE *in;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", fds[1]);
	assert_int_equal(out_file_open(&file, path, NULL, NULL), 0);
	assert_int_equal(top_writer_start(&w, &file, false), 0);
	assert_int_equal(top_writer_put(&w, block(size, 'a'), size), 0);
	while (!top_writer_has_room(&w, false) || __atomic_load_n(&w.len, __ATOMIC_RELAXED))

		usleep(1000);
	assert_true(top_writer_has_room(&w, false));
	assert_int_equal(top_writer_put(&w, block(size, 'b'), size), 0);
	assert_true(top_writer_has_room(&w, false));
	assert_int_equal(top_writer_put(&w, block(size, 'c'), size), 0);
	assert_false(top_writer_has_room(&w, false));
	in = fdopen(fds[0], "r");
	while (n < 3 * size && (c = fgetc(in)) != EOF) {
		assert_int_equal(c, "abc"[n / size]);
		n++;
	}
	assert_int_equal(n, 3 * size);
	assert_true(top_writer_has_room(&w, true));
	assert_int_equal(top_writer_end(&w), 0);
	fclose(in);
	out_file_deinit(&file);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_latest_frame_is_taken),
		cmocka_unit_test(test_a_request_is_answered_once),
		cmocka_unit_test(test_a_slow_reader_gets_all_that_fits_in_order),
	};

	return cmocka_run_group_tests_name("mailbox", tests, NULL, NULL);
}
