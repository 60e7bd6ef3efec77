// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/source/host_facts.h"

static void test_facts_of_this_machine(void **state)
{
	struct source_facts f;
	struct utsname u;

	(void)state;
	uname(&u);
	source_facts_init(&f);
	assert_int_equal(source_facts_fill_from_host(&f), 0);
	assert_string_equal(f.hostname, u.nodename);
	assert_string_equal(f.osrelease, u.release);
	assert_string_equal(f.arch, u.machine);
	assert_non_null(strstr(f.cmdline, "test_host_facts"));
	assert_int_equal(f.page_size, sysconf(_SC_PAGESIZE));
	assert_true(f.nr_cpus_online >= 1 && f.nr_cpus_online <= f.nr_cpus_available);
	assert_true(f.total_mem_kib > 0);
	assert_true(source_facts_are_of_running_kernel(&f));
	/* each CPU listed by a node is of that node; a machine may have no nodes */
	if (f.nr_nodes)
		assert_true(source_facts_cpu_node(&f, 0) != NUMA_NO_NODE);
	assert_int_equal(source_facts_cpu_node(&f, 1 << 20), NUMA_NO_NODE);
	/* both clocks at one moment */
	assert_true(f.clock.wall_ns > 1500000000ull * 1000000000 && f.clock.event_ns > 0);
	source_facts_deinit(&f);
}

/* A second time replaces, and leaks nothing. */
static void test_again(void **state)
{
	struct source_facts f;

	(void)state;
	source_facts_init(&f);
	assert_int_equal(source_facts_fill_from_host(&f), 0);
	source_facts_deinit(&f);
	assert_int_equal(source_facts_fill_from_host(&f), 0);
	source_facts_deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_facts_of_this_machine),
		cmocka_unit_test(test_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
