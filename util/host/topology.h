/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct topology: the CPUs, memory and NUMA nodes of this machine.
 *
 * Read from /proc and /sys (sysfs ABI: devices/system/node, devices/system/cpu). Unreadable values
 * are 0, NULL or no node. It owns the strings.
 */
#ifndef HOST_TOPOLOGY_H
#define HOST_TOPOLOGY_H

#include <stddef.h>
#include <stdint.h>

struct topology_node {
	int number;
	uint64_t total_kib, free_kib;
	char *cpus; /* "0-3,8" */
};

/* Numbers of the core, its die and the package; -1 if unknown, as for an offline CPU. */
struct topology_cpu {
	int core, die, package;
};

/* Distinct lists of CPUs that share a resource: "0-3,8". */
struct topology_lists {
	char **v;
	size_t nr;
};

struct topology {
	uint32_t nr_cpus, nr_cpus_online;
	uint32_t nr_cpus_possible; /* 0: unknown */
	struct topology_cpu *cpus; /* nr_cpus entries */
	struct topology_lists packages, dies, cores;
	char *cpu_model;
	char *cpu_id; /* "GenuineIntel,6,207,2" (x86), MIDR (arm64), or NULL */
	uint64_t total_kib;
	struct topology_node *nodes;
	size_t nr_nodes;
};

/* root: "" for this machine, or a directory with proc and sys in it. Errors: -ENOMEM. */
int topology_init(struct topology *t, const char *root);
void topology_deinit(struct topology *t);

#endif
