// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a recording of any size, always the same bytes, like `perf kmem record` on two CPUs.
 *
 *	generate [-z] [-n EVENTS] [-p POINTERS] [-s STACKS] slab|page|both FILE
 *
 * kernel.h is the kernel being recorded, load.h what happens in it; the file is written by the
 * recorder's own code: events from the formats in tests/bench/tracefs (of 6.18), batches, writer,
 * packer (-z).  Nothing is kept in memory but what is in the two CPUs' buffers.  Page allocations
 * have callchains of about 12 kernel frames. The number of callchains is 8000, or about STACKS.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/load.h"
#include "util/base/cleanup.h"
#include "util/output/batch.h"
#include "util/output/host_features.h"
#include "util/output/kernel_symbols.h"
#include "util/output/synthesize.h"
#include "util/perfdata/writer.h"

#define TRACEFS	    "tests/bench/tracefs"
#define ROUND_BYTES (8u << 20)
/* The second CPU's buffer is written this much later than the first one's. */
#define LATER	       2000
#define VARIANT_FRAMES 2
#define VARIANT_BASE   1000 /* functions for each of those */
#define LEVEL	       1    /* of zstd, as in the recorder */

/* Tracepoints by kind of event. */
static const char *const specs[LOAD_KINDS] = {
	"kmem:kmalloc",		"kmem:kfree",	      "kmem:kmem_cache_alloc",
	"kmem:kmem_cache_free", "kmem:mm_page_alloc", "kmem:mm_page_free",
};

struct raw_common {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
};

/* The layouts given in the formats. */
struct raw_slab {
	struct raw_common common;
	uint64_t call_site, ptr;
};

struct raw_kmalloc {
	struct raw_slab slab;
	uint64_t bytes_req, bytes_alloc, gfp_flags;
	int32_t node, pad;
};

struct raw_cache_alloc {
	struct raw_slab slab;
	uint32_t name, pad;
	uint64_t bytes_req, bytes_alloc, gfp_flags;
	int32_t node;
	uint8_t accounted, text[3];
};

struct raw_cache_free {
	struct raw_slab slab;
	uint32_t name;
	uint8_t text[4];
};

struct raw_page_alloc {
	struct raw_common common;
	uint64_t pfn;
	uint32_t order, pad;
	uint64_t gfp_flags;
	int32_t migratetype, pad2;
};

struct raw_page_free {
	struct raw_common common;
	uint64_t pfn;
	uint32_t order, pad;
};

#define GFP_ACCOUNT 0x400000

struct generator {
	struct load_options options;
	uint64_t nr_events;
	uint32_t variants; /* of each callchain, by whom its outermost frames are */
	struct random_state random;
	int level; /* 0: not compressed */
	struct kernel kernel;
	struct load load;
	struct tracefs tracefs;
	struct evlist evlist;
	struct evsel *evsel_of[LOAD_KINDS];
	struct sample_scan scan;
	struct batch batch;
	struct perfdata_writer writer;
	struct strbuf buffers[LOAD_CPUS];
	struct batch_stream streams[LOAD_CPUS];
};

static int make_evlist(struct generator *g, struct error *err)
{
	const struct evlist_config config = {.period = 1, .wakeup_bytes = 4u << 20};
	struct event_spec_list l = EVENT_SPEC_LIST_INIT;
	int ret = 0;

	snprintf(g->tracefs.path, sizeof(g->tracefs.path), TRACEFS);
	for (int i = 0; i < LOAD_KINDS && !ret; i++)
		if (i < LOAD_PAGE_ALLOC ? g->options.slab : g->options.page)
			ret = event_spec_list_parse(&l, specs[i], err);
	for (size_t i = 0; i < l.nr; i++)
		if (!strcmp(l.specs[i].name, "mm_page_alloc"))
			l.specs[i].callchain = CALLCHAIN_KERNEL;
	if (!ret)
		ret = evlist_init(&g->evlist, &g->tracefs, &l, &config, err);
	event_spec_list_deinit(&l);
	for (size_t i = 0; i < g->evlist.nr && !ret; i++) {
		struct evsel *e = &g->evlist.evsels[i];

		e->fds = calloc(LOAD_CPUS, sizeof(*e->fds));
		if (!e->fds)
			return error_nomem(err);
		e->nr_fds = LOAD_CPUS;
		for (int cpu = 0; cpu < LOAD_CPUS; cpu++)
			e->fds[cpu] = (struct evsel_fd){
				.fd = -1, .cpu = cpu, .id = 100 + 2 * i + (uint64_t)cpu};
		for (int k = 0; k < LOAD_KINDS; k++)
			if (!strcmp(specs[k] + strlen("kmem:"), e->name))
				g->evsel_of[k] = e;
	}
	return ret;
}

/* ---- samples ---- */

static struct raw_common raw_common(const struct evsel *e, uint32_t tid)
{
	return (struct raw_common){(uint16_t)e->attr.config, 0, 1, (int32_t)tid};
}

/* Set the field and the text of a cache's name; returns the size of the raw data including it. */
static size_t put_name(void *raw, size_t struct_size, size_t text_at, uint32_t *field,
		       const char *name)
{
	size_t len = strlen(name) + 1;

	memcpy((char *)raw + text_at, name, len);
	*field = (uint32_t)(len << 16 | text_at);
	return struct_size + len;
}

union raw {
	struct raw_common common;
	struct raw_slab slab;
	struct raw_kmalloc kmalloc;
	struct raw_cache_alloc cache_alloc;
	struct raw_cache_free cache_free;
	struct raw_page_alloc page_alloc;
	struct raw_page_free page_free;
	char bytes[192];
};

/* The raw data of an event; returns its size. */
static size_t make_raw(const struct load_event *e, union raw *raw)
{
	if (e->kind < LOAD_PAGE_ALLOC) {
		raw->slab.call_site = e->call_site;
		raw->slab.ptr = e->address;
	}
	switch (e->kind) {
	case LOAD_KMALLOC:
		raw->kmalloc.bytes_req = e->bytes_req;
		raw->kmalloc.bytes_alloc = e->bytes_alloc;
		raw->kmalloc.gfp_flags = e->gfp_flags;
		raw->kmalloc.node = -1;
		return sizeof(raw->kmalloc);
	case LOAD_CACHE_ALLOC:
		raw->cache_alloc.bytes_req = e->bytes_req;
		raw->cache_alloc.bytes_alloc = e->bytes_alloc;
		raw->cache_alloc.gfp_flags = e->gfp_flags;
		raw->cache_alloc.node = -1;
		raw->cache_alloc.accounted = !!(e->gfp_flags & GFP_ACCOUNT);
		return put_name(raw, sizeof(raw->cache_alloc),
				offsetof(struct raw_cache_alloc, text), &raw->cache_alloc.name,
				e->cache);
	case LOAD_CACHE_FREE:
		return put_name(raw, sizeof(raw->cache_free), offsetof(struct raw_cache_free, text),
				&raw->cache_free.name, e->cache);
	case LOAD_PAGE_ALLOC:
		raw->page_alloc.pfn = e->address;
		raw->page_alloc.order = e->order;
		raw->page_alloc.gfp_flags = e->gfp_flags;
		raw->page_alloc.migratetype = e->migratetype;
		return sizeof(raw->page_alloc);
	case LOAD_PAGE_FREE:
		raw->page_free.pfn = e->address;
		raw->page_free.order = e->order;
		return sizeof(raw->page_free);
	default:
		return sizeof(raw->slab);
	}
}

static uint64_t ip_of(const struct kernel *k, enum load_kind kind)
{
	switch (kind) {
	case LOAD_KMALLOC:
	case LOAD_CACHE_ALLOC:
		return k->ip_alloc;
	case LOAD_PAGE_ALLOC:
		return k->ip_page_alloc;
	case LOAD_PAGE_FREE:
		return k->ip_page_free;
	default:
		return k->ip_free;
	}
}

/* The outermost frames: two functions that distinguish the variants of a callchain. */
static void put_variant(struct generator *g, struct strbuf *out)
{
	uint32_t variant = random_below(&g->random, g->variants);
	const uint64_t ips[VARIANT_FRAMES] = {
		g->kernel.functions[variant % VARIANT_BASE] + 16,
		g->kernel.functions[VARIANT_BASE + variant / VARIANT_BASE % VARIANT_BASE] + 16,
	};

	strbuf_add(out, ips, sizeof(ips));
}

static void put_sample(struct generator *g, const struct load_event *e)
{
	const struct evsel *evsel = g->evsel_of[e->kind];
	struct strbuf *out = &g->buffers[e->cpu];
	struct sample_head head = {
		.header = {.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_KERNEL},
		.id = evsel->fds[e->cpu].id,
		.ip = ip_of(&g->kernel, e->kind),
		.pid = e->tid,
		.tid = e->tid,
		.time = e->time_ns,
		.cpu = e->cpu,
	};
	union raw raw = {0};
	size_t size, chain = 0;
	uint32_t raw_size, more = g->variants > 1 ? VARIANT_FRAMES : 0;
	uint64_t nr;

	raw.common = raw_common(evsel, e->tid);
	size = make_raw(e, &raw);
	/* perf_trace_buf_alloc(): the size field is itself part of the 8-byte alignment */
	raw_size = (uint32_t)((size + sizeof(raw_size) + 7) / 8 * 8 - sizeof(raw_size));
	if (e->chain)
		chain = (1 + e->chain->nr + more) * sizeof(uint64_t);
	head.header.size = (uint16_t)(sizeof(head) + chain + sizeof(raw_size) + raw_size);
	strbuf_add(out, &head, sizeof(head));
	if (e->chain) {
		nr = e->chain->nr + more;
		strbuf_add(out, &nr, sizeof(nr));
		strbuf_add(out, e->chain->ips, e->chain->nr * sizeof(nr));
		if (more)
			put_variant(g, out);
	}
	strbuf_add(out, &raw_size, sizeof(raw_size));
	strbuf_add(out, &raw, raw_size);
}

/* ---- the file ---- */

static int append(struct generator *g, const struct strbuf *records, struct error *err)
{
	struct iovec piece = {records->buf, records->len};

	if (records->failed)
		return error_nomem(err);
	return perfdata_writer_append(&g->writer, &piece, 1, err);
}

static int write_batch(struct generator *g, struct error *err)
{
	const struct iovec piece = {g->batch.records, g->batch.bytes};
	struct record_order sorted;

	if (!g->batch.grouped)
		return perfdata_writer_append(&g->writer, &piece, 1, err);
	sorted = batch_sort(&g->batch);
	return perfdata_writer_append_ordered(&g->writer, &sorted, err);
}

/* Write the content of a CPU's buffer, as output_add() does. */
static int drain(struct generator *g, int cpu, struct error *err)
{
	struct iovec piece = {g->buffers[cpu].buf, g->buffers[cpu].len};
	uint64_t at = 0;
	int ret = 0;

	if (g->buffers[cpu].failed)
		return error_nomem(err);
	while (at < piece.iov_len && !ret) {
		if (batch_fill(&g->batch, &g->streams[cpu], &piece, 1, &at))
			return error_nomem(err);
		ret = write_batch(g, err);
	}
	strbuf_reset(&g->buffers[cpu]);
	return ret;
}

static int end_round(struct generator *g, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf round = STRBUF_INIT;

	synthesize_finished_round(&round);
	return append(g, &round, err);
}

static int put_events(struct generator *g, struct error *err)
{
	uint64_t second_at = 0; /* when it is the second CPU's turn */
	struct load_event e;
	int ret = 0;

	for (uint64_t i = 0; i < g->nr_events && !ret; i++) {
		if (load_next(&g->load, &e))
			return error_nomem(err);
		put_sample(g, &e);
		if (second_at && i == second_at) {
			second_at = 0;
			ret = drain(g, 1, err);
			if (!ret)
				ret = end_round(g, err);
		} else if (!second_at && g->buffers[0].len + g->buffers[1].len >= ROUND_BYTES) {
			second_at = i + LATER;
			ret = drain(g, 0, err);
		}
	}
	for (int cpu = 0; cpu < LOAD_CPUS && !ret; cpu++)
		ret = drain(g, cpu, err);
	return ret ? ret : end_round(g, err);
}

static void put_record(struct strbuf *out, uint32_t type, uint16_t misc, const void *fixed,
		       size_t fixed_len, const char *s)
{
	static const char zeros[32]; /* as many as in the sample_id of a synthesized record */
	size_t len = strlen(s), padded = (len + 8) / 8 * 8;
	struct perf_event_header h = {
		.type = type,
		.misc = misc,
		.size = (uint16_t)(sizeof(h) + fixed_len + padded + sizeof(zeros)),
	};

	strbuf_add(out, &h, sizeof(h));
	strbuf_add(out, fixed, fixed_len);
	strbuf_add(out, s, len);
	strbuf_add(out, zeros, padded - len);
	strbuf_add(out, zeros, sizeof(zeros));
}

/* Where the kernel is, and the tasks. */
static int put_start(struct generator *g, struct error *err)
{
	static const char *const comms[] = {"cc1",	"sh",	       "make",
					    "postgres", "kworker/0:1", "nginx"};
	_cleanup_(strbuf_deinit) struct strbuf out = STRBUF_INIT;
	struct {
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
	} mmap = {(uint32_t)-1, 0, g->kernel.start, g->kernel.end - g->kernel.start,
		  g->kernel.start};

	put_record(&out, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, &mmap, sizeof(mmap),
		   "[kernel.kallsyms]_text");
	for (uint32_t i = 0; i < LOAD_TASKS; i++) {
		const uint32_t task[2] = {LOAD_TID + i, LOAD_TID + i};

		put_record(&out, PERF_RECORD_COMM, 0, task, sizeof(task),
			   comms[i % (sizeof(comms) / sizeof(comms[0]))]);
	}
	return append(g, &out, err);
}

static int add_tracing_data(struct generator *g, struct perfdata_features *f, const char *path,
			    struct error *err)
{
	_cleanup_(kernel_symbols_deinit) struct kernel_symbols ks = {.text = STRBUF_INIT};
	_cleanup_(strbuf_deinit) struct strbuf kallsyms = STRBUF_INIT;
	struct strbuf *tracing = perfdata_features_set(f, HEADER_TRACING_DATA);
	_cleanup_free_ char *name = NULL;
	FILE *file;
	int ret;

	if (!tracing || asprintf(&name, "%s.kallsyms", path) < 0) {
		name = NULL;
		return error_nomem(err);
	}
	file = fopen(name, "we");
	if (!file)
		return error_set_errno(err, errno, "cannot write '%s'", name);
	fwrite(g->kernel.kallsyms.buf, 1, g->kernel.kallsyms.len, file);
	if (fclose(file))
		return error_set_errno(err, errno, "cannot write '%s'", name);
	ret = kernel_symbols_init(&ks, name, err);
	unlink(name);
	if (!ret && kernel_symbols_select(&ks, (const uint64_t *)g->scan.addresses.rows,
					  g->scan.addresses.nr, &kallsyms))
		ret = error_nomem(err);
	return ret ? ret : evlist_tracing_data(&g->evlist, &g->tracefs, &kallsyms, tracing, err);
}

/* The description of the machine, as the recorder writes it, but simulated. */
static int add_machine(struct generator *g, struct perfdata_features *f)
{
	const uint64_t mem_kib = 16u << 20, times[2] = {g->scan.first_ns, g->scan.last_ns};
	struct strbuf *sb = perfdata_features_set(f, HEADER_NRCPUS);

	if (!sb)
		return -ENOMEM;
	feature_add_u32(sb, LOAD_CPUS);
	feature_add_u32(sb, LOAD_CPUS);
	sb = perfdata_features_set(f, HEADER_RECORDING_INFO);
	if (!sb)
		return -ENOMEM;
	strbuf_addstr(sb, "pageblock_order: 9\nmigratetypes: Unmovable Movable Reclaimable "
			  "HighAtomic Isolate\n");
	for (size_t i = 0; i < g->evlist.nr; i++)
		strbuf_addf(sb, "event: kmem:%s count=%" PRIu64 " lost=0\n",
			    g->evlist.evsels[i].name, g->scan.samples[i]);
	if (sb->failed || perfdata_features_set_string(f, HEADER_HOSTNAME, "bench") ||
	    perfdata_features_set_string(f, HEADER_OSRELEASE, "6.18.0") ||
	    perfdata_features_set_string(f, HEADER_ARCH, "x86_64") ||
	    perfdata_features_set_string(f, HEADER_VERSION, "generate") ||
	    perfdata_features_set_u64(f, HEADER_TOTAL_MEM, &mem_kib, 1) ||
	    perfdata_features_set_u64(f, HEADER_SAMPLE_TIME, times, 2) ||
	    (g->level && host_features_add_compressed(f, g->level)))
		return -ENOMEM;
	return 0;
}

static int put_end(struct generator *g, const char *path, struct error *err)
{
	_cleanup_(perfdata_features_deinit) struct perfdata_features f = PERFDATA_FEATURES_INIT;
	int ret = add_tracing_data(g, &f, path, err);

	if (!ret && add_machine(g, &f))
		ret = error_nomem(err);
	if (!ret)
		ret = host_features_add_events(&f, &g->evlist, err);
	return ret ? ret : perfdata_writer_finish(&g->writer, &f, err);
}

static int generate(struct generator *g, const char *path, struct error *err)
{
	struct perfdata_writer_attr attrs[LOAD_KINDS];
	uint64_t ids[LOAD_KINDS][LOAD_CPUS];
	int ret = make_evlist(g, err);

	if (!ret && (kernel_init(&g->kernel) || load_init(&g->load, &g->kernel, &g->options)))
		ret = error_nomem(err);
	if (!ret)
		ret = sample_scan_init(&g->scan, &g->evlist, err);
	if (!ret)
		ret = batch_init(&g->batch, &g->scan, g->level, err);
	if (!ret)
		ret = perfdata_writer_open(&g->writer, path, NULL, err);
	if (!ret && g->level)
		ret = perfdata_writer_compress(&g->writer, g->level, err);
	if (ret)
		return ret;
	for (size_t i = 0; i < g->evlist.nr; i++) {
		for (int cpu = 0; cpu < LOAD_CPUS; cpu++)
			ids[i][cpu] = g->evlist.evsels[i].fds[cpu].id;
		attrs[i] =
			(struct perfdata_writer_attr){&g->evlist.evsels[i].attr, ids[i], LOAD_CPUS};
	}
	ret = perfdata_writer_begin(&g->writer, attrs, g->evlist.nr, err);
	if (!ret)
		ret = put_start(g, err);
	if (!ret)
		ret = put_events(g, err);
	if (!ret)
		ret = put_end(g, path, err);
	/* Not before it is complete: whoever finds the file may use it. */
	return ret ? ret : perfdata_writer_publish(&g->writer, err);
}

static void set_stacks(struct generator *g, uint64_t nr)
{
	const uint64_t all = (uint64_t)KERNEL_SITES * KERNEL_CHAINS;

	g->variants = (uint32_t)(nr / all);
	g->options.page_sites = nr < all ? (uint32_t)(nr / KERNEL_CHAINS) : 0;
}

static bool parse_options(struct generator *g, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "zn:p:s:")) != -1) {
		if (c == 'z')
			g->level = LEVEL;
		else if (c == 'n')
			g->nr_events = strtoull(optarg, NULL, 10);
		else if (c == 'p')
			g->options.pointers = strtoull(optarg, NULL, 10);
		else if (c == 's')
			set_stacks(g, strtoull(optarg, NULL, 10));
		else
			return false;
	}
	if (argc - optind != 2)
		return false;
	g->options.page = strcmp(argv[optind], "slab") != 0;
	g->options.slab = strcmp(argv[optind], "page") != 0;
	return g->options.page != g->options.slab || !strcmp(argv[optind], "both");
}

int main(int argc, char **argv)
{
	struct generator g = {
		.nr_events = 300000,
		.random = {0x9e3779b97f4a7c15ULL},
		.writer = PERFDATA_WRITER_INIT,
	};
	struct error err = ERROR_INIT;
	int ret;

	if (!parse_options(&g, argc, argv)) {
		fprintf(stderr, "usage: generate [-z] [-n EVENTS] [-p POINTERS] [-s STACKS] "
				"slab|page|both FILE\n");
		return 2;
	}
	for (int i = 0; i < LOAD_CPUS; i++)
		strbuf_init(&g.buffers[i]);
	ret = generate(&g, argv[optind + 1], &err);
	if (ret)
		fprintf(stderr, "generate: %s\n", err.msg);
	perfdata_writer_deinit(&g.writer);
	for (int i = 0; i < LOAD_CPUS; i++)
		strbuf_deinit(&g.buffers[i]);
	batch_deinit(&g.batch);
	sample_scan_deinit(&g.scan);
	load_deinit(&g.load);
	kernel_deinit(&g.kernel);
	evlist_deinit(&g.evlist);
	return ret ? 1 : 0;
}
