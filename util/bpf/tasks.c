// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bpf/tasks.h"

#ifdef HAVE_LIBBPF

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int bpf_tasks_add(int map_fd, pid_t tid, struct error *err)
{
	uint32_t key = (uint32_t)tid;
	const uint8_t wanted = 1;
	int ret = bpf_map_update_elem(map_fd, &key, &wanted, BPF_ANY);

	return ret ? error_set_errno(err, -ret, "cannot follow thread %d", (int)tid) : 0;
}

/* Twice: the first look may miss a thread that was created by one not yet followed. */
int bpf_tasks_add_process(int map_fd, pid_t pid, struct error *err)
{
	char path[64];
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	for (int round = 0; round < 2 && !ret; round++) {
		DIR *dir = opendir(path);
		const struct dirent *entry;

		if (!dir)
			return error_set_errno(err, ESRCH, "process %d", (int)pid);
		while (!ret && (entry = readdir(dir))) {
			int tid = atoi(entry->d_name);

			if (tid > 0)
				ret = bpf_tasks_add(map_fd, tid, err);
		}
		closedir(dir);
	}
	return ret;
}

#endif
