/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct process_maps: what each process has mapped at the present moment of the recording.
 *
 * Fed with maps and with what becomes of processes, in time order; a later map replaces what it
 * covers.  process_maps_find() makes of an address of a process a file and an offset in it, which
 * mean the same at any later time: a symbol can be looked up when everything has been read, and an
 * address in a library is one address for all processes.
 *
 * Files count from 0.  Two maps are of the same file if path, build-id and inode are the same;
 * memory that is of no file ("//anon", "[heap]") belongs to its process, and its offsets are
 * addresses.  The maps of a process are a tree of which a forked one shares all that it has not
 * changed, so that time and memory grow with n log n for n records, whatever they say.  What a
 * process had is forgotten some time after it has ended.  The struct owns all strings.  Errors:
 * -ENOMEM.
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

/* The processes that have ended most recently are remembered: threads may outlive the first. */
#define PROCESS_MAPS_ENDED_MAX 1024

struct process_maps {
	struct table processes; /* u64 pid -> the root of its tree */
	struct map_node *nodes; /* 0 is none */
	uint32_t nr_nodes, cap_nodes, free_node;
	uint64_t random;
	struct intern files;  /* their identities, as bytes */
	uint32_t *first_pids; /* of each file: the first process that had it */
	size_t cap_first_pids;
	uint32_t ended[PROCESS_MAPS_ENDED_MAX]; /* a ring of pids */
	uint32_t nr_ended;
	bool failed; /* no memory for a node */
};

/* A file that was mapped; the strings are valid until the next map. */
struct mapped_file {
	const char *path;
	uint32_t pid;	 /* of the first process that had it */
	bool is_private; /* no file: the memory of that process alone */
	uint32_t major, minor;
	uint64_t inode; /* 0: not told */
	uint8_t build_id[BUILD_ID_MAX];
	size_t build_id_size; /* 0: not told */
};

struct mapped_address {
	uint32_t file;
	uint64_t offset; /* in the file; in private memory, the address */
};

void process_maps_init(struct process_maps *p);
void process_maps_deinit(struct process_maps *p);

int process_maps_map(struct process_maps *p, const struct source_map *map);
int process_maps_change(struct process_maps *p, enum source_process_change change, uint32_t pid,
			uint32_t parent_pid);

/* False: nothing is known to be mapped there. */
bool process_maps_find(const struct process_maps *p, uint32_t pid, uint64_t address,
		       struct mapped_address *ret_address);

static inline uint32_t process_maps_nr_files(const struct process_maps *p)
{
	return (uint32_t)p->files.nr;
}

struct mapped_file process_maps_file(const struct process_maps *p, uint32_t file);

#endif
