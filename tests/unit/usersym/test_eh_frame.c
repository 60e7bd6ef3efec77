// SPDX-License-Identifier: GPL-2.0-or-later
/* The table made of .eh_frame against the one that the linker has made of the same (.eh_frame_hdr).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/skip.h"
#include "util/base/bytes.h"
#include "util/usersym/eh_frame.h"
#include "util/symbol/elf_file.h"

#ifdef HAVE_LIBELF

static struct elf_file self;
static const uint8_t *section;
static size_t size;
static uint64_t address;

static int setup(void **state)
{
	(void)state;
	if (elf_file_open(&self, "/proc/self/exe", NULL))
		return -1;
	section = elf_file_section(&self, ".eh_frame", &size, &address);
	return 0;
}

/* 32-bit ARM unwinds with .ARM.exidx; compilers emit no .eh_frame. */
static void need_table(void)
{
	if (section && elf_file_has_section(&self, ".eh_frame_hdr"))
		return;
	skip_because("programs of this machine have no .eh_frame_hdr");
}

static int teardown(void **state)
{
	(void)state;
	elf_file_close(&self);
	return 0;
}

static void test_as_the_linker(void **state)
{
	uint64_t header_address = 0;
	size_t header_size = 0, nr = 0;
	struct eh_frame_entry *v = NULL;
	const uint8_t *header;
	uint32_t wanted;

	(void)state;
	need_table();
	header = elf_file_section(&self, ".eh_frame_hdr", &header_size, &header_address);
	assert_non_null(header);
	/* version 1; i32 to the section; u32 number; pairs of i32 relative to the header */
	assert_memory_equal(header, "\x01\x1b\x03\x3b", 4);
	wanted = load_u32(header + 8, false);
	assert_int_equal(eh_frame_read(section, size, address, false, &v, &nr), 0);
	assert_true(wanted > 10);
	assert_int_equal(nr, wanted);
	for (size_t i = 0; i < nr; i++) {
		const uint8_t *pair = header + 12 + 8 * i;
		uint64_t start = header_address + (uint64_t)(int64_t)(int32_t)load_u32(pair, false);
		uint64_t fde =
			header_address + (uint64_t)(int64_t)(int32_t)load_u32(pair + 4, false);

		assert_int_equal(address + (uint64_t)(int64_t)v[i].start, start);
		assert_int_equal(address + (uint64_t)(int64_t)v[i].fde, fde);
	}
	free(v);
}

/* Each byte may be anything, and the section may end anywhere. */
static void test_broken(void **state)
{
	size_t length = size < 2000 ? size : 2000, nr, most = 0;
	struct eh_frame_entry *v;

	(void)state;
	need_table();
	for (size_t i = 0; i < length; i++) {
		uint8_t *copy = malloc(length - i + 1);

		assert_non_null(copy);
		memcpy(copy, section, length - i);
		assert_int_equal(eh_frame_read(copy, length - i, address, false, &v, &nr), 0);
		assert_true(nr <= length / 12);
		free(v);
		for (unsigned int bits = 1; bits < 256; bits = bits * 3 + 1) {
			copy[(i * 7) % (length - i)] ^= (uint8_t)bits;
			assert_int_equal(eh_frame_read(copy, length - i, address, i & 1, &v, &nr),
					 0);
			most = nr > most ? nr : most;
			free(v);
		}
		free(copy);
	}
	assert_true(most > 5);
	assert_int_equal(eh_frame_read(section, 0, 0, false, &v, &nr), 0);
	assert_int_equal(nr, 0);
	free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_as_the_linker, setup, teardown),
		cmocka_unit_test_setup_teardown(test_broken, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0;
}

#endif
