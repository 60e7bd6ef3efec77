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

#include "util/host/topology.h"

static void put(const char *root, const char *path, const char *text)
{
	char command[256];
	FILE *f;

	snprintf(command, sizeof(command), "mkdir -p $(dirname %s%s)", root, path);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "%s%s", root, path);
	f = fopen(command, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void test_two_nodes(void **state)
{
	char root[] = "/tmp/test_topology.XXXXXX", command[64];
	struct topology t;

	(void)state;
	assert_non_null(mkdtemp(root));
	put(root, "/proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nflags: x\n");
	put(root, "/proc/meminfo", "MemTotal:       16316412 kB\nMemFree: 1 kB\n");
	put(root, "/sys/devices/system/node/online", "0,2\n");
	put(root, "/sys/devices/system/node/node0/meminfo",
	    "Node 0 MemTotal:       1000 kB\nNode 0 MemFree:         10 kB\n");
	put(root, "/sys/devices/system/node/node0/cpulist", "0-3,8\n");
	assert_int_equal(topology_init(&t, root), 0);
	assert_true(t.nr_cpus >= t.nr_cpus_online && t.nr_cpus_online > 0);
	assert_string_equal(t.cpu_model, "Some CPU @ 2 GHz");
	assert_int_equal(t.total_kib, 16316412);
	assert_int_equal(t.nr_nodes, 2);
	assert_int_equal(t.nodes[0].number, 0);
	assert_int_equal(t.nodes[0].total_kib, 1000);
	assert_int_equal(t.nodes[0].free_kib, 10);
	assert_string_equal(t.nodes[0].cpus, "0-3,8");
	assert_int_equal(t.nodes[1].number, 2); /* and nothing more is known of it */
	assert_int_equal(t.nodes[1].total_kib, 0);
	assert_string_equal(t.nodes[1].cpus, "");
	topology_deinit(&t);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static void test_a_machine_that_tells_nothing(void **state)
{
	struct topology t;

	(void)state;
	assert_int_equal(topology_init(&t, "/nonexistent"), 0);
	assert_null(t.cpu_model);
	assert_int_equal(t.total_kib, 0);
	assert_int_equal(t.nr_nodes, 0);
	topology_deinit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_nodes),
		cmocka_unit_test(test_a_machine_that_tells_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
