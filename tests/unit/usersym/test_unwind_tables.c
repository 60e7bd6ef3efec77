// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of this very program; bytes at addresses of one with broken segments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/skip.h"
#include "util/base/bytes.h"
#include "util/usersym/unwind_tables.h"

static void test_of_a_program(void **state)
{
#ifdef HAVE_LIBELF
	struct unwind_tables t;
	struct elf_file f;
	const uint8_t *first;

	assert_int_equal(elf_file_open(&f, "/proc/self/exe", NULL), 0);
	if (!elf_file_has_section(&f, ".eh_frame_hdr")) { /* 32-bit ARM has .ARM.exidx */
		elf_file_close(&f);
		skip_because("programs of this machine have no .eh_frame_hdr");
	}
	unwind_tables_init(&t, &f);
	assert_non_null(t.file.bytes);
	assert_true(t.header && t.entries > t.header && t.nr > 10);
	first = unwind_tables_bytes(&t, t.entries, 16);
	assert_non_null(first);
	assert_non_null(unwind_tables_bytes(&t, t.entries + 8 * (t.nr - 1), 8));
	/* sorted by the functions' addresses, which are relative to the header */
	assert_true((int32_t)load_u32(first, false) < (int32_t)load_u32(first + 8, false));
	unwind_tables_deinit(&t);
	elf_file_close(&f);
	(void)state;
#else
	(void)state;
	skip_because("perf is built without libelf");
#endif
}

static void test_bytes_of_segments(void **state)
{
	static const uint8_t file[32];
	struct elf_segment segments[] = {
		{.offset = 0, .size = 12, .address = 0x1000},
		{.offset = 24, .size = UINT64_MAX, .address = 0x2000},
		{.offset = UINT64_MAX - 4, .size = UINT64_MAX, .address = 0x100000},
	};
	const struct unwind_tables t = {
		.file = {.segments = segments, .nr_segments = 1, .bytes = file, .size = 32}};
	struct unwind_tables broken = t;

	(void)state;
	assert_ptr_equal(unwind_tables_bytes(&t, 0x1000, 8), file);
	assert_null(unwind_tables_bytes(&t, 0xfff, 8));
	/* a word whose second half is behind the segment is there, one that begins behind it is not
	 */
	assert_ptr_equal(unwind_tables_bytes(&t, 0x1008, 8), file + 8);
	assert_null(unwind_tables_bytes(&t, 0x100c, 8));
	broken.file.nr_segments = 3;
	assert_ptr_equal(unwind_tables_bytes(&broken, 0x2000, 8), file + 24);
	assert_null(unwind_tables_bytes(&broken, 0x2001, 8));
	assert_null(unwind_tables_bytes(&broken, 0x100000, 8));
	assert_null(unwind_tables_bytes(&broken, UINT64_MAX, 8));
	assert_null(unwind_tables_bytes(&broken, UINT64_MAX - 7, 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_a_program),
		cmocka_unit_test(test_bytes_of_segments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
