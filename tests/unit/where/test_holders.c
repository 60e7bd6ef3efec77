// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/where/holders.h"

static void read_text(struct holders *h, const char *text)
{
	holders_init(h, text, strlen(text));
	assert_false(h->failed);
}

static void test_what_is_written_is_read(void **state)
{
	char name[] = "a b=c\n\x1b[31m";
	struct holder h = {.kind = HOLDER_bpf_map, .name = name};
	struct strbuf sb = STRBUF_INIT;
	struct holders read;

	(void)state;
	h.v[HOLDER_NR_bytes] = 4096;
	h.v[HOLDER_NR_id] = 17;
	holder_write(&sb, &h);
	assert_string_equal(sb.buf, "bpf_map bytes=4096 id=17 name=a b=c??[31m\n");
	read_text(&read, sb.buf);
	assert_int_equal(read.nr, 1);
	assert_int_equal(read.v[0].kind, HOLDER_bpf_map);
	assert_int_equal(read.v[0].v[HOLDER_NR_bytes], 4096);
	assert_int_equal(read.v[0].v[HOLDER_NR_id], 17);
	assert_int_equal(read.v[0].v[HOLDER_NR_pid], 0);
	assert_string_equal(read.v[0].name, "a b=c??[31m");
	holders_deinit(&read);
	strbuf_deinit(&sb);
}

static void test_invalid_lines_are_skipped(void **state)
{
	struct holders h;

	(void)state;
	read_text(&h, "\nprocess\nprocess pid=1\nprocess pid=-1\nprocess pid=\nprocess pid\n"
		      "process  pid=1\nunknown pid=1\nproces pid=1\nprocess pid=1x\n"
		      "process pid=99999999999999999999\nprocess later=5 pid=2 name=\n"
		      "process pid=3 name=cut");
	assert_int_equal(h.nr, 3);
	assert_int_equal(h.v[0].v[HOLDER_NR_pid], 0);
	assert_int_equal(h.v[1].v[HOLDER_NR_pid], 1);
	assert_int_equal(h.v[2].v[HOLDER_NR_pid], 2);
	assert_string_equal(h.v[2].name, "");
	holders_deinit(&h);
}

static void test_largest(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct holders h;

	(void)state;
	read_text(&h, "process pid=1 anon=10 name=a\nprocess pid=2 anon=40 sockets=2 name=b\n"
		      "process pid=3 anon=30 name=c\nprocess pid=4 anon=2048 name=d\n"
		      "tmpfs bytes=5 anon=4096 name=not a process\n");
	holders_add_largest(&h, HOLDER_NR_anon, &sb);
	assert_string_equal(sb.buf, "d 4 (2.0 KiB), b 2 (40 B), c 3 (30 B)");
	strbuf_reset(&sb);
	holders_add_largest(&h, HOLDER_NR_sockets, &sb);
	assert_string_equal(sb.buf, "b 2 (2 sockets)");
	strbuf_reset(&sb);
	holders_add_largest(&h, HOLDER_NR_timers, &sb);
	assert_string_equal(sb.buf, "");
	holders_deinit(&h);
	strbuf_deinit(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_written_is_read),
		cmocka_unit_test(test_invalid_lines_are_skipped),
		cmocka_unit_test(test_largest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
