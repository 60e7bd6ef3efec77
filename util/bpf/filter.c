// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bpf/filter.h"

#ifdef HAVE_LIBBPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define TASKS_MAX (1u << 22) /* the maximum; entries take no memory before they are used */

static int map_fd(const struct bpf_object *object, const char *name)
{
	return bpf_object__find_map_fd_by_name(object, name);
}

bool bpf_filter_has_tasks(const struct bpf_capture_options *o)
{
	return o->nr_pids || o->nr_tids;
}

int bpf_filter_prepare(struct bpf_object *object, const struct bpf_capture_options *o)
{
	bool tasks = bpf_filter_has_tasks(o);
	struct bpf_program *program;
	static const char *const following[] = {"follow_new", "follow_free"};

	for (int i = 0; i < 2; i++) {
		program = bpf_object__find_program_by_name(object, following[i]);
		bpf_program__set_autoload(program, tasks);
	}
	return tasks ? bpf_map__set_max_entries(bpf_object__find_map_by_name(object, "tasks"),
						TASKS_MAX)
		     : 0;
}

static int add_task(int fd, pid_t tid, struct error *err)
{
	uint32_t key = (uint32_t)tid;
	const uint8_t wanted = 1;
	int ret = bpf_map_update_elem(fd, &key, &wanted, BPF_ANY);

	return ret ? error_set_errno(err, -ret, "cannot follow thread %d", (int)tid) : 0;
}

/* Twice: the first pass may miss a thread created by one that was not followed yet. */
static int add_process(int fd, pid_t pid, struct error *err)
{
	char path[64];
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	for (int round = 0; round < 2 && !ret; round++) {
		DIR *dir = opendir(path);
		const struct dirent *entry;

		if (!dir)
			return error_set(err, ESRCH, "there is no process %d", (int)pid);
		while (!ret && (entry = readdir(dir))) {
			int tid = atoi(entry->d_name);

			if (tid > 0)
				ret = add_task(fd, tid, err);
		}
		closedir(dir);
	}
	return ret;
}

static struct bpf_link *attach(struct bpf_object *object, const char *name, struct error *err)
{
	struct bpf_link *link = bpf_program__attach(bpf_object__find_program_by_name(object, name));

	if (!link)
		error_set_errno(err, errno, "cannot attach the BPF program '%s'", name);
	return link;
}

int bpf_filter_fill(struct bpf_filter *f, struct bpf_object *object,
		    const struct bpf_capture_options *o, struct error *err)
{
	const uint32_t first = 0;
	int fd = map_fd(object, "tasks"), ret = 0;

	if (o->cgroup_fd >= 0)
		ret = bpf_map_update_elem(map_fd(object, "cgroups"), &first, &o->cgroup_fd,
					  BPF_ANY);
	if (ret)
		return error_set_errno(err, -ret,
				       "cannot restrict BPF programs to a cgroup (it must "
				       "be one of version 2)");
	if (!bpf_filter_has_tasks(o))
		return 0;
	f->new_link = attach(object, "follow_new", err);
	f->free_link = f->new_link ? attach(object, "follow_free", err) : NULL;
	if (!f->free_link)
		return err ? -err->code : -EINVAL;
	for (size_t i = 0; i < o->nr_pids && !ret; i++)
		ret = add_process(fd, o->pids[i], err);
	for (size_t i = 0; i < o->nr_tids && !ret; i++)
		ret = add_task(fd, o->tids[i], err);
	return ret;
}

void bpf_filter_deinit(struct bpf_filter *f)
{
	bpf_link__destroy(f->new_link);
	bpf_link__destroy(f->free_link);
	*f = (struct bpf_filter){0};
}

#endif
