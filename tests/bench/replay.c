// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures the cost of turning events from BPF into a recording, part by part.
 *
 *	replay capture FILE COMMAND...
 *	replay [-o OUTPUT] [-r ROUNDS] FILE
 *
 * The first form keeps the slab events of a command as BPF delivers them; needs root.  The second
 * sends them through the recorder's own code, again and again: each way does one thing more than
 * the one before, so the differences are the costs of the parts.  It prints ns of CPU time per
 * event, the best of the rounds, and the size of the file by events.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/bpf/capture.h"
#include "util/capture/bpf_samples.h"
#include "util/output/output.h"

#define EVENTS	 "kmem:kmalloc,kmem:kfree,kmem:kmem_cache_alloc,kmem:kmem_cache_free"
#define DRAIN_US 100000
#define CPUS	 1024 /* CPUs beyond these share streams */
#define KINDS                                                                                      \
	(1u << BPF_KMALLOC | 1u << BPF_CACHE_ALLOC | 1u << BPF_KFREE | 1u << BPF_CACHE_FREE |      \
	 BPF_TASK_KINDS)

/* The file consists of these headers, each followed by `bytes` bytes, a multiple of 8. */
struct piece {
	uint32_t bytes;
	uint32_t what; /* enum what, and the CPU for a DRAIN */
};

enum what {
	CACHE, /* an address and its name */
	EVENT, /* a struct bpf_event, whole */
	DRAIN, /* what follows was in the ring of CPU `what` - DRAIN */
};

struct cache_name {
	uint64_t address;
	char name[BPF_CACHE_NAME_MAX];
};

static void die(const char *what, const struct error *err)
{
	fprintf(stderr, "replay: %s: %s\n", what, err && err->code ? err->msg : strerror(errno));
	exit(EXIT_FAILURE);
}

static uint64_t cache_of(const struct bpf_event *ev)
{
	switch (ev->kind) {
	case BPF_CACHE_ALLOC:
		return ev->cache_alloc.cache;
	case BPF_CACHE_FREE:
		return ev->cache_free.cache;
	default:
		return 0;
	}
}

/* ---- capture ---- */

struct capture {
	struct bpf_capture *bpf;
	FILE *out;
	struct table caches; /* u64 addresses that have been written */
	uint64_t nr;
};

static void put(FILE *f, uint32_t what, const void *data, size_t len)
{
	const struct piece p = {(uint32_t)len, what};

	if (fwrite(&p, sizeof(p), 1, f) != 1 || (len && fwrite(data, len, 1, f) != 1))
		die("cannot write", NULL);
}

static int keep(void *ctx, int cpu, const struct bpf_event *ev, const struct bpf_extra *extra)
{
	struct capture *c = ctx;
	uint64_t cache = cache_of(ev);
	struct bpf_event copy = {0};

	(void)cpu, (void)extra;
	if (cache && !table_find(&c->caches, &cache)) {
		const struct bpf_cache *found = bpf_capture_cache(c->bpf, ev);
		struct cache_name n = {cache, ""};

		if (!table_insert(&c->caches, &cache))
			die("out of memory", NULL);
		if (found)
			snprintf(n.name, sizeof(n.name), "%s", found->name);
		put(c->out, CACHE, &n, sizeof(n));
	}
	/* what is behind its kind's member is another's */
	memcpy(&copy, ev, sizeof(copy));
	put(c->out, EVENT, &copy, sizeof(copy));
	c->nr++;
	return 0;
}

static void drain_all(struct capture *c)
{
	for (unsigned int i = 0; i < bpf_capture_nr_cpus(c->bpf); i++) {
		put(c->out, DRAIN + (uint32_t)bpf_capture_cpu(c->bpf, i), NULL, 0);
		bpf_capture_drain(c->bpf, i, bpf_capture_peek(c->bpf, i), keep, c);
	}
}

static int capture(const char *path, char **command)
{
	const struct bpf_capture_options options = {.kinds = KINDS, .cgroup_fd = -1};
	struct capture c = {.out = fopen(path, "w")};
	struct error err = ERROR_INIT;
	pid_t pid;

	if (!c.out)
		die(path, NULL);
	table_init(&c.caches, sizeof(uint64_t), sizeof(uint64_t));
	if (bpf_capture_open(&c.bpf, &options, &err) || bpf_capture_enable(c.bpf))
		die("cannot capture", &err);
	pid = fork();
	if (!pid) {
		execvp(command[0], command);
		_exit(127);
	}
	while (pid > 0 && !waitpid(pid, NULL, WNOHANG)) {
		usleep(DRAIN_US);
		drain_all(&c);
	}
	bpf_capture_disable(c.bpf);
	drain_all(&c);
	bpf_capture_free(c.bpf);
	table_deinit(&c.caches);
	if (fclose(c.out))
		die(path, NULL);
	printf("%" PRIu64 " events\n", c.nr);
	return EXIT_SUCCESS;
}

/* ---- replay ---- */

enum way { WALK, SAMPLES, WRITE, PACK, NR_WAYS };

static const char *const ways[NR_WAYS] = {
	"read the events",
	"and make samples",
	"and write them",
	"and compress them",
};

struct replay {
	struct bpf_samples samples;
	const uint8_t *data;
	size_t len;
	struct tracefs tracefs;
	struct evlist evlist;
	struct table names; /* struct cache_name */
	const char *output;
	/* while it runs */
	struct output out;
	uint64_t nr, sum;
	enum way way;
};

static const struct bpf_cache *find_cache(void *ctx, const struct bpf_event *ev)
{
	static struct bpf_cache found;
	struct replay *r = ctx;
	uint64_t address = cache_of(ev);
	const struct cache_name *n = table_find(&r->names, &address);

	found.name = n ? n->name : NULL;
	return n ? &found : NULL;
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void end_batch(struct replay *r, struct error *err)
{
	if (r->way == SAMPLES)
		batch_begin(&r->out.batch, r->out.batch.stream);
	else if (r->way > SAMPLES && output_add_batch(&r->out, err))
		die(r->output, err);
}

static void take(struct replay *r, int cpu, const struct bpf_event *ev, struct error *err)
{
	const struct bpf_extra extra = {0};

	r->nr++;
	r->sum += ev->time_ns;
	if (r->way == WALK)
		return;
	if (bpf_samples_add(&r->samples, &r->out.batch, cpu, ev, &extra))
		die("out of memory", NULL);
	if (batch_full(&r->out.batch))
		end_batch(r, err);
}

/* The records alone, without what a file begins and ends with. */
static uint64_t run(struct replay *r, enum way way, uint64_t *ret_bytes)
{
	const struct cpulist gone = CPULIST_INIT;
	const struct output_config config = {
		.gone = &gone,
		.version = "replay",
		.tracefs = &r->tracefs,
		.evlist = &r->evlist,
		.compress_level = way == PACK,
	};
	struct batch_stream streams[CPUS] = {0};
	struct error err = ERROR_INIT;
	struct output *out = &r->out;
	uint64_t start, ns;
	int cpu = 0;

	r->way = way;
	r->nr = 0;
	if (output_open(out, &config, r->output, &err) ||
	    bpf_samples_init(&r->samples, &r->evlist, find_cache, r, &err))
		die(r->output, &err);
	/* as for what is packed */
	if (way == SAMPLES) {
		batch_deinit(&out->batch);
		batch_init(&out->batch, &out->scan, true, &err);
	}
	*ret_bytes = output_bytes(out);
	start = cpu_ns();
	batch_begin(&out->batch, &streams[0]);
	for (size_t at = 0; at < r->len;) {
		const struct piece *p = (const void *)(r->data + at);

		if (p->what >= DRAIN) {
			end_batch(r, &err);
			cpu = (int)(p->what - DRAIN);
			batch_begin(&out->batch, &streams[cpu % CPUS]);
		} else if (p->what == EVENT) {
			take(r, cpu, (const void *)(p + 1), &err);
		}
		at += sizeof(*p) + p->bytes;
	}
	end_batch(r, &err);
	ns = cpu_ns() - start;
	*ret_bytes = output_bytes(out) - *ret_bytes;
	if (way == PACK && output_publish(out, &err))
		die(r->output, &err);
	if (way == PACK) {
		_cleanup_free_ struct event_counts *counts = calloc(r->evlist.nr, sizeof(*counts));
		const struct output_span span = {0};

		if (output_finish(out, counts, &span, false, &err))
			die(r->output, &err);
	}
	output_deinit(out);
	return ns;
}

static void open_replay(struct replay *r, const char *path)
{
	const struct evlist_config config = {.period = 1};
	struct event_spec_list specs = EVENT_SPEC_LIST_INIT;
	struct error err = ERROR_INIT;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		die(path, NULL);
	r->len = (size_t)st.st_size;
	r->data = mmap(NULL, r->len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (r->data == MAP_FAILED)
		die(path, NULL);
	close(fd);
	if (tracefs_find(&r->tracefs, false, &err) || event_spec_list_parse(&specs, EVENTS, &err) ||
	    evlist_init(&r->evlist, &r->tracefs, &specs, &config, &err) ||
	    evlist_use_own_ids(&r->evlist, CLOCK_MONOTONIC, &err))
		die("cannot prepare the events", &err);
	event_spec_list_deinit(&specs);
	table_init(&r->names, sizeof(struct cache_name), sizeof(uint64_t));
	for (size_t at = 0; at < r->len;) {
		const struct piece *p = (const void *)(r->data + at);

		if (p->what == CACHE) {
			struct cache_name *n = table_insert(&r->names, p + 1);

			if (n)
				memcpy(n, p + 1, sizeof(*n));
		}
		at += sizeof(*p) + p->bytes;
	}
}

int main(int argc, char **argv)
{
	struct replay r = {.output = "/dev/null"};
	uint64_t best[NR_WAYS] = {0}, bytes[NR_WAYS] = {0};
	int rounds = 5, option;

	if (argc > 3 && !strcmp(argv[1], "capture"))
		return capture(argv[2], argv + 3);
	while ((option = getopt(argc, argv, "o:r:")) != -1) {
		if (option == 'o')
			r.output = optarg;
		else if (option == 'r')
			rounds = atoi(optarg);
		else
			return EXIT_FAILURE;
	}
	if (optind != argc - 1) {
		fprintf(stderr, "usage: replay capture FILE COMMAND...\n"
				"       replay [-o OUTPUT] [-r ROUNDS] FILE\n");
		return EXIT_FAILURE;
	}
	open_replay(&r, argv[optind]);
	for (int n = 0; n < rounds; n++)
		for (int way = 0; way < NR_WAYS; way++) {
			uint64_t ns = run(&r, (enum way)way, &bytes[way]);

			if (!best[way] || ns < best[way])
				best[way] = ns;
		}
	printf("%" PRIu64 " events, ns of each, and bytes in the file\n", r.nr);
	for (int way = 0; way < NR_WAYS; way++)
		printf("  %-20s %7.1f %+7.1f %8.2f\n", ways[way], (double)best[way] / (double)r.nr,
		       ((double)best[way] - (double)(way ? best[way - 1] : 0)) / (double)r.nr,
		       (double)bytes[way] / (double)r.nr);
	evlist_deinit(&r.evlist);
	table_deinit(&r.names);
	munmap((void *)(uintptr_t)r.data, r.len);
	return EXIT_SUCCESS;
}
