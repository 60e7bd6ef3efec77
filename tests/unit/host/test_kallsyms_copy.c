// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/host/kallsyms_copy.h"

#define OWN                                                                                        \
	"0000000000000000 A first_percpu\n"                                                        \
	"ffffffff81000000 T _text\n"                                                               \
	"ffffffff81000000 T _stext\n"                                                              \
	"ffffffff81002000 T _etext\n"
#define MODULES                                                                                    \
	"ffffffffc0000000 t module_function\t[module]\n"                                           \
	"ffffffffc0001000 t bpf_prog_0123456789abcdef\t[bpf]\n"
#define HIDDEN "0000000000000000 T _text\n0000000000000000 T _etext\n"
#define BOOT   "01234567-89ab-cdef-0123-456789abcdef\n"

/* A folder with the files that the kernel would have, and with the cache. */
struct place {
	char folder[32], kallsyms[64], boot[64], cache[64], copy[96];
};

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int set_up(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	snprintf(p->folder, sizeof(p->folder), "/tmp/kallsyms-copy.XXXXXX");
	if (!mkdtemp(p->folder))
		return -1;
	snprintf(p->kallsyms, sizeof(p->kallsyms), "%s/kallsyms", p->folder);
	snprintf(p->boot, sizeof(p->boot), "%s/boot_id", p->folder);
	snprintf(p->cache, sizeof(p->cache), "%s/cache", p->folder);
	snprintf(p->copy, sizeof(p->copy), "%s/perf-kmem/kallsyms", p->cache);
	write_file(p->kallsyms, OWN MODULES);
	write_file(p->boot, BOOT);
	*state = p;
	return setenv("XDG_CACHE_HOME", p->cache, true);
}

static int tear_down(void **state)
{
	struct place *p = *state;
	char command[64];
	int ret;

	snprintf(command, sizeof(command), "rm -r %s", p->folder);
	ret = system(command); /* NOLINT(cert-env33-c) */
	free(p);
	return ret;
}

static void keep(const struct place *p, const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addstr(&sb, text);
	kallsyms_copy_keep(&sb, p->boot);
	strbuf_deinit(&sb);
}

/* want: NULL if no copy can be used. */
static void check(const struct place *p, const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	assert_int_equal(kallsyms_copy_read(&sb, p->kallsyms, p->boot), want != NULL);
	assert_string_equal(sb.buf, want ? want : "");
	strbuf_deinit(&sb);
}

static void test_keeps_the_kernels_own_lines(void **state)
{
	const struct place *p = *state;
	struct stat st;

	check(p, NULL);
	keep(p, OWN MODULES);
	check(p, OWN);
	assert_int_equal(stat(p->copy, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat(p->cache, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	keep(p, OWN); /* a kernel without modules */
	check(p, OWN);
}

static void test_only_of_this_boot(void **state)
{
	const struct place *p = *state;

	keep(p, OWN);
	write_file(p->boot, "f" BOOT);
	check(p, NULL);
	write_file(p->boot, "fedcba98-89ab-cdef-0123-456789abcdef\n");
	check(p, NULL);
	write_file(p->boot, BOOT);
	check(p, OWN);
}

/* Another kernel, or one that hides its addresses now. */
static void test_only_if_the_kernel_shows_the_same(void **state)
{
	const struct place *p = *state;

	keep(p, OWN);
	write_file(p->kallsyms, HIDDEN);
	check(p, NULL);
	write_file(p->kallsyms, "");
	check(p, NULL);
	unlink(p->kallsyms);
	check(p, NULL);
	write_file(p->kallsyms, OWN);
	check(p, OWN);
}

static void test_only_if_nobody_else_could_write_it(void **state)
{
	const struct place *p = *state;
	char aside[96];

	keep(p, OWN);
	assert_int_equal(chmod(p->copy, 0620), 0);
	check(p, NULL);
	assert_int_equal(chmod(p->copy, 0600), 0);
	check(p, OWN);
	assert_int_equal(chmod(p->cache, 0777), 0);
	check(p, NULL);
	assert_int_equal(chmod(p->cache, 0700), 0);
	check(p, OWN);
	snprintf(aside, sizeof(aside), "%s/aside", p->folder);
	assert_int_equal(rename(p->copy, aside), 0);
	assert_int_equal(symlink(aside, p->copy), 0);
	check(p, NULL);
}

static void test_keeps_nothing_useless(void **state)
{
	const struct place *p = *state;

	keep(p, HIDDEN);
	keep(p, MODULES);
	keep(p, "");
	assert_int_equal(access(p->copy, F_OK), -1);
	write_file(p->boot, "");
	keep(p, OWN);
	assert_int_equal(access(p->copy, F_OK), -1);
}

static void test_needs_a_folder(void **state)
{
	const struct place *p = *state;

	setenv("XDG_CACHE_HOME", "/dev/null", true);
	keep(p, OWN);
	check(p, NULL);
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", "", true);
	keep(p, OWN);
	check(p, NULL);
	setenv("HOME", p->folder, true);
	keep(p, OWN);
	check(p, OWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_keeps_the_kernels_own_lines, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_only_of_this_boot, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_only_if_the_kernel_shows_the_same, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_only_if_nobody_else_could_write_it, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_keeps_nothing_useless, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_needs_a_folder, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
