// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Allocates a known number of areas of vmalloc space, or of percpu objects: area-load KIND N MODE.
 *
 * KIND: map (BPF arrays of MAP_BYTES, in vmalloc space), percpu (a BPF array with N elements of
 * PERCPU_BYTES on each CPU), percpu-large (of PERCPU_LARGE_BYTES, the kernel's maximum), thread (N
 * threads, each with a kernel stack). MODE: free, or keep:
 * print "kept" and wait for the end of standard input. Exits with 77 if the kernel forbids it.
 */
#include <linux/bpf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAP_BYTES	   (1u << 20)
#define PERCPU_BYTES	   64
#define PERCPU_LARGE_BYTES (32u << 10)

static pthread_mutex_t hold = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_hold(void *arg)
{
	pthread_mutex_lock(&hold);
	pthread_mutex_unlock(&hold);
	return arg;
}

static int create_map(unsigned int type, unsigned int value_bytes, unsigned int entries)
{
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = 4;
	attr.value_size = value_bytes;
	attr.max_entries = entries;
	fd = (int)syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
	if (fd < 0)
		perror("bpf");
	return fd;
}

static void wait_for_end(void)
{
	puts("kept");
	fflush(stdout);
	while (getchar() != EOF)
		;
}

int main(int argc, char **argv)
{
	unsigned int nr = argc > 3 ? (unsigned int)atoi(argv[2]) : 0;
	pthread_t *threads = calloc(nr + 1u, sizeof(*threads));
	int *fds = calloc(nr + 1u, sizeof(*fds));
	unsigned int maps = 0, started = 0;

	if (!nr || !threads || !fds)
		return 2;
	if (!strcmp(argv[1], "map"))
		while (maps < nr) {
			fds[maps] = create_map(BPF_MAP_TYPE_ARRAY, MAP_BYTES, 1);
			if (fds[maps++] < 0)
				return 77;
		}
	if (!strncmp(argv[1], "percpu", 6)) {
		fds[maps] = create_map(BPF_MAP_TYPE_PERCPU_ARRAY,
				       argv[1][6] ? PERCPU_LARGE_BYTES : PERCPU_BYTES, nr);
		if (fds[maps++] < 0)
			return 77;
	}
	pthread_mutex_lock(&hold);
	if (!strcmp(argv[1], "thread"))
		while (started < nr)
			if (pthread_create(&threads[started++], NULL, wait_for_hold, NULL))
				return 77;
	if (!strcmp(argv[3], "keep"))
		wait_for_end();
	pthread_mutex_unlock(&hold);
	while (started)
		pthread_join(threads[--started], NULL);
	while (maps)
		close(fds[--maps]);
	free(threads);
	free(fds);
	return 0;
}
