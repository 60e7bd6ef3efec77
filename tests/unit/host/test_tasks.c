// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/host/tasks.h"

struct seen {
	uint64_t address; /* to find */
	struct task_map map;
	char path[64];
	int nr;
};

static int look(void *ctx, uint32_t pid, const struct task_map *map)
{
	struct seen *s = ctx;

	assert_int_equal(pid, getpid());
	s->nr++;
	if (map->start > s->address || map->end <= s->address)
		return 0;
	s->map = *map;
	strncpy(s->path, map->path, sizeof(s->path) - 1);
	return 7;
}

static void test_own_mappings(void **state)
{
	/* a sanitizer may keep variables elsewhere */
	struct seen stack = {.address = (uintptr_t)__builtin_frame_address(0)};
	struct seen code = {.address = (uintptr_t)look};
	struct seen none = {.address = 1};

	(void)state;
	assert_int_equal(task_maps_for_each((uint32_t)getpid(), look, &code), 7);
	assert_int_equal(code.map.perms[2], 'x');
	assert_int_not_equal(code.map.inode, 0);
	assert_int_equal(code.path[0], '/');
	assert_int_equal(task_maps_for_each((uint32_t)getpid(), look, &stack), 7);
	assert_string_equal(stack.path, "[stack]");
	assert_int_equal(stack.map.inode, 0);
	assert_int_equal(task_maps_for_each((uint32_t)getpid(), look, &none), 0);
	assert_true(none.nr > 2);
}

static void test_no_such_process(void **state)
{
	struct seen none = {.address = 1};

	(void)state;
	assert_int_equal(task_maps_for_each(UINT32_MAX, look, &none), 0);
	assert_int_equal(none.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_mappings),
		cmocka_unit_test(test_no_such_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
