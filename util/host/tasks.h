/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tasks of this machine, their names and their mappings, from /proc.
 *
 * Tasks that end meanwhile are skipped.
 */
#ifndef HOST_TASKS_H
#define HOST_TASKS_H

#include <stdint.h>

/* A non-zero return stops the walk, and is returned. */
typedef int (*task_fn)(void *ctx, uint32_t pid, uint32_t tid, const char *comm);
typedef int (*process_fn)(void *ctx, uint32_t pid);

/* A mapping, as in a line of /proc/PID/maps. */
struct task_map {
	uint64_t start, end, file_offset;
	uint32_t major, minor;
	uint64_t inode;	  /* 0: not a file */
	char perms[5];	  /* "r-xp" */
	const char *path; /* or "[heap]" and the like; "" if it has no name */
};

/* The map is valid until it returns. A non-zero return stops the walk, and is returned. */
typedef int (*task_map_fn)(void *ctx, uint32_t pid, const struct task_map *map);

/* Call fn for each process; each thread of one; each thread of each process. */
int processes_for_each(process_fn fn, void *ctx);
int threads_for_each(uint32_t pid, task_fn fn, void *ctx);
int tasks_for_each(task_fn fn, void *ctx);

/* Call fn for each mapping of a process. */
int task_maps_for_each(uint32_t pid, task_map_fn fn, void *ctx);

#endif
