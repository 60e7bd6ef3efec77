/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct cpulist: a set of CPU (or node) numbers in the kernel's list notation, "0-3,8,10-11".
 *
 * The numbers are ascending, without duplicates. The list owns the array; cpulist_deinit() frees
 * it. Used for the -C option, for /sys/devices/system/ {cpu,node} and for the NUMA topology of
 * recordings. An empty text is an empty list.
 */
#ifndef HOST_CPULIST_H
#define HOST_CPULIST_H

#include <stdbool.h>
#include <stddef.h>

#include "util/base/error.h"

#define CPULIST_MAX 65535 /* the largest number accepted */

struct cpulist {
	int *cpus;
	size_t nr;
};

#define CPULIST_INIT                                                                               \
	{                                                                                          \
		NULL                                                                               \
	}

void cpulist_deinit(struct cpulist *l);

/* Add the numbers in `text`; trailing spaces and a newline are allowed. Returns -EINVAL if it is
 * not such a list. */
int cpulist_parse(struct cpulist *l, const char *text, struct error *err);
int cpulist_read_file(struct cpulist *l, const char *path, struct error *err);

bool cpulist_has(const struct cpulist *l, int cpu);

#endif
