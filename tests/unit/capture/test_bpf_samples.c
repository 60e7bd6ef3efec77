// SPDX-License-Identifier: GPL-2.0-or-later
/* Events of BPF programs become samples that our decoder understands. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/fixture/event_format.h"
#include "util/capture/bpf_samples.h"
#include "util/decode/kmem_decoder.h"
#include "util/output/synthesize.h"
#include "util/perfdata/repeats.h"
#include "util/perfdata/sample.h"

#define COMMON FIELD("unsigned char common_flags", 2, 1, 0) FIELD("int common_pid", 4, 4, 1)
#define OBJECT FIELD("unsigned long call_site", 8, 8, 0) FIELD("const void * ptr", 16, 8, 0)

enum { KMALLOC, KMALLOC_NODE, CACHE_ALLOC, CACHE_FREE, PAGE_ALLOC, LOCKED, EXTFRAG, NR_EVENTS };

/* One field a line. */
/* clang-format off */
#define EVENT(event, name, id, fields) [event] = {name, FORMAT(name, id, fields)}
static const char *const texts[NR_EVENTS][2] = {
	EVENT(KMALLOC, "kmalloc", 1,
	      COMMON OBJECT
	      FIELD("size_t bytes_req", 24, 8, 0)
	      FIELD("size_t bytes_alloc", 32, 8, 0)
	      FIELD("unsigned long gfp_flags", 40, 8, 0)
	      FIELD("int node", 48, 4, 1)),
	/* long is 4 bytes here, the fields are not in their usual order, one is unknown */
	EVENT(KMALLOC_NODE, "kmalloc_node", 2,
	      COMMON
	      FIELD("int node", 8, 4, 1)
	      FIELD("size_t later", 12, 4, 0)
	      FIELD("size_t bytes_alloc", 24, 4, 0)
	      FIELD("size_t bytes_req", 20, 4, 0)
	      FIELD("const void * ptr", 16, 4, 0)
	      FIELD("unsigned long call_site", 28, 4, 0)
	      FIELD("gfp_t gfp_flags", 32, 4, 0)),
	EVENT(CACHE_ALLOC, "kmem_cache_alloc", 3,
	      COMMON OBJECT
	      FIELD("__data_loc char[] name", 24, 4, 0)
	      FIELD("size_t bytes_req", 32, 8, 0)
	      FIELD("size_t bytes_alloc", 40, 8, 0)
	      FIELD("unsigned long gfp_flags", 48, 8, 0)
	      FIELD("int node", 56, 4, 1)
	      FIELD("bool accounted", 60, 1, 0)),
	EVENT(CACHE_FREE, "kmem_cache_free", 4,
	      COMMON OBJECT
	      FIELD("__data_loc char[] name", 24, 4, 0)),
	EVENT(PAGE_ALLOC, "mm_page_alloc", 5,
	      COMMON
	      FIELD("unsigned long pfn", 8, 8, 0)
	      FIELD("unsigned int order", 16, 4, 0)
	      FIELD("unsigned long gfp_flags", 24, 8, 0)
	      FIELD("int migratetype", 32, 4, 1)),
	EVENT(LOCKED, "mm_page_alloc_zone_locked", 6,
	      COMMON
	      FIELD("unsigned long pfn", 8, 8, 0)
	      FIELD("unsigned int order", 16, 4, 0)
	      FIELD("int migratetype", 20, 4, 1)
	      FIELD("int percpu_refill", 24, 4, 1)),
	EVENT(EXTFRAG, "mm_page_alloc_extfrag", 7,
	      COMMON
	      FIELD("unsigned long pfn", 8, 8, 0)
	      FIELD("int alloc_order", 16, 4, 1)
	      FIELD("int fallback_order", 20, 4, 1)
	      FIELD("int alloc_migratetype", 24, 4, 1)
	      FIELD("int fallback_migratetype", 28, 4, 1)
	      FIELD("int change_ownership", 32, 4, 1)),
};
/* clang-format on */

struct fixture {
	struct evsel evsels[NR_EVENTS];
	struct evsel_fd fds[NR_EVENTS];
	struct evlist l;
	struct trace trace;
	struct kmem_decoder *decoders[NR_EVENTS];
	struct sample_scan scan;
	struct batch batch;
	struct batch_stream stream;
	struct bpf_samples samples;
	struct bpf_cache cache;
	unsigned int look_ups;
};

static const struct bpf_cache *find_cache(void *ctx, const struct bpf_event *ev)
{
	struct fixture *f = ctx;

	(void)ev;
	f->look_ups++;
	return f->cache.name ? &f->cache : NULL;
}

static int setup_batch(void **state, bool grouped)
{
	struct trace_format formats[NR_EVENTS];
	struct fixture *f = calloc(1, sizeof(*f));
	struct tracing_data td = {.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
				  .long_size = 8,
				  .page_size = 4096,
				  .formats = formats,
				  .nr_formats = NR_EVENTS};

	assert_non_null(f);
	for (size_t i = 0; i < NR_EVENTS; i++) {
		struct evsel *e = &f->evsels[i];

		formats[i] = (struct trace_format){"kmem", {texts[i][1], strlen(texts[i][1])}};
		f->fds[i] = (struct evsel_fd){.fd = -1, .id = 10 + i};
		*e = (struct evsel){.system = (char *)"kmem",
				    .name = (char *)texts[i][0],
				    .format = STRBUF_INIT,
				    .fds = &f->fds[i],
				    .nr_fds = 1};
		e->attr.config = i + 1;
		e->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				      PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
		if (i == PAGE_ALLOC)
			e->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
		assert_int_equal(strbuf_addstr(&e->format, texts[i][1]), 0);
	}
	f->l = (struct evlist){f->evsels, NR_EVENTS};
	assert_int_equal(trace_init(&f->trace, &td, NULL), 0);
	for (size_t i = 0; i < NR_EVENTS; i++)
		assert_int_equal(kmem_decoder_new(&f->trace, trace_event(&f->trace, i + 1),
						  &f->decoders[i], NULL),
				 0);
	assert_int_equal(sample_scan_init(&f->scan, &f->l, NULL), 0);
	assert_int_equal(batch_init(&f->batch, &f->scan, grouped, NULL), 0);
	assert_int_equal(bpf_samples_init(&f->samples, &f->l, find_cache, f, NULL), 0);
	f->cache.name = "filp";
	batch_begin(&f->batch, &f->stream);
	*state = f;
	return 0;
}

static int setup(void **state)
{
	return setup_batch(state, false);
}

static int setup_grouped(void **state)
{
	return setup_batch(state, true);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	batch_deinit(&f->batch);
	sample_scan_deinit(&f->scan);
	for (size_t i = 0; i < NR_EVENTS; i++) {
		kmem_decoder_free(f->decoders[i]);
		strbuf_deinit(&f->evsels[i].format);
	}
	trace_deinit(&f->trace);
	free(f);
	return 0;
}

static struct bpf_event event(enum bpf_kind kind)
{
	return (struct bpf_event){
		.time_ns = 1000001, .pid = 77, .tid = 78, .kind = kind & 0xff, .call_site = 0};
}

static void add(struct fixture *f, const struct bpf_event *ev)
{
	const struct bpf_extra none = {0};

	assert_int_equal(bpf_samples_add(&f->samples, &f->batch, 3, ev, &none), 0);
}

/* The one record of the batch, as our reader sees it, and as an event. */
static struct sample decode(struct fixture *f, int which, struct kmem_event *ret_event)
{
	struct event_attr attr = {.sample_type = f->evsels[which].attr.sample_type};
	struct perf_event_header header;
	struct sample_layout layout;
	struct sample sample;
	struct sample_head head;

	memcpy(&header, f->batch.records, sizeof(header));
	assert_int_equal(header.type, PERF_RECORD_SAMPLE);
	assert_int_equal(header.size, f->batch.bytes);
	assert_int_equal(header.size % 8, 0);
	memcpy(&head, f->batch.records, sizeof(head));
	assert_true(head.id == 10u + (unsigned int)which);
	sample_layout_init(&layout, &attr);
	assert_int_equal(sample_parse(&layout, f->batch.records, header.size, false, &sample), 0);
	assert_int_equal(sample.pid, 77);
	assert_int_equal(sample.tid, 78);
	assert_int_equal(sample.cpu, 3);
	assert_int_equal(kmem_decoder_decode(f->decoders[which], &sample, ret_event), 0);
	assert_int_equal(f->scan.samples[which], 1);
	return sample;
}

static void test_kmalloc(void **state)
{
	struct fixture *f = *state;
	struct bpf_event ev = event(BPF_KMALLOC);
	struct kmem_event got;
	struct sample s;
	uint16_t type;
	int32_t pid;

	ev.call_site = 0xffffffff81234567;
	ev.ptr = 0xffff888000001000;
	ev.kmalloc = (struct bpf_kmalloc){0, 0x123456789, 0x200000000, 0xcc0, -1};
	add(f, &ev);
	s = decode(f, KMALLOC, &got);
	assert_int_equal(got.kind, KMEM_SLAB_ALLOC);
	assert_true(got.call_site == ev.call_site && got.ptr == ev.ptr);
	assert_true(got.bytes_req == 0x123456789 && got.bytes_alloc == 0x200000000);
	assert_int_equal(got.gfp_flags, 0xcc0);
	assert_int_equal(got.node, -1);
	assert_true(s.time_ns == 1000001);
	memcpy(&type, s.raw, sizeof(type)); /* common_type */
	assert_int_equal(type, 1);
	memcpy(&pid, s.raw + 4, sizeof(pid));
	assert_int_equal(pid, 78);
	/* whose name the file needs */
	assert_int_equal(f->scan.addresses.nr, 1);
}

/* Each event has its own values, also where one call site takes now this, now that. */
static void test_a_call_site_whose_values_change(void **state)
{
	static const struct bpf_kmalloc values[] = {
		{100, 128, 0xcc0, -1}, {100, 128, 0xcc0, 1}, {100, 128, 0xdc0, 1},
		{101, 128, 0xdc0, 1},  {101, 256, 0xdc0, 1}, {100, 128, 0xcc0, -1},
	};
	struct fixture *f = *state;
	struct bpf_event ev = event(BPF_KMALLOC);

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct kmem_event got;

		for (uint64_t site = 1; site <= 2; site++) {
			ev.call_site = 0xffffffff81000000 + site;
			ev.ptr = 0xffff888000000000 + 8 * i + site;
			ev.kmalloc = values[i];
			batch_begin(&f->batch, &f->stream);
			f->scan.samples[KMALLOC] = 0;
			add(f, &ev);
			decode(f, KMALLOC, &got);
			assert_true(got.call_site == ev.call_site && got.ptr == ev.ptr);
			assert_true(got.bytes_req == values[i].bytes_req &&
				    got.bytes_alloc == values[i].bytes_alloc);
			assert_int_equal(got.gfp_flags, values[i].gfp_flags);
			assert_int_equal(got.node, values[i].node);
		}
	}
}

static void test_fields_of_other_widths_and_places(void **state)
{
	struct fixture *f = *state;
	struct bpf_event ev = event(BPF_KMALLOC_NODE);
	struct kmem_event got;
	struct sample s;

	ev.call_site = 0x81234567;
	ev.ptr = 0xc0001000;
	ev.kmalloc = (struct bpf_kmalloc){0, 100, 128, 0xffffffff, 1};
	add(f, &ev);
	s = decode(f, KMALLOC_NODE, &got);
	assert_true(got.call_site == 0x81234567 && got.ptr == 0xc0001000);
	assert_true(got.bytes_req == 100 && got.bytes_alloc == 128);
	assert_int_equal(got.gfp_flags, 0xffffffff);
	assert_int_equal(got.node, 1);
	assert_memory_equal(s.raw + 12, "\0\0\0\0", 4);
}

static void test_caches_have_names(void **state)
{
	static const char *const names[] = {
		"filp", "", "x",
		/* as long as what is remembered of one, shorter, longer */
		"0123456789012345678901234567890", "01234567890123456789012345678901",
		"012345678901234567890123456789012", "of more than forty bytes, and without an end",
		NULL};
	struct fixture *f = *state;
	unsigned int n = 0;

	for (; names[n]; n++) {
		struct bpf_event ev = event(BPF_CACHE_ALLOC);
		struct kmem_event got;
		struct sample s;

		f->cache.name = names[n];
		ev.ptr = 0x1000;
		ev.cache_alloc = (struct bpf_cache_alloc){
			0xffff888000000000 + n * 0x100, 200, 208, 0x400dc0, -1, 1};
		for (int again = 0; again < 2; again++) {
			batch_begin(&f->batch, &f->stream);
			f->scan.samples[CACHE_ALLOC] = 0;
			add(f, &ev);
			s = decode(f, CACHE_ALLOC, &got);
			assert_string_equal(kmem_decoder_cache(f->decoders[CACHE_ALLOC], &s),
					    names[n]);
			assert_true(got.bytes_req == 200 && got.bytes_alloc == 208);
			assert_int_equal(got.node, -1);
			assert_int_equal(got.accounted, 1);
			assert_int_equal(got.gfp_flags, 0x400dc0);
		}
		assert_int_equal(f->look_ups, n + 1);
	}
}

static void test_a_cache_that_nobody_knows(void **state)
{
	struct fixture *f = *state;
	struct bpf_event ev = event(BPF_CACHE_FREE);
	struct kmem_event got;
	struct sample s;

	f->cache.name = NULL;
	ev.ptr = 0x2000;
	ev.cache_free.cache = 42;
	add(f, &ev);
	s = decode(f, CACHE_FREE, &got);
	assert_int_equal(got.kind, KMEM_SLAB_FREE);
	/* an empty name behind the fields, of one byte */
	assert_int_equal(load_u32(s.raw + 24, false), 1 << 16 | 28);
	assert_int_equal(s.raw[28], 0);
}

static void test_pages_with_a_callchain(void **state)
{
	static const uint64_t frames[] = {0xffffffff81000010, 0xffffffff82000020,
					  0xffffffff81000010};
	const struct bpf_extra extra = {.frames = frames, .nr_frames = 3};
	struct fixture *f = *state;
	struct bpf_event ev = event(BPF_PAGE_ALLOC);
	uint64_t chain[4];
	struct kmem_event got;
	struct sample_head head;
	struct sample s;

	ev.pfn = 0x12345;
	ev.page_alloc = (struct bpf_page_alloc){.order = 9, .gfp_flags = 0xdc0, .migratetype = 1};
	assert_int_equal(bpf_samples_add(&f->samples, &f->batch, 3, &ev, &extra), 0);
	s = decode(f, PAGE_ALLOC, &got);
	assert_int_equal(got.kind, KMEM_PAGE_ALLOC);
	assert_true(got.page == 0x12345);
	assert_int_equal(got.order, 9);
	assert_int_equal(got.migratetype, 1);
	assert_int_equal(got.gfp_flags, 0xdc0);
	assert_true(s.nr_callchain == 4);
	memcpy(chain, s.callchain, sizeof(chain));
	assert_true(chain[0] == (uint64_t)PERF_CONTEXT_KERNEL);
	assert_memory_equal(chain + 1, frames, sizeof(frames));
	memcpy(&head, f->batch.records, sizeof(head));
	assert_true(head.ip == frames[0]);
	assert_int_equal(f->scan.addresses.nr, 2);
}

/* User frames follow the kernel's. The recorder does not keep their names. */
static void test_user_frames(void **state)
{
	static const uint64_t kernel[] = {0xffffffff81000010, 0xffffffff82000020},
			      user[] = {0x401000, 0x402000, 0x403000};
	const uint64_t expected[] = {PERF_CONTEXT_KERNEL,
				     kernel[0],
				     kernel[1],
				     PERF_CONTEXT_USER,
				     user[0],
				     user[1],
				     user[2]};
	const struct bpf_extra extra = {
		.frames = kernel, .nr_frames = 2, .user_frames = user, .nr_user_frames = 3};
	struct fixture *f = *state;
	struct bpf_event ev = event(BPF_PAGE_ALLOC);
	struct kmem_event got;
	struct sample s;

	ev.pfn = 0x12345;
	ev.page_alloc = (struct bpf_page_alloc){.order = 3};
	assert_int_equal(bpf_samples_add(&f->samples, &f->batch, 3, &ev, &extra), 0);
	s = decode(f, PAGE_ALLOC, &got);
	assert_true(got.page == 0x12345);
	assert_int_equal(got.order, 3);
	assert_int_equal(s.nr_callchain, 7);
	assert_memory_equal(s.callchain, expected, sizeof(expected));
	assert_int_equal(f->scan.addresses.nr, 2);
}

static void test_inside_the_page_allocator(void **state)
{
	struct fixture *f = *state;
	struct bpf_event ev = event(BPF_ZONE_LOCKED);
	struct kmem_event got;
	struct sample s;

	ev.pfn = 7;
	ev.zone_locked = (struct bpf_zone_locked){.order = 3, .migratetype = 2, .percpu_refill = 1};
	add(f, &ev);
	s = decode(f, LOCKED, &got);
	assert_int_equal(got.order, 3);
	assert_int_equal(load_u32(s.raw + 20, false), 2);
	assert_int_equal(got.percpu_refill, 1);

	batch_begin(&f->batch, &f->stream);
	ev = event(BPF_EXTFRAG);
	ev.pfn = 8;
	ev.extfrag = (struct bpf_extfrag){.alloc_order = 1,
					  .fallback_order = 10,
					  .alloc_migratetype = 0,
					  .fallback_migratetype = 1,
					  .change_ownership = 1};
	add(f, &ev);
	decode(f, EXTFRAG, &got);
	assert_int_equal(got.order, 1);
	assert_int_equal(got.fallback_order, 10);
	assert_int_equal(got.migratetype, 0);
	assert_int_equal(got.fallback_migratetype, 1);
	assert_int_equal(got.change_ownership, 1);
}

/* Old contents of a batch do not get into a sample: it would be noise. */
static void test_no_stale_bytes(void **state)
{
	struct fixture *f = *state;
	struct bpf_event ev = event(BPF_CACHE_ALLOC);
	uint8_t first[256];
	size_t size;

	ev.cache_alloc.cache = 1;
	add(f, &ev);
	size = f->batch.bytes;
	assert_in_range(size, 1, sizeof(first));
	memcpy(first, f->batch.records, size);
	memset(f->batch.records, 0xff, size);
	batch_begin(&f->batch, &f->stream);
	add(f, &ev);
	assert_int_equal(f->batch.bytes, size);
	assert_memory_equal(f->batch.records, first, size);
}

/* In a compressed file, times are in steps, as those that come from perf_event_open. */
static void test_times_of_a_compressed_file(void **state)
{
	struct fixture *f = *state;
	struct bpf_event ev = event(BPF_KMALLOC);
	struct kmem_event got;
	struct sample s;

	add(f, &ev);
	s = decode(f, KMALLOC, &got);
	assert_true(s.time_ns == 1000001 - 1000001 % BATCH_TIME_STEP_NS);
	assert_true(f->scan.first_ns == 1000001);
}

/* Some event of these. */
static struct bpf_event any_event(uint32_t i, uint32_t x)
{
	static const uint8_t of[] = {BPF_KMALLOC, BPF_KMALLOC_NODE, BPF_CACHE_ALLOC,
				     BPF_CACHE_FREE};
	struct bpf_event ev = event(of[x % 4]);

	ev.time_ns = 1000ULL * BATCH_TIME_STEP_NS * i + x % BATCH_TIME_STEP_NS;
	ev.pid = 1 + x / 16 % 3;
	ev.tid = 70000 + x / 64 % 5;
	ev.call_site = 0xffffffff81000000ULL + x / 256 % 4;
	ev.ptr = 0xffff888000000000ULL + x;
	switch (ev.kind) {
	case BPF_CACHE_ALLOC:
		ev.cache_alloc.cache = 1 + x / 1024 % 2;
		ev.cache_alloc.bytes_alloc = 192 + (x / 4096 % 8 == 0);
		break;
	case BPF_CACHE_FREE:
		ev.cache_free.cache = 1 + x / 1024 % 2;
		break;
	default:
		ev.kmalloc.bytes_req = ev.kmalloc.bytes_alloc = 64 + (x / 4096 % 8 == 0);
		break;
	}
	return ev;
}

/* Most keep only the differing bytes; in the file they are as any. */
static void test_samples_like_another(void **state)
{
	enum { NR = 5000, LONGEST = 256 };
	const struct bpf_extra none = {0};
	struct fixture *f = *state, *plain;
	uint8_t *wanted = calloc(NR, LONGEST);
	struct repeats repeats;
	uint32_t x = 1, nr = 0;
	struct record_order order;

	assert_non_null(wanted);
	assert_int_equal(setup_batch((void **)&plain, false), 0);
	assert_int_equal(repeats_init(&repeats), 0);
	for (uint32_t i = 0; i < NR; i++) {
		struct bpf_event ev;
		int cpu = (int)(i / 1000 % 2);

		x = x * 1103515245 + 12345;
		ev = any_event(i, x >> 4);
		assert_int_equal(bpf_samples_add(&f->samples, &f->batch, cpu, &ev, &none), 0);
		ev.time_ns -= ev.time_ns % BATCH_TIME_STEP_NS;
		batch_begin(&plain->batch, &plain->stream);
		assert_int_equal(bpf_samples_add(&plain->samples, &plain->batch, cpu, &ev, &none),
				 0);
		assert_in_range(plain->batch.bytes, 1, LONGEST);
		memcpy(wanted + (size_t)i * LONGEST, plain->batch.records, plain->batch.bytes);
	}
	/* all but those whose pointers are not of 8 bytes */
	assert_in_range(f->batch.nr_likes, NR / 3, NR * 3 / 4);
	order = batch_sort(&f->batch);
	for (size_t from = 0, n; from < order.nr; from += n) {
		n = repeats_fill(&repeats, &order, from);
		for (uint32_t at = 0; at < repeats.len; nr++) {
			struct sample_head head;
			size_t i;

			memcpy(&head, repeats.bytes + at, sizeof(head));
			i = head.time / (1000 * BATCH_TIME_STEP_NS);
			assert_in_range(i, 0, NR - 1);
			assert_memory_equal(repeats.bytes + at, wanted + i * LONGEST,
					    head.header.size);
			memset(wanted + i * LONGEST, 0xff, LONGEST); /* not again */
			at += head.header.size;
		}
	}
	assert_int_equal(nr, NR);
	for (size_t i = 0; i < NR_EVENTS; i++)
		assert_int_equal(f->scan.samples[i], plain->scan.samples[i]);
	assert_int_equal(f->scan.addresses.nr, plain->scan.addresses.nr);
	repeats_deinit(&repeats);
	teardown((void **)&plain);
	free(wanted);
}

struct written {
	uint64_t time, place, ptr;
};

static int by_time(const void *a, const void *b)
{
	const struct written *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/*
 * kvmalloc() of a kernel since 6.10 is traced inside the allocator, and again by its caller, which
 * has been seen before (kvmalloc() of a few bytes).  Sorted by time, the pairs keep their order,
 * however close they are, and whether a sample is whole or like another one.
 */
static void test_pairs_stay_in_order(void **state)
{
	static const uint64_t sites[] = {0xffffffff81000010, 0xffffffff82000020};
	enum { NR = 2000 };
	struct fixture *f = *state;
	struct bpf_event ev = event(BPF_KMALLOC);
	struct written written[NR] = {{0}};
	struct repeats repeats;
	struct record_order order;
	size_t nr = 0;

	assert_int_equal(repeats_init(&repeats), 0);
	ev.kmalloc = (struct bpf_kmalloc){0, 16384, 16384, 0xcc0, -1};
	for (uint64_t i = 0; i < NR; i++) {
		ev.call_site = sites[(i + 1) % 2];
		ev.ptr = i;
		add(f, &ev);
		/* from an outer trace to the next allocation, or within a pair: the same time, too
		 */
		ev.time_ns += i % 2 ? i / 2 % 50 : 300 + i % 7;
	}
	assert_int_equal(f->batch.nr_likes, NR - 2);
	order = batch_sort(&f->batch);
	for (size_t from = 0; from < order.nr;) {
		from += repeats_fill(&repeats, &order, from);
		for (uint32_t at = 0; at < repeats.len; nr++) {
			struct sample_head head;

			memcpy(&head, repeats.bytes + at, sizeof(head));
			written[nr] = (struct written){.time = head.time, .place = nr};
			memcpy(&written[nr].ptr, repeats.bytes + at + sizeof(head) + 4 + 16,
			       sizeof(written[nr].ptr));
			at += head.header.size;
		}
	}
	assert_int_equal(nr, NR);
	qsort(written, nr, sizeof(written[0]), by_time);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(written[i].ptr, i);
	repeats_deinit(&repeats);
}

/* Another batch has none of the samples of this one. */
static void test_not_like_one_of_another_batch(void **state)
{
	struct fixture *f = *state;
	struct bpf_event ev = event(BPF_KMALLOC);
	struct batch other;

	add(f, &ev);
	add(f, &ev);
	assert_int_equal(f->batch.nr_likes, 1);
	batch_begin(&f->batch, &f->stream);
	add(f, &ev);
	assert_int_equal(f->batch.nr_likes, 0);
	assert_int_equal(batch_init(&other, &f->scan, true, NULL), 0);
	batch_begin(&other, &f->stream);
	assert_int_equal(bpf_samples_add(&f->samples, &other, 3, &ev, &(struct bpf_extra){0}), 0);
	assert_int_equal(other.nr_likes, 0);
	batch_deinit(&other);
}

static void test_tasks(void **state)
{
	struct fixture *f = *state;
	struct bpf_event ev = event(BPF_TASK_NEW);
	struct {
		struct perf_event_header header;
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
		struct sample_id id;
	} task;
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char comm[16];
		struct sample_id id;
	} comm;
	uint8_t *at;

	ev.task_new = (struct bpf_task_new){.pid = 100, .tid = 101};
	add(f, &ev);
	ev = event(BPF_TASK_COMM);
	ev.task_comm = (struct bpf_task_comm){.pid = 100, .tid = 101, .comm = "fifteen letters"};
	add(f, &ev);
	ev = event(BPF_TASK_EXIT);
	add(f, &ev);
	at = f->batch.records;
	assert_int_equal(f->batch.bytes, 2 * sizeof(task) + sizeof(comm));
	memcpy(&task, at, sizeof(task));
	assert_int_equal(task.header.type, PERF_RECORD_FORK);
	assert_int_equal(task.header.size, sizeof(task));
	assert_true(task.pid == 100 && task.tid == 101 && task.ppid == 77 && task.ptid == 78);
	assert_true(task.time == 1000001 && task.id.time == task.time && task.id.cpu == 3);
	memcpy(&comm, at + sizeof(task), sizeof(comm));
	assert_int_equal(comm.header.type, PERF_RECORD_COMM);
	assert_int_equal(comm.header.size, sizeof(comm));
	assert_true(comm.pid == 100 && comm.tid == 101);
	assert_string_equal(comm.comm, "fifteen letters");
	memcpy(&task, at + sizeof(task) + sizeof(comm), sizeof(task));
	assert_int_equal(task.header.type, PERF_RECORD_EXIT);
	assert_true(task.pid == 77 && task.tid == 78);
	assert_int_equal(f->scan.nr_samples, 0);
}

/* A kernel thread begins with its own name: a COMM record follows, in compressed files, too. */
static void test_a_task_that_begins_with_a_name(void **state)
{
	struct fixture *f = *state;
	struct bpf_event ev = event(BPF_TASK_NEW);
	struct record_order order;
	const uint8_t *record;
	uint32_t pid_tid[2];
	uint16_t size;

	ev.task_new = (struct bpf_task_new){.pid = 100, .tid = 101, .comm = "jbd2/loop0-8"};
	add(f, &ev);
	ev.task_new = (struct bpf_task_new){.pid = 200, .tid = 201};
	add(f, &ev);
	order = batch_sort(&f->batch);
	assert_int_equal(order.nr, 3);
	for (size_t i = 0; i < order.nr; i++) {
		record = record_order_get(&order, i, &size);
		assert_int_equal(load_u32(record, false),
				 i == 1 ? PERF_RECORD_COMM : PERF_RECORD_FORK);
	}
	record = record_order_get(&order, 1, &size);
	memcpy(pid_tid, record + sizeof(struct perf_event_header), sizeof(pid_tid));
	assert_int_equal(pid_tid[0], 100);
	assert_int_equal(pid_tid[1], 101);
	assert_string_equal((const char *)record + sizeof(struct perf_event_header) +
				    sizeof(pid_tid),
			    "jbd2/loop0-8");
}

static void test_events_without_a_program(void **state)
{
	struct fixture *f = *state;
	struct bpf_samples s;
	struct error err = ERROR_INIT;

	assert_int_equal(bpf_plan_kind("kmem", "rss_stat"), BPF_KINDS);
	assert_int_equal(bpf_plan_kind("sched", "kfree"), BPF_KINDS);
	assert_int_equal(bpf_plan_kind("kmem", "kfree"), BPF_KFREE);
	f->evsels[KMALLOC].name = (char *)"rss_stat";
	assert_int_equal(bpf_samples_init(&s, &f->l, find_cache, f, &err), -ENOTSUP);
	assert_non_null(strstr(err.msg, "'kmem:rss_stat'"));
	f->evsels[KMALLOC].name = (char *)"kmalloc";
	strbuf_reset(&f->evsels[KMALLOC].format);
	assert_int_equal(bpf_samples_init(&s, &f->l, find_cache, f, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_kmalloc, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_call_site_whose_values_change, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_fields_of_other_widths_and_places, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_caches_have_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_cache_that_nobody_knows, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pages_with_a_callchain, setup, teardown),
		cmocka_unit_test_setup_teardown(test_user_frames, setup, teardown),
		cmocka_unit_test_setup_teardown(test_inside_the_page_allocator, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_stale_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_times_of_a_compressed_file, setup_grouped,
						teardown),
		cmocka_unit_test_setup_teardown(test_samples_like_another, setup_grouped, teardown),
		cmocka_unit_test_setup_teardown(test_pairs_stay_in_order, setup_grouped, teardown),
		cmocka_unit_test_setup_teardown(test_not_like_one_of_another_batch, setup_grouped,
						teardown),
		cmocka_unit_test_setup_teardown(test_tasks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_task_that_begins_with_a_name, setup_grouped,
						teardown),
		cmocka_unit_test_setup_teardown(test_events_without_a_program, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
