// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/host/tasks.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

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
