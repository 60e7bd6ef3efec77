// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The minimum cost of recording the slab events, for tests/bench/record.
 *
 *	floor -o FILE -- COMMAND...
 *
 * Lets the kernel deliver what `perf kmem record --slab` asks for (the same events and sample
 * fields, a buffer of 64 MiB for each CPU) while the command runs, and reads none of it: it only
 * moves each buffer's tail to its head.  No filter, nothing compressed, nothing written.  A
 * recorder that takes every event cannot cost less than this; anything above it is its own cost.
 *
 * FILE gets one line: the number of events delivered, the number lost (both as counted by the
 * kernel), and the bytes per event in the buffers.  Needs root.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BUFFER_BYTES (64UL << 20)
#define WAKEUP_BYTES (4U << 20)
#define CPUS_MAX     1024

/* Kernels before 6.1 also have the two _node events. */
static const char *const events[] = {
	"kmalloc",	   "kfree",	   "kmem_cache_alloc",
	"kmem_cache_free", "kmalloc_node", "kmem_cache_alloc_node",
};
#define NR_EVENTS (sizeof(events) / sizeof(events[0]))

struct cpu {
	struct perf_event_mmap_page *page;
	int fds[NR_EVENTS];
	size_t nr_fds;
};

static void die(const char *what)
{
	fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

/* 0: this kernel does not have the event. */
static unsigned int event_id(const char *name)
{
	static const char *const mounts[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	unsigned int id = 0;

	for (size_t i = 0; i < 2 && !id; i++) {
		char path[256];
		FILE *f;

		snprintf(path, sizeof(path), "%s/events/kmem/%s/id", mounts[i], name);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fscanf(f, "%u", &id) != 1)
			id = 0;
		fclose(f);
	}
	return id;
}

/* The same as requested by evlist.c. */
static int open_event(unsigned int id, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
		.read_format = PERF_FORMAT_LOST,
		.disabled = 1,
		.sample_id_all = 1,
		.watermark = 1,
		.wakeup_watermark = WAKEUP_BYTES,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* False: there is no such CPU, or it is offline. */
static bool open_cpu(struct cpu *c, int cpu, const unsigned int *ids)
{
	for (size_t i = 0; i < NR_EVENTS; i++) {
		int fd;

		if (!ids[i])
			continue;
		fd = open_event(ids[i], cpu);
		if (fd < 0 && (errno == ENODEV || errno == EINVAL) && !c->nr_fds)
			return false;
		if (fd < 0)
			die("perf_event_open");
		if (c->nr_fds) {
			if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, c->fds[0]))
				die("PERF_EVENT_IOC_SET_OUTPUT");
		} else {
			c->page = mmap(NULL, (size_t)getpagesize() + BUFFER_BYTES,
				       PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
			if (c->page == MAP_FAILED)
				die("mmap");
		}
		c->fds[c->nr_fds++] = fd;
	}
	return true;
}

static uint64_t let_go(struct cpu *c)
{
	uint64_t head = __atomic_load_n(&c->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t len = head - c->page->data_tail;

	__atomic_store_n(&c->page->data_tail, head, __ATOMIC_RELEASE);
	return len;
}

static volatile sig_atomic_t ended;

static void on_child(int sig)
{
	(void)sig;
	ended = 1;
}

static pid_t start(char *const *command)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		execvp(command[0], command);
		die(command[0]);
	}
	return pid;
}

static void report(const char *path, const struct cpu *cpus, int nr_cpus, uint64_t bytes)
{
	uint64_t count = 0, lost = 0, values[2];
	FILE *f = fopen(path, "w");

	for (int i = 0; i < nr_cpus; i++)
		for (size_t j = 0; j < cpus[i].nr_fds; j++) {
			if (read(cpus[i].fds[j], values, sizeof(values)) != sizeof(values))
				die("read");
			count += values[0];
			lost += values[1];
		}
	if (!f)
		die(path);
	fprintf(f, "%llu %llu %.2f\n", (unsigned long long)(count - lost), (unsigned long long)lost,
		count > lost ? (double)bytes / (double)(count - lost) : 0.0);
	if (fclose(f))
		die(path);
}

int main(int argc, char **argv)
{
	static struct cpu cpus[CPUS_MAX];
	static struct pollfd polls[CPUS_MAX];
	const struct sched_param first = {.sched_priority = 1};
	unsigned int ids[NR_EVENTS];
	int nr_cpus = 0, status;
	uint64_t bytes = 0;

	if (argc < 5 || strcmp(argv[1], "-o") || strcmp(argv[3], "--")) {
		fputs("usage: floor -o FILE -- COMMAND...\n", stderr);
		return 129;
	}
	for (size_t i = 0; i < NR_EVENTS; i++)
		ids[i] = event_id(events[i]);
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF) && nr_cpus < CPUS_MAX; cpu++)
		nr_cpus += open_cpu(&cpus[nr_cpus], cpu, ids);
	for (int i = 0; i < nr_cpus; i++) {
		polls[i] = (struct pollfd){.fd = cpus[i].fds[0], .events = POLLIN};
		for (size_t j = 0; j < cpus[i].nr_fds; j++)
			ioctl(cpus[i].fds[j], PERF_EVENT_IOC_ENABLE, 0);
	}
	signal(SIGCHLD, on_child);
	start(&argv[4]);
	/* Like the recorder; if that is not allowed, the priority stays as it is. */
	sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first);
	while (!ended) {
		poll(polls, (nfds_t)nr_cpus, 100);
		for (int i = 0; i < nr_cpus; i++)
			bytes += let_go(&cpus[i]);
	}
	for (int i = 0; i < nr_cpus; i++) {
		for (size_t j = 0; j < cpus[i].nr_fds; j++)
			ioctl(cpus[i].fds[j], PERF_EVENT_IOC_DISABLE, 0);
		bytes += let_go(&cpus[i]);
	}
	report(argv[2], cpus, nr_cpus, bytes);
	wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
