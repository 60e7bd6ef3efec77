// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/target.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/base/cleanup.h"

#define ONLINE "/sys/devices/system/cpu/online"

int target_online(struct cpulist *cpus, struct error *err)
{
	return cpulist_read_file(cpus, ONLINE, err);
}

int target_cpus(struct cpulist *cpus, const struct cpulist *wanted, struct error *err)
{
	_cleanup_(cpulist_deinit) struct cpulist online = CPULIST_INIT;
	size_t nr = 0;
	int ret = target_online(&online, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < wanted->nr; i++)
		if (!cpulist_has(&online, wanted->cpus[i]))
			return error_set(err, ENODEV, "CPU %d is not online", wanted->cpus[i]);
	for (size_t i = 0; i < online.nr; i++)
		if (!wanted->nr || cpulist_has(wanted, online.cpus[i]))
			online.cpus[nr++] = online.cpus[i];
	*cpus = (struct cpulist){online.cpus, nr};
	online = (struct cpulist)CPULIST_INIT;
	return 0;
}

static int add_tid(pid_t **tids, size_t *nr, pid_t tid, struct error *err)
{
	pid_t *v = reallocarray(*tids, *nr + 1, sizeof(*v));

	if (!v)
		return error_nomem(err);
	v[(*nr)++] = tid;
	*tids = v;
	return 0;
}

static int add_threads(pid_t **tids, size_t *nr, pid_t pid, struct error *err)
{
	char path[64];
	struct dirent *e;
	int ret = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	d = opendir(path);
	if (!d)
		return error_set(err, ESRCH, "there is no process %d", (int)pid);
	while (!ret && (e = readdir(d))) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);

		if (tid > 0)
			ret = add_tid(tids, nr, tid, err);
	}
	closedir(d);
	return ret;
}

int target_tids(const struct recorder_options *options, pid_t command, pid_t **ret_tids,
		size_t *ret_nr, struct error *err)
{
	_cleanup_free_ pid_t *tids = NULL;
	size_t nr = 0;
	int ret = 0;

	for (size_t i = 0; i < options->nr_pids && !ret; i++)
		ret = add_threads(&tids, &nr, options->pids[i], err);
	for (size_t i = 0; i < options->nr_tids && !ret; i++)
		ret = target_alive(&options->tids[i], 1)
			      ? add_tid(&tids, &nr, options->tids[i], err)
			      : error_set(err, ESRCH, "there is no thread %d",
					  (int)options->tids[i]);
	if (!ret && !nr && command && !options->system_wide &&
	    (options->only_command || (!options->cpus.nr && !options->cgroup)))
		ret = add_tid(&tids, &nr, command, err);
	if (ret)
		return ret;
	*ret_tids = steal_ptr(&tids);
	*ret_nr = nr;
	return 0;
}

bool target_alive(const pid_t *tids, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!kill(tids[i], 0) || errno == EPERM)
			return true;
	return false;
}
