// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/record/kernel_symbols.h"

static const char table[] = "ffffffff81000000 T _text\n"
			    "ffffffff81000000 T _stext\n"
			    "ffffffff81000100 t a\n"
			    "ffffffff81000200 t b.cold\n"
			    "ffffffff81000200 T b\n"
			    "ffffffff81000300 d data_in_text\n"
			    "ffffffff81000400 T c\n"
			    "ffffffff81000500 W d\n"
			    "ffffffff81009000 T _etext\n"
			    "ffffffff82000000 D data\n"
			    "ffffffffa0000000 t mod_fn\t[mod]\n";

static void load(struct kernel_symbols *ks, const char *text)
{
	char path[] = "/tmp/test_kernel_symbols.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(kernel_symbols_init(ks, path, NULL), 0);
	unlink(path);
}

static void test_select(void **state)
{
	/* In b, twice; in the module; outside of all symbols. */
	const uint64_t addrs[] = {0xffffffff81000210, 0xffffffff81000200, 0xffffffffa0000010,
				  0x1000};
	struct strbuf out = STRBUF_INIT;
	struct kernel_symbols ks;

	(void)state;
	load(&ks, table);
	assert_false(ks.hidden);
	assert_int_equal(ks.start, 0xffffffff81000000);
	assert_int_equal(ks.end, 0xffffffff81009000);
	assert_int_equal(kernel_symbols_select(&ks, addrs, 4, &out), 0);
	assert_string_equal(out.buf, "ffffffff81000000 T _text\n"
				     "ffffffff81000000 T _stext\n"
				     "ffffffff81000100 t a\n" /* where _text ends */
				     "ffffffff81000200 t b.cold\n"
				     "ffffffff81000200 T b\n"
				     "ffffffff81000400 T c\n" /* where b ends */
				     "ffffffff81009000 T _etext\n"
				     "ffffffffa0000000 t mod_fn\t[mod]\n");
	strbuf_deinit(&out);
	kernel_symbols_deinit(&ks);
}

static void test_hidden(void **state)
{
	const uint64_t addr = 0xffffffff81000210;
	struct strbuf out = STRBUF_INIT;
	struct kernel_symbols ks;

	(void)state;
	load(&ks, "0000000000000000 T _text\n0000000000000000 t a\n");
	assert_true(ks.hidden);
	assert_int_equal(kernel_symbols_select(&ks, &addr, 1, &out), 0);
	assert_int_equal(out.len, 0);
	kernel_symbols_deinit(&ks);
}

static void test_garbage(void **state)
{
	struct kernel_symbols ks;

	(void)state;
	load(&ks, "\nxyz\nffff\nffff T\nffff T\n1 T x\n10 T no newline");
	assert_int_equal(ks.nr, 2);
	kernel_symbols_deinit(&ks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_select),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_garbage),
	};

	return cmocka_run_group_tests_name("kernel_symbols", tests, NULL, NULL);
}
