// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "builtin/perf/frame-texts.h"

static struct frame_texts texts;

static int setup(void **state)
{
	(void)state;
	frame_texts_init(&texts);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	frame_texts_deinit(&texts);
	return 0;
}

static void keep(uint64_t pid, uint64_t address, const char *line)
{
	frame_texts_keep(&texts, pid, address, line, strlen(line));
}

static void assert_line(uint64_t pid, uint64_t address, const char *expected)
{
	size_t len = 0;
	const char *line = frame_texts_find(&texts, pid, address, &len);

	if (!expected) {
		assert_null(line);
		return;
	}
	assert_non_null(line);
	assert_int_equal(len, strlen(expected));
	assert_memory_equal(line, expected, len);
}

static void test_a_line_belongs_to_an_address_of_a_process(void **state)
{
	(void)state;
	assert_line(1, 0x1000, NULL);
	keep(1, 0x1000, "main");
	keep(FRAME_TEXTS_OF_KERNEL, 0x1000, "schedule");
	assert_line(1, 0x1000, "main");
	assert_line(FRAME_TEXTS_OF_KERNEL, 0x1000, "schedule");
	assert_line(2, 0x1000, NULL);
	assert_line(1, 0x1001, NULL);
	keep(1, 0x1000, "other");
	assert_line(1, 0x1000, "other");
}

static void test_a_changed_address_space_is_forgotten(void **state)
{
	(void)state;
	keep(1, 0x1000, "one");
	keep(2, 0x1000, "two");
	keep(FRAME_TEXTS_OF_KERNEL, 0x1000, "schedule");
	frame_texts_forget(&texts, 1);
	assert_line(1, 0x1000, NULL);
	assert_line(2, 0x1000, "two");
	assert_line(FRAME_TEXTS_OF_KERNEL, 0x1000, "schedule");
	keep(1, 0x1000, "again");
	assert_line(1, 0x1000, "again");
}

/* More lines than there is room for: each is found as it was kept, or not at all. */
static void test_what_is_kept_is_bounded(void **state)
{
	char line[FRAME_TEXTS_LINE_MAX + 2];
	unsigned int nr_found = 0;
	size_t len;

	(void)state;
	for (uint64_t i = 0; i < 4 * FRAME_TEXTS_SLOTS; i++) {
		snprintf(line, sizeof(line), "%0100u", (unsigned int)i);
		keep(7, i * 16, line);
		assert_line(7, i * 16, line);
		assert_true(texts.text.len <= FRAME_TEXTS_BYTES_MAX);
	}
	for (uint64_t i = 0; i < 4 * FRAME_TEXTS_SLOTS; i++) {
		if (!frame_texts_find(&texts, 7, i * 16, &len))
			continue;
		snprintf(line, sizeof(line), "%0100u", (unsigned int)i);
		assert_line(7, i * 16, line);
		nr_found++;
	}
	assert_in_range(nr_found, 1, FRAME_TEXTS_SLOTS);
	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\0';
	keep(8, 8, line);
	assert_line(8, 8, NULL);
}

/* An address and a pid that share a slot with others. */
static void test_no_line_is_taken_for_another(void **state)
{
	char line[32];

	(void)state;
	for (uint64_t pid = 0; pid < 64; pid++)
		for (uint64_t i = 0; i < 64; i++) {
			snprintf(line, sizeof(line), "%u %u", (unsigned int)pid, (unsigned int)i);
			keep(pid << 16, i << 48, line);
		}
	for (uint64_t pid = 0; pid < 64; pid++)
		for (uint64_t i = 0; i < 64; i++) {
			size_t len;

			if (!frame_texts_find(&texts, pid << 16, i << 48, &len))
				continue;
			snprintf(line, sizeof(line), "%u %u", (unsigned int)pid, (unsigned int)i);
			assert_line(pid << 16, i << 48, line);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_line_belongs_to_an_address_of_a_process,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_changed_address_space_is_forgotten, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_what_is_kept_is_bounded, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_line_is_taken_for_another, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
