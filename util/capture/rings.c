// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/capture/rings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BYTES_MAX   (64ULL << 20)
#define BYTES_MIN   (512ULL << 10)
#define MEMORY_PART 64 /* all buffers together take this fraction of the memory */

uint64_t rings_bytes(uint64_t asked, size_t nr_cpus)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE), bytes = page_size;
	uint64_t want = asked;

	if (!asked) {
		want = (uint64_t)sysconf(_SC_PHYS_PAGES) * page_size / MEMORY_PART / nr_cpus;
		want = want > BYTES_MAX ? BYTES_MAX : want < BYTES_MIN ? BYTES_MIN : want;
	}
	/* Round a requested size up to a power of two, and the default down. */
	while (asked ? bytes < want : bytes * 2 <= want)
		bytes *= 2;
	return bytes;
}

static int map_ring(struct rings *r, int fd, int cpu, uint64_t bytes, bool overwrite)
{
	struct cpu_ring *v = reallocarray(r->v, r->nr + 1, sizeof(*v));
	int ret;

	if (!v)
		return -ENOMEM;
	r->v = v;
	v[r->nr] = (struct cpu_ring){.cpu = cpu, .fd = fd};
	ret = ring_buffer_init(&v[r->nr].rb, fd, bytes, overwrite);
	if (!ret)
		r->nr++;
	return ret;
}

/* Redirect all events of this CPU to its ring, which belongs to the first of them. */
static int map_cpu(struct rings *r, const struct evlist *l, int cpu, uint64_t bytes, bool overwrite)
{
	int leader = -1;

	for (size_t i = 0; i < l->nr; i++)
		for (size_t j = 0; j < l->evsels[i].nr_fds; j++) {
			const struct evsel_fd *fd = &l->evsels[i].fds[j];
			int ret = 0;

			if (fd->cpu != cpu)
				continue;
			if (leader >= 0) {
				if (ioctl(fd->fd, PERF_EVENT_IOC_SET_OUTPUT, leader))
					ret = -errno;
			} else {
				leader = fd->fd;
				ret = map_ring(r, leader, cpu, bytes, overwrite);
			}
			if (ret)
				return ret;
		}
	return 0;
}

static int map_all(struct rings *r, const struct evlist *l, const struct cpulist *cpus,
		   uint64_t bytes, bool overwrite)
{
	r->bytes = bytes;
	for (size_t i = 0; i < cpus->nr; i++) {
		int ret = map_cpu(r, l, cpus->cpus[i], bytes, overwrite);

		if (ret) {
			rings_deinit(r);
			return ret;
		}
	}
	return 0;
}

int rings_init(struct rings *r, const struct evlist *l, const struct cpulist *cpus, uint64_t bytes,
	       bool shrink, bool overwrite, struct error *err)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);

	for (;; bytes /= 2) {
		int ret;

		*r = (struct rings){0};
		ret = map_all(r, l, cpus, bytes, overwrite);
		if (!ret)
			return 0;
		if (shrink && bytes > page_size && (ret == -EPERM || ret == -ENOMEM))
			continue;
		if (ret == -EPERM)
			return error_set(err, EPERM,
					 "no permission to lock %" PRIu64
					 " KiB of buffer per CPU; ask "
					 "for less (-m), raise kernel.perf_event_mlock_kb or "
					 "ulimit -l, or run with CAP_IPC_LOCK",
					 bytes >> 10);
		return error_set_errno(err, -ret,
				       "cannot map %" PRIu64 " KiB of buffer for each of %zu CPUs",
				       bytes >> 10, cpus->nr);
	}
}

void rings_pause(const struct rings *r, bool pause)
{
	for (size_t i = 0; i < r->nr; i++)
		ioctl(r->v[i].fd, PERF_EVENT_IOC_PAUSE_OUTPUT, pause);
}

void rings_deinit(struct rings *r)
{
	for (size_t i = 0; i < r->nr; i++)
		ring_buffer_deinit(&r->v[i].rb);
	free(r->v);
	*r = (struct rings){0};
}
