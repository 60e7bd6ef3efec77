/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The holders among processes: their memory, their descriptors, and files in memory.
 *
 * Files in memory are those of the tmpfs mounts that a process sees, and files without a name that
 * it keeps open.
 */
#ifndef WHERE_COLLECT_TASKS_H
#define WHERE_COLLECT_TASKS_H

#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/base/table.h"

/* A BPF object that a process has a descriptor of. */
struct bpf_owner {
	uint64_t key; /* bpf_owner_key() */
	uint64_t pid; /* the first process found */
};

static inline uint64_t bpf_owner_key(bool is_prog, uint64_t id)
{
	return id << 1 | is_prog;
}

/*
 * Append the lines of this machine's processes, until deadline_ns (now_ns()). owners: a table of
 * struct bpf_owner, which is filled. Errors: -ENOMEM.
 */
int collect_tasks(const char *root, uint64_t deadline_ns, struct table *owners, struct strbuf *sb);

#endif
