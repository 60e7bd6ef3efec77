/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct topology: the CPUs, memory and NUMA nodes of this machine.
 *
 * From /proc and /sys (sysfs ABI: devices/system/node); what cannot be read there is 0, NULL or no
 * node.  It owns the strings.
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

struct topology {
	uint32_t nr_cpus, nr_cpus_online;
	char *cpu_model;
	uint64_t total_kib;
	struct topology_node *nodes;
	size_t nr_nodes;
};

/* root: "" for this machine, or a directory with its own proc and sys. Errors: -ENOMEM. */
int topology_init(struct topology *t, const char *root);
void topology_deinit(struct topology *t);

#endif
