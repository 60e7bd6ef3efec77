// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/output/kernel_symbols.h"

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

typedef int (*init_fn)(struct kernel_symbols *ks, const char *path, struct error *err);

static void load_by(init_fn init, struct kernel_symbols *ks, const char *text)
{
	char path[] = "/tmp/test_kernel_symbols.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(init(ks, path, NULL), 0);
	unlink(path);
}

static int locate(struct kernel_symbols *ks, const char *path, struct error *err)
{
	return kernel_symbols_locate(ks, path, 0, err);
}

static void load(struct kernel_symbols *ks, const char *text)
{
	load_by(kernel_symbols_init, ks, text);
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
	assert_int_equal(ks.visibility, SYMBOLS_SHOWN);
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

/* Modules of arm64 list the marks of code and data beside their functions. */
static void test_mapping_symbols_are_no_functions(void **state)
{
	const uint64_t addr = 0xffff800001001a10;
	struct strbuf out = STRBUF_INIT;
	struct kernel_symbols ks;

	(void)state;
	load(&ks, "ffff800001001800 t leak_work\t[leaky]\n"
		  "ffff800001001800 t $x\t[leaky]\n"
		  "ffff800001001a00 t $x.12\t[leaky]\n"
		  "ffff800001001b00 t next\t[leaky]\n");
	assert_int_equal(kernel_symbols_select(&ks, &addr, 1, &out), 0);
	assert_string_equal(out.buf, "ffff800001001800 t leak_work\t[leaky]\n"
				     "ffff800001001b00 t next\t[leaky]\n");
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
	assert_int_equal(ks.visibility, SYMBOLS_HIDDEN);
	assert_int_equal(kernel_symbols_select(&ks, &addr, 1, &out), 0);
	assert_int_equal(out.len, 0);
	kernel_symbols_deinit(&ks);
}

/* A kernel without CONFIG_KALLSYMS hides nothing. */
static void test_missing(void **state)
{
	static const init_fn inits[] = {kernel_symbols_init, locate};
	struct kernel_symbols ks;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		load_by(inits[i], &ks, "");
		assert_int_equal(ks.visibility, SYMBOLS_MISSING);
		kernel_symbols_deinit(&ks);
		assert_int_equal(inits[i](&ks, "/nowhere", NULL), 0);
		assert_int_equal(ks.visibility, SYMBOLS_MISSING);
		kernel_symbols_deinit(&ks);
	}
}

static void test_garbage(void **state)
{
	struct kernel_symbols ks;

	(void)state;
	load(&ks, "\nxyz\nffff\nffff T\nffff T\n1 T x\n10 T no newline");
	assert_int_equal(ks.nr, 2);
	kernel_symbols_deinit(&ks);
}

/* A program's memory, which the kernel lists last, may be below that of modules. */
static void test_not_in_order(void **state)
{
	const uint64_t addr = 0xffffffff81000110;
	struct strbuf out = STRBUF_INIT;
	struct kernel_symbols ks;

	(void)state;
	load(&ks, "ffffffff81000100 t a\n"
		  "ffffffffa0000000 t mod_fn\t[mod]\n"
		  "ffffffff81000180 t prog\t[bpf]\n");
	assert_int_equal(kernel_symbols_select(&ks, &addr, 1, &out), 0);
	assert_string_equal(out.buf, "ffffffff81000100 t a\n"
				     "ffffffff81000180 t prog\t[bpf]\n");
	strbuf_deinit(&out);
	kernel_symbols_deinit(&ks);
}

/* The result for the whole table does not depend on the pieces it is read in. */
static void test_locate(void **state)
{
	static const char *const heads[] = {"", "ffffffff81000000 T _text\n",
					    "ffffffff81000040 T _stext\n",
					    "0000000000000000 T _text\n"};
	static const char *const tails[] = {"", "ffffffff81009000 T _etext\n",
					    "ffffffff81009000 T _etext"};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < 3; k++)
			for (int lines = 0; lines < 6000; lines += 2995) {
				struct strbuf text = STRBUF_INIT;
				struct kernel_symbols all, located;

				strbuf_addstr(&text, heads[i]);
				for (int n = 0; n < lines; n++)
					strbuf_addf(&text, "%s t f%d\n",
						    i < 3 ? "ffffffff81000100" : "0000000000000000",
						    n);
				strbuf_addstr(&text, tails[k]);
				load(&all, text.buf ? text.buf : "");
				load_by(locate, &located, text.buf ? text.buf : "");
				assert_int_equal(located.start, all.start);
				assert_int_equal(located.end, all.end);
				assert_int_equal(located.visibility, all.visibility);
				assert_int_equal(located.nr, 0);
				kernel_symbols_deinit(&all);
				kernel_symbols_deinit(&located);
				strbuf_deinit(&text);
			}
}

/* A line that is longer than what is read at a time. */
static void test_locate_in_garbage(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct kernel_symbols ks;

	(void)state;
	strbuf_addf(&text, "%0150000d\nffffffff81000000 T _text\nffffffff81009000 T _etext\n", 0);
	load_by(locate, &ks, text.buf);
	assert_int_equal(ks.start, 0xffffffff81000000);
	assert_int_equal(ks.end, 0xffffffff81009000);
	kernel_symbols_deinit(&ks);
	strbuf_deinit(&text);
	assert_int_equal(locate(&ks, "/", NULL), -EISDIR);
}

static int locate_begin(struct kernel_symbols *ks, const char *path, struct error *err)
{
	return kernel_symbols_locate(ks, path, 0xffffffff8100a000, err);
}

/* Where the end is known, only the beginning is looked for; what is hidden stays so. */
static void test_locate_begin(void **state)
{
	struct kernel_symbols ks;

	(void)state;
	load_by(locate_begin, &ks, "ffffffff81000000 T _text\nffffffff81009000 T _etext\n");
	assert_int_equal(ks.start, 0xffffffff81000000);
	assert_int_equal(ks.end, 0xffffffff8100a000);
	assert_int_equal(ks.visibility, SYMBOLS_SHOWN);
	kernel_symbols_deinit(&ks);
	load_by(locate_begin, &ks, "0000000000000000 T _text\n0000000000000000 T _etext\n");
	assert_int_equal(ks.start, 0);
	assert_int_equal(ks.visibility, SYMBOLS_HIDDEN);
	kernel_symbols_deinit(&ks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_select),
		cmocka_unit_test(test_mapping_symbols_are_no_functions),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_not_in_order),
		cmocka_unit_test(test_locate),
		cmocka_unit_test(test_locate_in_garbage),
		cmocka_unit_test(test_locate_begin),
	};

	return cmocka_run_group_tests_name("kernel_symbols", tests, NULL, NULL);
}
