// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/base/cleanup.h"
#include "util/tracepoint/format_text.h"

#define HEAD "name: kfree\nID: 561\nformat:\n"
#define TAIL "\nprint fmt: \"\"\n"

static int rewrite(struct strbuf *sb, const char *text)
{
	const struct trace_text t = {.text = text, .len = strlen(text)};

	return format_text_rewrite(sb, &t);
}

static void test_the_kernels_form_passes_unchanged(void **state)
{
	static const char fields[] =
		HEAD "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		     "\n"
		     "\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
		     "\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:0;\n"
		     "\tfield:char comm[16];\toffset:28;\tsize:16;\tsigned:1;\n"
		     "\tfield:char who[TASK_COMM_LEN];\toffset:44;\tsize:16;\n"
		     "\n";
	_cleanup_(strbuf_deinit) struct strbuf sb = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf in = STRBUF_INIT;

	(void)state;
	strbuf_addstr(&in, fields);
	strbuf_addstr(&in, "print fmt: \"%s\", REC->ptr\n");
	assert_int_equal(rewrite(&sb, in.buf), 0);
	strbuf_reset(&in);
	strbuf_addstr(&in, fields);
	strbuf_addstr(&in, TAIL);
	assert_string_equal(sb.buf, in.buf);
}

static void test_other_lines_are_left_out(void **state)
{
	static const char *const bad[] = {
		"\tfield:int;\toffset:0;\tsize:4;\tsigned:0;\n",
		"\tfield:int (*f)(void);\toffset:0;\tsize:4;\tsigned:0;\n",
		"\tfield:int a[b;\toffset:0;\tsize:4;\tsigned:0;\n",
		"\tfield:int a*;\toffset:0;\tsize:4;\tsigned:0;\n",
		"\tfield:int a;\toffset:-1;\tsize:4;\tsigned:0;\n",
		"\tfield:int a;\tsize:4;\toffset:0;\n",
		"\tfield:;\toffset:0;\tsize:4;\tsigned:0;\n",
		"nonsense \"\n",
	};
	_cleanup_(strbuf_deinit) struct strbuf sb = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf in = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		strbuf_reset(&in);
		strbuf_addf(&in, HEAD "%s", bad[i]);
		assert_int_equal(rewrite(&sb, in.buf), 0);
		assert_string_equal(sb.buf, HEAD TAIL);
	}
}

static void test_without_name_or_id_there_is_no_event(void **state)
{
	_cleanup_(strbuf_deinit) struct strbuf sb = STRBUF_INIT;

	(void)state;
	assert_int_equal(rewrite(&sb, ""), -EINVAL);
	assert_int_equal(rewrite(&sb, "name: x\nformat:\n"), -EINVAL);
	assert_int_equal(rewrite(&sb, "ID: 1\nformat:\n"), -EINVAL);
	assert_int_equal(rewrite(&sb, "name: !\nID: 1\nformat:\n"), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_kernels_form_passes_unchanged),
		cmocka_unit_test(test_other_lines_are_left_out),
		cmocka_unit_test(test_without_name_or_id_there_is_no_event),
	};

	return cmocka_run_group_tests_name("format_text", tests, NULL, NULL);
}
