// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cost of one operation of each part of the reader, in isolation.
 *
 *	micro [FILE...]
 *
 * Prints ns of CPU time per operation, the best of a few repetitions.  For each FILE, an
 * uncompressed recording, it reads the bytes, and parses and decodes the samples.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "tests/bench/kernel.h"
#include "util/base/cleanup.h"
#include "util/base/rbtree.h"
#include "util/base/table.h"
#include "util/decode/kmem_decoder.h"
#include "util/perfdata/record.h"
#include "util/session/header.h"
#include "util/session/order.h"

#define REPEAT 5

static uint64_t sink; /* results go here, so that they are not optimized away */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The best of several repetitions, in ns. */
struct best {
	uint64_t ns;
};

static void best_take(struct best *b, uint64_t ns)
{
	if (!b->ns || ns < b->ns)
		b->ns = ns;
}

static void print(const char *what, struct best b, uint64_t nr)
{
	printf("%-44s %8.1f ns\n", what, (double)b.ns / (double)(nr ? nr : 1));
	fflush(stdout);
}

static void *must(void *p)
{
	if (!p) {
		fprintf(stderr, "micro: out of memory\n");
		exit(1);
	}
	return p;
}

/* ---- table ---- */

struct row {
	uint64_t ptr;
	uint64_t figures[7];
};

/* Pointers like those of slab, in random order. */
static uint64_t *make_keys(size_t nr, uint64_t seed)
{
	uint64_t *keys = must(calloc(nr, sizeof(*keys)));
	struct random_state r = {seed};

	for (size_t i = 0; i < nr; i++) {
		size_t j = random_below(&r, (uint32_t)i + 1);

		keys[i] = keys[j];
		keys[j] = 0xffff888100000000ULL + 64 * i;
	}
	return keys;
}

#define AHEAD 16

static void bench_table_size(size_t nr)
{
	_cleanup_free_ uint64_t *keys = make_keys(nr, 1), *others = make_keys(nr, 2);
	size_t turns = nr < 100000 ? 100000 / nr : 1;
	struct best insert = {0}, find = {0}, prefetched = {0}, removed = {0};
	char what[64];

	for (int n = 0; n < REPEAT; n++) {
		uint64_t ns[4] = {0}, start;

		for (size_t turn = 0; turn < turns; turn++) {
			struct table t;

			table_init(&t, sizeof(struct row), sizeof(uint64_t));
			start = now_ns();
			for (size_t i = 0; i < nr; i++)
				((struct row *)must(table_insert(&t, &keys[i])))->figures[0] = i;
			ns[0] += now_ns() - start;
			start = now_ns();
			for (size_t i = 0; i < nr; i++)
				sink += ((struct row *)table_find(&t, &others[i]))->figures[0];
			ns[1] += now_ns() - start;
			start = now_ns();
			for (size_t i = 0; i < nr; i++) {
				if (i + AHEAD < nr)
					table_prefetch_slot(&t,
							    table_hash_u64(&t, others[i + AHEAD]));
				sink += ((struct row *)table_find(&t, &others[i]))->figures[0];
			}
			ns[2] += now_ns() - start;
			start = now_ns();
			for (size_t i = 0; i < nr; i++)
				table_remove(&t, table_find(&t, &others[i]));
			ns[3] += now_ns() - start;
			table_deinit(&t);
		}
		best_take(&insert, ns[0]);
		best_take(&find, ns[1]);
		best_take(&prefetched, ns[2]);
		best_take(&removed, ns[3]);
	}
	snprintf(what, sizeof(what), "table of %zu: insert", nr);
	print(what, insert, nr * turns);
	snprintf(what, sizeof(what), "table of %zu: find", nr);
	print(what, find, nr * turns);
	snprintf(what, sizeof(what), "table of %zu: find, prefetched", nr);
	print(what, prefetched, nr * turns);
	snprintf(what, sizeof(what), "table of %zu: find and remove", nr);
	print(what, removed, nr * turns);
}

/* ---- order ---- */

static int count_entries(void *ctx, const struct order_entry *entries, size_t nr)
{
	*(uint64_t *)ctx += nr;
	sink += entries[0].time_ns;
	return 0;
}

/* Rounds with this many runs (CPUs), whose times interleave. */
static void bench_order(size_t runs)
{
	enum { ROUNDS = 8, ROUND = 1 << 17 };
	struct best best = {0};
	char what[64];

	for (int n = 0; n < REPEAT; n++) {
		struct random_state r = {7};
		uint64_t nr = 0, pos = 0, start = now_ns();
		struct order o;

		order_init(&o, 0, count_entries, &nr);
		for (uint64_t round = 0; round < ROUNDS; round++) {
			for (size_t run = 0; run < runs; run++) {
				uint64_t time = round * ROUND * 64;

				for (size_t i = 0; i < ROUND / runs; i++, pos += 104) {
					time += random_below(&r, (uint32_t)(128 * runs));
					if (order_add(&o, time, pos, 0))
						must(NULL);
				}
			}
			if (order_round(&o))
				must(NULL);
		}
		if (order_flush(&o) || nr != (uint64_t)ROUNDS * (ROUND / runs) * runs)
			must(NULL);
		best_take(&best, now_ns() - start);
		order_deinit(&o);
	}
	snprintf(what, sizeof(what), "order, %zu runs: add, merge, hand out", runs);
	print(what, best, (uint64_t)ROUNDS * ROUND);
}

/* ---- rbtree ---- */

struct leaf {
	struct rbtree_node node;
	uint64_t value;
};

static int by_value(const struct rbtree_node *a, const struct rbtree_node *b, const void *ctx)
{
	const struct leaf *x = (const struct leaf *)a, *y = (const struct leaf *)b;

	(void)ctx;
	return (x->value > y->value) - (x->value < y->value);
}

/* Like sorted rows: insert, and remove the last one if there are more than the lines. */
static void bench_rbtree(size_t nr, size_t lines)
{
	_cleanup_free_ struct leaf *leaves = must(calloc(nr, sizeof(*leaves)));
	struct best best = {0};
	char what[64];

	for (int n = 0; n < REPEAT; n++) {
		struct random_state r = {3};
		uint64_t start = now_ns();
		struct rbtree t;

		rbtree_init(&t, by_value, NULL);
		for (size_t i = 0; i < nr; i++) {
			leaves[i].value = random_next(&r);
			rbtree_insert(&t, &leaves[i].node);
			if (t.nr > lines)
				rbtree_erase(&t, rbtree_last(&t));
		}
		best_take(&best, now_ns() - start);
		sink += t.nr;
	}
	snprintf(what, sizeof(what), "rbtree of %zu out of %zu: insert", lines, nr);
	print(what, best, nr);
}

/* ---- a recording ---- */

struct file {
	int fd;
	const uint8_t *data;
	uint64_t size;
	struct perfdata_layout layout;
	struct recording recording;
	struct trace trace;
	bool has_trace;
	struct kmem_decoder **decoders; /* by the event's index */
	uint64_t nr_samples;
};

static int take_tracing_data(void *ctx, unsigned int bit, struct bytes bytes)
{
	struct file *f = ctx;
	size_t size = bytes_left(&bytes);
	struct tracing_data formats;
	struct error err;

	if (bit != HEADER_TRACING_DATA)
		return 0;
	if (tracing_data_parse(&formats, bytes_take(&bytes, size), size, &err))
		return -EINVAL;
	f->has_trace = !trace_init(&f->trace, &formats, &err);
	tracing_data_deinit(&formats);
	return f->has_trace ? 0 : -ENOMEM;
}

static int file_open(struct file *f, const char *path, struct error *err)
{
	struct stat st;
	int ret;

	*f = (struct file){.fd = open(path, O_RDONLY | O_CLOEXEC)};
	recording_init(&f->recording);
	if (f->fd < 0 || fstat(f->fd, &st))
		return error_set_errno(err, errno, "cannot read '%s'", path);
	f->size = (uint64_t)st.st_size;
	f->data = mmap(NULL, f->size, PROT_READ, MAP_PRIVATE, f->fd, 0);
	if (f->data == MAP_FAILED) {
		f->data = NULL;
		return error_set_errno(err, errno, "cannot map '%s'", path);
	}
	ret = header_parse(&f->recording, f->data, f->size, f->size, &f->layout, err);
	if (!ret)
		ret = header_read_attrs(&f->recording, f->data, f->size, err);
	if (ret)
		return ret;
	if (header_for_each_feature(&f->recording, f->data, f->size, &f->layout, take_tracing_data,
				    f) ||
	    !f->has_trace)
		return error_set(err, EINVAL, "'%s' has no tracing data", path);
	f->decoders = must(calloc(f->recording.facts.nr_events, sizeof(struct kmem_decoder *)));
	for (size_t i = 0; i < f->recording.facts.nr_events && !ret; i++) {
		const struct tep_event *e =
			trace_event(&f->trace, recording_event(&f->recording, i)->attr.config);

		if (e)
			ret = kmem_decoder_new(&f->trace, e, &f->decoders[i], err);
	}
	return ret;
}

static void file_close(struct file *f)
{
	for (size_t i = 0; f->decoders && i < f->recording.facts.nr_events; i++)
		kmem_decoder_free(f->decoders[i]);
	free(f->decoders);
	if (f->has_trace)
		trace_deinit(&f->trace);
	recording_deinit(&f->recording);
	if (f->data)
		munmap((void *)(uintptr_t)f->data, f->size);
	if (f->fd >= 0)
		close(f->fd);
}

enum depth { WALK, FIND, PARSE, DECODE };

/* Look at all samples, to this depth; returns their number. */
static uint64_t walk(const struct file *f, enum depth depth)
{
	struct kmem_event kmem;
	struct record record;
	struct sample sample;
	uint64_t nr = 0;

	for (uint64_t at = f->layout.data_start; at < f->layout.data_end; at += record.total) {
		const struct recorded_event *event;

		if (record_peek(f->data + at, f->layout.data_end - at, false, &record) != RECORD_OK)
			break;
		if (record.type != PERF_RECORD_SAMPLE || record.size < 16)
			continue;
		nr++;
		if (depth == WALK)
			continue;
		event = recording_event_by_id(&f->recording, load_u64(record.data + 8, false));
		if (!event)
			continue;
		sink += event->event.index;
		if (depth == FIND ||
		    sample_parse(&event->layout, record.data, record.size, false, &sample))
			continue;
		sink += sample.time_ns;
		if (depth == PARSE || !f->decoders[event->event.index] ||
		    kmem_decoder_decode(f->decoders[event->event.index], &sample, &kmem))
			continue;
		sink += kmem.ptr;
	}
	return nr;
}

static void bench_bytes(struct file *f)
{
	static char buffer[1 << 20];
	struct best best_read = {0}, best_touch = {0};

	for (int n = 0; n < REPEAT; n++) {
		uint64_t start = now_ns();
		const uint8_t *p;
		off_t at = 0;
		ssize_t len;

		while ((len = pread(f->fd, buffer, sizeof(buffer), at)) > 0)
			at += len;
		best_take(&best_read, now_ns() - start);
		start = now_ns();
		p = mmap(NULL, f->size, PROT_READ, MAP_PRIVATE, f->fd, 0);
		if (p == MAP_FAILED)
			must(NULL);
		for (uint64_t i = 0; i < f->size; i += 64)
			sink += p[i];
		munmap((void *)(uintptr_t)p, f->size);
		best_take(&best_touch, now_ns() - start);
	}
	print("  read() of the file in pieces of 1 MiB", best_read, f->nr_samples);
	print("  mmap, a load from each cache line, munmap", best_touch, f->nr_samples);
}

static int bench_file(const char *path)
{
	static const char *const names[] = {
		[WALK] = "  walk the records",
		[FIND] = "  and find the event by its id",
		[PARSE] = "  and sample_parse()",
		[DECODE] = "  and kmem_decoder_decode()",
	};
	struct error err = ERROR_INIT;
	struct file f;
	int ret = file_open(&f, path, &err);

	if (ret) {
		fprintf(stderr, "micro: %s\n", err.msg);
		file_close(&f);
		return 1;
	}
	f.nr_samples = walk(&f, WALK);
	printf("%s: %" PRIu64 " samples, %.1f MB, per sample:\n", path, f.nr_samples,
	       (double)f.size / 1e6);
	bench_bytes(&f);
	for (enum depth depth = WALK; depth <= DECODE; depth++) {
		struct best best = {0};

		for (int n = 0; n < REPEAT; n++) {
			uint64_t start = now_ns();

			walk(&f, depth);
			best_take(&best, now_ns() - start);
		}
		print(names[depth], best, f.nr_samples);
	}
	file_close(&f);
	return 0;
}

int main(int argc, char **argv)
{
	int ret = 0;

	bench_table_size(1000);
	bench_table_size(100000);
	bench_table_size(1000000);
	bench_order(2);
	bench_order(8);
	bench_order(64);
	bench_rbtree(1000000, 10);
	bench_rbtree(1000000, 1000);
	bench_rbtree(1000000, 1000000);
	for (int i = 1; i < argc; i++)
		ret |= bench_file(argv[i]);
	return ret || sink == 1;
}
