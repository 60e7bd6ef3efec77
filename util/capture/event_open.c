// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/capture/event_open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"

static int sys_perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu,
			       unsigned long flags)
{
	int fd =
		(int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, flags | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int explain(int code, const struct evsel *e, int cpu, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf paranoid = STRBUF_INIT;

	switch (code) {
	case EACCES:
	case EPERM:
		if (strbuf_read_file(&paranoid, "/proc/sys/kernel/perf_event_paranoid") ||
		    !paranoid.len)
			strbuf_addstr(&paranoid, "unknown\n");
		return error_set(
			err, code,
			"no permission to record '%s:%s': %s; run as root or with CAP_PERFMON "
			"(kernel.perf_event_paranoid is %.*s%s)",
			e->system, e->name, strerror(code), (int)paranoid.len - 1, paranoid.buf,
			/* not in the kernel of kernel.org */
			atoi(paranoid.buf) > 2
				? "; above 2 kernels of distributions need CAP_SYS_ADMIN"
				: "");
	case EMFILE:
		return error_set(err, code,
				 "too many open files for %zu events on CPU %d and before; raise "
				 "the limit (ulimit -n) or record fewer events, CPUs or threads",
				 e->nr_fds, cpu);
	case ENOSYS:
		return error_set(err, code,
				 "this kernel has no perf_event_open: it was built without "
				 "CONFIG_PERF_EVENTS");
	case ENOENT:
		return error_set(err, code,
				 "this kernel cannot record tracepoints such as '%s:%s': it needs "
				 "CONFIG_EVENT_TRACING with CONFIG_PERF_EVENTS",
				 e->system, e->name);
	case EOVERFLOW:
		return error_set(err, code,
				 "%u stack frames are more than the kernel allows (sysctl "
				 "kernel.perf_event_max_stack)",
				 e->attr.sample_max_stack);
	default:
		return error_set_errno(err, code, "cannot open '%s:%s' on CPU %d", e->system,
				       e->name, cpu);
	}
}

/* Drop the newest feature that is still requested from all attrs. Returns false if none is left. */
static bool drop_detail(struct evlist *l)
{
	struct perf_event_attr *first = &l->evsels[0].attr;

	if (first->read_format & PERF_FORMAT_LOST) {
		log_info("this kernel does not count lost events (since 6.0)");
		for (size_t i = 0; i < l->nr; i++)
			l->evsels[i].attr.read_format &= ~(uint64_t)PERF_FORMAT_LOST;
		return true;
	}
	if (first->build_id) {
		log_info("this kernel does not report the build-ids of mapped files (since 5.12)");
		first->build_id = 0;
		return true;
	}
	if (first->ksymbol) {
		log_info("this kernel does not report new kernel symbols (since 5.1)");
		first->ksymbol = 0;
		return true;
	}
	return false;
}

/* Tested separately: EINVAL for a whole attr does not say which part is unsupported. */
static bool kernel_tells_cgroups(const struct evsel *e)
{
	struct perf_event_attr attr = {
		.type = e->attr.type,
		.size = sizeof(attr),
		.config = e->attr.config,
		.sample_type = PERF_SAMPLE_CGROUP,
		.disabled = 1,
		.cgroup = 1,
	};
	_cleanup_close_ int fd = sys_perf_event_open(&attr, 0, -1, 0);

	return fd != -EINVAL;
}

static void drop_cgroups(struct evlist *l)
{
	log_warn("this kernel's events do not say in which control group they happen (it takes 5.7 "
		 "and CONFIG_CGROUP_PERF): recording without");
	l->evsels[0].attr.cgroup = 0;
	for (size_t i = 0; i < l->nr; i++)
		l->evsels[i].attr.sample_type &= ~(uint64_t)PERF_SAMPLE_CGROUP;
}

static bool raise_file_limit(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) || r.rlim_cur == r.rlim_max)
		return false;
	r.rlim_cur = r.rlim_max;
	return !setrlimit(RLIMIT_NOFILE, &r);
}

static int open_one(struct evlist *l, struct evsel *e, const struct open_target *target, pid_t tid,
		    int cpu, struct error *err)
{
	const bool cgroup = !target->nr_tids && target->cgroup_fd >= 0;
	struct evsel_fd *fds;
	uint64_t id;
	int fd;

	for (;;) {
		fd = sys_perf_event_open(&e->attr, cgroup ? target->cgroup_fd : tid, cpu,
					 cgroup ? PERF_FLAG_PID_CGROUP : 0);
		if (fd == -EINVAL && drop_detail(l))
			continue;
		if (fd == -EMFILE && raise_file_limit())
			continue;
		break;
	}
	if (fd == -ENODEV || (fd == -ESRCH && tid > 0)) {
		log_info("%s:%s on CPU %d: %s; skipped", e->system, e->name, cpu, strerror(-fd));
		return 0;
	}
	if (fd < 0)
		return explain(-fd, e, cpu, err);
	fds = reallocarray(e->fds, e->nr_fds + 1, sizeof(*fds));
	if (!fds || ioctl(fd, PERF_EVENT_IOC_ID, &id)) {
		int code = fds ? errno : ENOMEM;

		if (fds)
			e->fds = fds;
		close(fd);
		return error_set_errno(err, code, "cannot open '%s:%s'", e->system, e->name);
	}
	e->fds = fds;
	e->fds[e->nr_fds++] = (struct evsel_fd){.fd = fd, .cpu = cpu, .id = id};
	return 0;
}

int evlist_open(struct evlist *l, const struct open_target *target, struct error *err)
{
	size_t nr_tids = target->nr_tids ? target->nr_tids : 1;

	if (l->evsels[0].attr.cgroup && !kernel_tells_cgroups(&l->evsels[0]))
		drop_cgroups(l);
	for (size_t t = 0; t < nr_tids; t++)
		for (size_t c = 0; c < target->cpus->nr; c++)
			for (size_t i = 0; i < l->nr; i++) {
				pid_t tid = target->nr_tids ? target->tids[t] : -1;
				int ret = open_one(l, &l->evsels[i], target, tid,
						   target->cpus->cpus[c], err);

				if (ret)
					return ret;
			}
	if (!l->evsels[0].nr_fds)
		return error_set(err, ESRCH, "nothing to record: no such %s",
				 target->nr_tids ? "task (it has ended?)" : "CPU is online");
	return 0;
}

int evsel_try_filter(const struct evsel *e, const char *filter)
{
	struct perf_event_attr attr = e->attr;
	_cleanup_close_ int fd = sys_perf_event_open(&attr, 0, -1, 0);

	if (fd < 0)
		return fd;
	return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) ? -errno : 0;
}

int evlist_enable(struct evlist *l, struct error *err)
{
	for (size_t i = 0; i < l->nr; i++)
		for (size_t j = 0; j < l->evsels[i].nr_fds; j++)
			if (ioctl(l->evsels[i].fds[j].fd, PERF_EVENT_IOC_ENABLE, 0))
				return error_set_errno(err, errno, "cannot start '%s:%s'",
						       l->evsels[i].system, l->evsels[i].name);
	return 0;
}

void evlist_disable(struct evlist *l)
{
	/* Last to first: the reverse of the order of starting keeps allocations paired with
	 * frees. */
	for (size_t i = l->nr; i-- > 0;)
		for (size_t j = 0; j < l->evsels[i].nr_fds; j++)
			ioctl(l->evsels[i].fds[j].fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* The layout of read() for read_format ID|LOST; without LOST the last member is missing. */
struct counts {
	uint64_t value;
	uint64_t id;
	uint64_t lost;
};

static int read_counts(const struct evsel *e, const struct evsel_fd *fd, struct counts *c)
{
	size_t want = e->attr.read_format & PERF_FORMAT_LOST ? 24 : 16;

	c->lost = 0;
	return read(fd->fd, c, want) == (ssize_t)want ? 0 : -EIO;
}

int evlist_read_counts(struct evlist *l, struct error *err)
{
	for (size_t i = 0; i < l->nr; i++) {
		struct evsel *e = &l->evsels[i];

		e->count = e->lost = 0;
		for (size_t j = 0; j < e->nr_fds; j++) {
			struct counts c;

			if (read_counts(e, &e->fds[j], &c))
				return error_set(err, EIO, "cannot read the count of '%s:%s'",
						 e->system, e->name);
			log_debug("%s:%s on CPU %d: %llu events, %llu lost", e->system, e->name,
				  e->fds[j].cpu, (unsigned long long)c.value,
				  (unsigned long long)c.lost);
			e->count += c.value;
			e->lost += c.lost;
			e->fds[j].lost = c.lost;
		}
	}
	return 0;
}
