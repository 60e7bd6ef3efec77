// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/scratch_root.h"
#include "util/host/topology.h"

static void test_two_nodes(void **state)
{
	struct scratch_root root;
	struct topology t;

	(void)state;
	assert_int_equal(scratch_root_init(&root), 0);
	scratch_root_put(&root, "/proc/cpuinfo",
			 "processor\t: 0\nvendor_id\t: Maker\ncpu family\t: 6\nmodel\t\t: 85\n"
			 "model name\t: Some CPU @ 2 GHz\nstepping\t: 4\nflags: x\n");
	scratch_root_put(&root, "/proc/meminfo", "MemTotal:       16316412 kB\nMemFree: 1 kB\n");
	scratch_root_put(&root, "/sys/devices/system/node/online", "0,2\n");
	scratch_root_put(&root, "/sys/devices/system/node/node0/meminfo",
			 "Node 0 MemTotal:       1000 kB\nNode 0 MemFree:         10 kB\n");
	scratch_root_put(&root, "/sys/devices/system/node/node0/cpulist", "0-3,8\n");
	assert_int_equal(topology_init(&t, root.dir), 0);
	assert_true(t.nr_cpus >= t.nr_cpus_online && t.nr_cpus_online > 0);
	assert_string_equal(t.cpu_model, "Some CPU @ 2 GHz");
	assert_string_equal(t.cpu_id, "Maker,6,85,4");
	assert_int_equal(t.total_kib, 16316412);
	assert_int_equal(t.nr_nodes, 2);
	assert_int_equal(t.nodes[0].number, 0);
	assert_int_equal(t.nodes[0].total_kib, 1000);
	assert_int_equal(t.nodes[0].free_kib, 10);
	assert_string_equal(t.nodes[0].cpus, "0-3,8");
	assert_int_equal(t.nodes[1].number, 2); /* nothing else is known about it */
	assert_int_equal(t.nodes[1].total_kib, 0);
	assert_string_equal(t.nodes[1].cpus, "");
	topology_deinit(&t);
	assert_int_equal(scratch_root_deinit(&root), 0);
}

/* The number of CPUs is the running machine's, the rest is read below the root. */
static void test_siblings(void **state)
{
	const char *const cpu = "/sys/devices/system/cpu/cpu0/topology";
	struct scratch_root root;
	char name[128];
	struct topology t;

	(void)state;
	assert_int_equal(scratch_root_init(&root), 0);
	snprintf(name, sizeof(name), "%s/core_id", cpu);
	scratch_root_put(&root, name, "3\n");
	snprintf(name, sizeof(name), "%s/physical_package_id", cpu);
	scratch_root_put(&root, name, "1\n");
	snprintf(name, sizeof(name), "%s/core_siblings_list", cpu);
	scratch_root_put(&root, name, "0-7\n");
	snprintf(name, sizeof(name), "%s/thread_siblings_list", cpu);
	scratch_root_put(&root, name, "0,4\n");
	scratch_root_put(&root, "/sys/devices/system/cpu/cpu1/topology/core_siblings_list",
			 "0-7\n");
	scratch_root_put(&root, "/sys/devices/system/cpu/cpu1/topology/thread_siblings_list",
			 "1,5\n");
	scratch_root_put(&root, "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
			 "0x00000000413fd0c1\n");
	assert_int_equal(topology_init(&t, root.dir), 0);
	assert_string_equal(t.cpu_id, "0x00000000413fd0c1");
	assert_int_equal(t.cpus[0].core, 3);
	assert_int_equal(t.cpus[0].package, 1);
	assert_int_equal(t.cpus[0].die, -1);
	assert_int_equal(t.packages.nr, 1);
	assert_string_equal(t.packages.v[0], "0-7");
	assert_int_equal(t.dies.nr, 0);
	assert_string_equal(t.cores.v[0], "0,4");
	if (t.nr_cpus > 1) {
		assert_int_equal(t.cpus[1].core, -1);
		assert_int_equal(t.cores.nr, 2);
		assert_string_equal(t.cores.v[1], "1,5");
	}
	topology_deinit(&t);
	assert_int_equal(scratch_root_deinit(&root), 0);
}

static void test_a_machine_that_tells_nothing(void **state)
{
	struct topology t;

	(void)state;
	assert_int_equal(topology_init(&t, "/nonexistent"), 0);
	assert_null(t.cpu_model);
	assert_null(t.cpu_id);
	assert_int_equal(t.cores.nr, 0);
	assert_int_equal(t.total_kib, 0);
	assert_int_equal(t.nr_nodes, 0);
	topology_deinit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_nodes),
		cmocka_unit_test(test_siblings),
		cmocka_unit_test(test_a_machine_that_tells_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
