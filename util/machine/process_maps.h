/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct process_maps: the current mappings of each process.
 *
 * Fed with map, fork and exit records in time order; a later map replaces the maps that it covers.
 * process_maps_find() turns an address of a process into a file and an offset. These stay valid
 * later, so a symbol can be looked up when the whole recording has been read, and an address in a
 * library is the same for all processes.
 *
 * Files count from 0. Two maps are of the same file if path, build-id and inode are equal. Memory
 * without a file ("//anon", "[heap]") belongs to its process, and its offsets are addresses. The
 * maps of a process are a tree; a forked process shares the unchanged part. Time and memory grow
 * with n log n for any n records. The maps of a process are freed some time after it has ended. The
 * struct owns all strings. Errors: -ENOMEM.
 */
#ifndef MACHINE_PROCESS_MAPS_H
#define MACHINE_PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/intern.h"
#include "util/base/table.h"
#include "util/host/running_kernel.h"
#include "util/source/source_map.h"

/* Number of ended processes to remember: threads may outlive the first one. */
#define PROCESS_MAPS_ENDED_MAX 1024

struct process_maps {
	struct table processes; /* u64 pid -> the root of its tree */
	struct map_node *nodes; /* 0 is unused */
	uint32_t nr_nodes, cap_nodes, free_node;
	uint64_t random;
	struct intern files;  /* the files' identities, as bytes */
	uint32_t *first_pids; /* for each file, the first process that mapped it */
	size_t cap_first_pids;
	uint32_t ended[PROCESS_MAPS_ENDED_MAX]; /* a ring of pids */
	uint32_t nr_ended;
	bool failed; /* a node could not be allocated */
};

/* A mapped file. The strings are valid until the next map is added. */
struct mapped_file {
	const char *path;
	uint32_t pid;	 /* pid of the first process that mapped it */
	bool is_private; /* not a file: private memory of that process */
	uint32_t major, minor;
	uint64_t inode; /* 0 if unknown */
	uint8_t build_id[BUILD_ID_MAX];
	size_t build_id_size; /* 0 if unknown */
};

struct mapped_address {
	uint32_t file;
	uint64_t offset; /* offset in the file; in private memory, the address */
};

void process_maps_init(struct process_maps *p);
void process_maps_deinit(struct process_maps *p);

int process_maps_map(struct process_maps *p, const struct source_map *map);
int process_maps_change(struct process_maps *p, enum source_process_change change, uint32_t pid,
			uint32_t parent_pid);

/* Returns false if no mapping is known there. */
bool process_maps_find(const struct process_maps *p, uint32_t pid, uint64_t address,
		       struct mapped_address *ret_address);

static inline uint32_t process_maps_nr_files(const struct process_maps *p)
{
	return (uint32_t)p->files.nr;
}

struct mapped_file process_maps_file(const struct process_maps *p, uint32_t file);

#endif
