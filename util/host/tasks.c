// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/host/tasks.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/base/strbuf.h"

/* Call fn for each number among the names in a directory. */
static int numbers_for_each(const char *path, int (*fn)(void *ctx, uint32_t number), void *ctx)
{
	struct dirent *e;
	int ret = 0;
	DIR *d = opendir(path);

	while (!ret && d && (e = readdir(d))) {
		uint32_t number = (uint32_t)strtoul(e->d_name, NULL, 10);

		if (number)
			ret = fn(ctx, number);
	}
	if (d)
		closedir(d);
	return ret;
}

int processes_for_each(process_fn fn, void *ctx)
{
	return numbers_for_each("/proc", fn, ctx);
}

struct walk {
	task_fn fn;
	void *ctx;
	uint32_t pid;
};

static int take_thread(void *ctx, uint32_t tid)
{
	const struct walk *w = ctx;
	_cleanup_(strbuf_deinit) struct strbuf comm = STRBUF_INIT;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", w->pid, tid);
	if (strbuf_read_file(&comm, path) || !comm.len)
		return 0;
	strbuf_setlen(&comm, comm.len - 1); /* remove the newline */
	return w->fn(w->ctx, w->pid, tid, comm.buf);
}

int threads_for_each(uint32_t pid, task_fn fn, void *ctx)
{
	struct walk w = {fn, ctx, pid};
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	return numbers_for_each(path, take_thread, &w);
}

static int take_process(void *ctx, uint32_t pid)
{
	const struct walk *w = ctx;

	return threads_for_each(pid, w->fn, w->ctx);
}

int tasks_for_each(task_fn fn, void *ctx)
{
	struct walk w = {.fn = fn, .ctx = ctx};

	return processes_for_each(take_process, &w);
}

/* "start-end perms offset major:minor inode path"; false: another format */
static bool parse_map(char *line, struct task_map *m)
{
	int name_at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &m->start,
		   &m->end, m->perms, &m->file_offset, &m->major, &m->minor, &m->inode,
		   &name_at) < 7)
		return false;
	line[strcspn(line, "\n")] = '\0';
	m->path = line + name_at;
	return true;
}

int task_maps_for_each(uint32_t pid, task_map_fn fn, void *ctx)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	char path[64];
	size_t cap = 0;
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	while (f && !ret && getline(&line, &cap, f) > 0) {
		struct task_map m = {0};

		if (parse_map(line, &m))
			ret = fn(ctx, pid, &m);
	}
	return ret;
}
