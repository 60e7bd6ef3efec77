// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cost of accounting events as they happen, without the load that makes them.
 *
 *	live [-n ROUNDS] [-j JOBS] [-k KEYS] FILE
 *
 * Hands the slab events of a recording to the live source as if the programs in the kernel had just
 * written them.  Prints the ns of CPU time per event, from its ring to the tables, for each of
 * ROUNDS (3) repetitions.  KEYS: callsite,cache.  Needs neither permissions nor BPF: this
 * file has what util/bpf/capture.h declares, and a clock that is as fast as the events are.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/allocators.h"
#include "util/decode/kmem_decoder.h"
#include "util/kmem/pipeline.h"
#include "util/watch/convert.h"
#include "util/watch/live_source.h"

#define CPUS_MAX   256
#define CACHES_MAX 1024
#define DECODERS   64
#define SLAB_KINDS                                                                                 \
	(1u << BPF_KMALLOC | 1u << BPF_CACHE_ALLOC | 1u << BPF_KFREE | 1u << BPF_CACHE_FREE)

static const uint8_t body_sizes[BPF_KINDS] = BPF_BODY_SIZES;

static void *must(void *p)
{
	if (!p) {
		fprintf(stderr, "live: out of memory\n");
		exit(1);
	}
	return p;
}

static void check(int ret, const struct error *err)
{
	if (ret) {
		fprintf(stderr, "live: %s\n", err->msg);
		exit(1);
	}
}

/* ---- the clock ---- */

static uint64_t clock_ns; /* what time it is in the recording */

int clock_gettime(clockid_t id, struct timespec *ret)
{
	(void)id;
	*ret = (struct timespec){(time_t)(clock_ns / 1000000000), (long)(clock_ns % 1000000000)};
	return 0;
}

int poll(struct pollfd *fds, nfds_t nr, int timeout_ms)
{
	(void)fds;
	(void)nr;
	clock_ns += timeout_ms > 0 ? (uint64_t)timeout_ms * 1000000 : 0;
	return 0;
}

/* ---- what the rings would hold ---- */

struct ring {
	uint8_t *data;
	size_t used, cap;
	size_t at, end; /* given back, and complete, while it is read */
};

static struct ring rings[CPUS_MAX];
static unsigned int nr_cpus;
static uint64_t first_ns, nr_events;
static struct bpf_cache caches[CACHES_MAX];
static unsigned int nr_caches;

static uint64_t cache_address(const char *name)
{
	unsigned int i = 0;

	while (i < nr_caches && strcmp(caches[i].name, name) != 0)
		i++;
	if (i == nr_caches) {
		if (i == CACHES_MAX)
			return 0;
		caches[nr_caches++].name = must(strdup(name));
	}
	/* like that of the kernel's, 256 bytes each */
	return 0xffff888100000000ull + i * 256ull;
}

static void add_event(int cpu, const struct bpf_event *e)
{
	size_t size = BPF_EVENT_HEAD + body_sizes[e->kind];
	struct ring *r = &rings[cpu];

	if (r->used + size > r->cap) {
		r->cap = r->cap ? 2 * r->cap : 1 << 20;
		r->data = must(realloc(r->data, r->cap));
	}
	memcpy(r->data + r->used, e, size);
	r->used += size;
	nr_events++;
	if (!first_ns || e->time_ns < first_ns)
		first_ns = e->time_ns;
	if ((unsigned int)cpu >= nr_cpus)
		nr_cpus = (unsigned int)cpu + 1;
}

struct reading {
	const struct source_facts *facts;
	struct trace trace;
	struct kmem_decoder *decoders[DECODERS];
	bool known[DECODERS];
};

static int take_formats(void *ctx, const struct tracing_data *formats, struct error *err)
{
	struct reading *r = ctx;

	return trace_init(&r->trace, formats, err);
}

static enum bpf_kind bpf_kind_of(const char *name)
{
	unsigned int kind = 0;

	while (kind < BPF_KINDS &&
	       (!live_kind_name(kind) || strcmp(live_kind_name(kind), name) != 0))
		kind++;
	return kind;
}

static int take_sample(void *ctx, const struct sample *sample, struct error *err)
{
	struct reading *r = ctx;
	uint32_t index = sample->event->index;
	enum bpf_kind kind = bpf_kind_of(sample->event->name ? sample->event->name : "");
	struct bpf_event e = {.time_ns = sample->time_ns,
			      .pid = sample->pid & 0xffffff,
			      .kind = kind & 0xff,
			      .tid = sample->tid & 0xffffff};
	struct kmem_event ev;
	const char *cache;

	if (index >= DECODERS || kind >= BPF_KINDS || !((bpf_kinds_t)SLAB_KINDS >> kind & 1) ||
	    sample->cpu < 0 || sample->cpu >= CPUS_MAX)
		return 0;
	if (!r->known[index]) {
		r->known[index] = true;
		check(kmem_decoder_new(&r->trace, trace_event(&r->trace, sample->event->config),
				       &r->decoders[index], err),
		      err);
	}
	if (!r->decoders[index] || kmem_decoder_decode(r->decoders[index], sample, &ev))
		return 0;
	e.call_site = ev.call_site;
	e.ptr = ev.ptr;
	if (kind == BPF_KMALLOC) {
		e.kmalloc = (struct bpf_kmalloc){0, ev.bytes_req, ev.bytes_alloc, ev.gfp_flags,
						 ev.node};
	} else if (kind == BPF_CACHE_ALLOC) {
		cache = kmem_decoder_cache(r->decoders[index], sample);
		e.cache_alloc = (struct bpf_cache_alloc){
			.cache = cache ? cache_address(cache) : 0,
			.bytes_req = (uint32_t)ev.bytes_req,
			.bytes_alloc = (uint32_t)ev.bytes_alloc,
			.gfp_flags = ev.gfp_flags,
			.node = (int16_t)ev.node,
			.accounted = ev.accounted,
		};
	}
	add_event(sample->cpu, &e);
	return 0;
}

static void read_recording(const char *path)
{
	static const struct event_sink sink = {.formats = take_formats, .sample = take_sample};
	const struct source_options options = {.jobs = 1};
	struct event_source *source;
	struct error err = ERROR_INIT;
	struct reading r = {.facts = NULL};

	check(event_source_open(path, &options, &source, &err), &err);
	check(event_source_read(source, &sink, &r, &err), &err);
	event_source_free(source);
	for (int i = 0; i < DECODERS; i++)
		kmem_decoder_free(r.decoders[i]);
	trace_deinit(&r.trace);
}

/* ---- what util/bpf/capture.h declares ---- */

struct bpf_capture {
	char nothing;
};

int bpf_capture_open(struct bpf_capture **ret_capture, const struct bpf_capture_options *options,
		     struct error *err)
{
	(void)options;
	(void)err;
	*ret_capture = must(calloc(1, sizeof(**ret_capture)));
	return 0;
}

void bpf_capture_free(struct bpf_capture *c)
{
	free(c);
}

bpf_kinds_t bpf_capture_kinds(bpf_kinds_t kinds)
{
	return kinds & SLAB_KINDS;
}

int bpf_capture_enable(struct bpf_capture *c)
{
	(void)c;
	return 0;
}

int bpf_capture_disable(struct bpf_capture *c)
{
	(void)c;
	return 0;
}

bool bpf_capture_addresses_pages(const struct bpf_capture *c)
{
	(void)c;
	return false;
}

unsigned int bpf_capture_nr_cpus(const struct bpf_capture *c)
{
	(void)c;
	return nr_cpus;
}

int bpf_capture_cpu(const struct bpf_capture *c, unsigned int i)
{
	(void)c;
	return (int)i;
}

uint64_t bpf_capture_position(const struct bpf_capture *c, unsigned int i)
{
	(void)c;
	return rings[i].at;
}

uint64_t bpf_capture_peek(struct bpf_capture *c, unsigned int i)
{
	struct ring *r = &rings[i];

	(void)c;
	while (r->end < r->used) {
		const struct bpf_event *e = (const void *)(r->data + r->end);

		if (e->time_ns >= clock_ns)
			break;
		r->end += BPF_EVENT_HEAD + body_sizes[e->kind];
	}
	return r->end;
}

uint64_t bpf_capture_complete_ns(const struct bpf_capture *c, unsigned int i)
{
	(void)c, (void)i;
	return clock_ns;
}

const struct bpf_event *bpf_capture_event(struct bpf_capture *c, unsigned int i, uint64_t *position)
{
	const struct bpf_event *e = (const void *)(rings[i].data + *position);

	(void)c;
	*position += BPF_EVENT_HEAD + body_sizes[e->kind];
	return e;
}

struct bpf_extra bpf_capture_extra(const struct bpf_capture *c, const struct bpf_event *event)
{
	(void)c;
	(void)event;
	return (struct bpf_extra){.nr_frames = 0};
}

void bpf_capture_give_back(struct bpf_capture *c, unsigned int i, uint64_t position)
{
	(void)c;
	rings[i].at = position;
}

uint64_t bpf_capture_unread(const struct bpf_capture *c, unsigned int i)
{
	(void)c;
	return rings[i].used - rings[i].at;
}

uint64_t bpf_capture_ring_bytes(const struct bpf_capture *c)
{
	(void)c;
	return 64 << 20;
}

int bpf_capture_counts(struct bpf_capture *c, struct bpf_counts ret_counts[BPF_KINDS],
		       struct error *err)
{
	(void)c;
	(void)err;
	memset(ret_counts, 0, BPF_KINDS * sizeof(*ret_counts));
	return 0;
}

const struct bpf_cache *bpf_capture_cache(struct bpf_capture *c, const struct bpf_event *event)
{
	uint64_t i = (event->cache_alloc.cache - cache_address(caches[0].name)) / 256;

	(void)c;
	return i < nr_caches ? &caches[i] : NULL;
}

/* ---- a repetition ---- */

static int look(void *ctx, uint64_t now_ns, struct error *err)
{
	(void)ctx;
	(void)now_ns;
	(void)err;
	for (unsigned int i = 0; i < nr_cpus; i++)
		if (rings[i].end < rings[i].used)
			return 0;
	return 1;
}

static double cpu_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return 1e9 * (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       1e3 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void parse_keys(const char *keys, struct table_spec *spec)
{
	while (*keys) {
		size_t len = strcspn(keys, ",");
		enum kmem_key key = kmem_key_find(keys, len);

		if (key == KEY_NR || spec->nr_by == STAT_KEYS_MAX) {
			fprintf(stderr, "live: '%s': no such key\n", keys);
			exit(2);
		}
		spec->by[spec->nr_by++] = key;
		keys += len + (keys[len] == ',');
	}
}

static void run(const struct kmem_options *options)
{
	struct live_options how = {
		.capture = {.kinds = SLAB_KINDS, .cgroup_fd = -1}, .wake_fd = -1, .look = look};
	static struct kmem_pipeline pipeline;
	struct event_source *source;
	struct error err = ERROR_INIT;
	double start;

	clock_ns = first_ns - 1000000;
	for (unsigned int i = 0; i < nr_cpus; i++)
		rings[i].at = rings[i].end = 0;
	check(live_source_open(&how, &source, &err), &err);
	start = cpu_ns();
	check(kmem_pipeline_run(&pipeline, source, options, &err), &err);
	printf("%8.1f ns an event; %" PRIu64 " live\n", (cpu_ns() - start) / (double)nr_events,
	       slab_of(&pipeline.accounts)->summary.live);
	kmem_pipeline_deinit(&pipeline);
	event_source_free(source);
}

int main(int argc, char **argv)
{
	struct kmem_options options = {.wanted = {[ACCOUNT_slab] = true},
				       .tables[ACCOUNT_slab].nr = 1,
				       .lifetimes = true,
				       .bounds = {.max_live = 1 << 24, .max_rows = 1 << 17},
				       .ticks = {.interval_ns = 1000000000},
				       .jobs = 1};
	const char *keys = "callsite,cache";
	int rounds = 3, c;

	while ((c = getopt(argc, argv, "n:j:k:")) != -1)
		switch (c) {
		case 'n':
			rounds = atoi(optarg);
			break;
		case 'j':
			options.jobs = (unsigned int)atoi(optarg);
			break;
		case 'k':
			keys = optarg;
			break;
		default:
			return 2;
		}
	if (optind + 1 != argc) {
		fprintf(stderr, "usage: live [-n ROUNDS] [-j JOBS] [-k KEYS] FILE\n");
		return 2;
	}
	parse_keys(keys, &options.tables[ACCOUNT_slab].v[0]);
	read_recording(argv[optind]);
	printf("%" PRIu64 " events of %u CPUs\n", nr_events, nr_cpus);
	while (rounds-- > 0)
		run(&options);
	for (unsigned int i = 0; i < nr_cpus; i++)
		free(rings[i].data);
	for (unsigned int i = 0; i < nr_caches; i++)
		free((char *)(uintptr_t)caches[i].name);
	return 0;
}
