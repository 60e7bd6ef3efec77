// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/fixture/event_format.h"
#include "util/decode/kmem_decoder.h"

/* kmalloc of 6.1, of a 32-bit kernel without node, and one that lacks a field it must have. */
static const char kmalloc_64[] = FORMAT(
	"kmalloc", 1,
	FIELD("unsigned long call_site", 8, 8, 0) FIELD("const void * ptr", 16, 8, 0)
		FIELD("size_t bytes_req", 24, 8, 0) FIELD("size_t bytes_alloc", 32, 8, 0)
			FIELD("unsigned long gfp_flags", 40, 8, 0) FIELD("int node", 48, 4, 1));
static const char kmalloc_32[] =
	FORMAT("kmalloc_node", 2,
	       FIELD("unsigned long call_site", 8, 4, 0) FIELD("const void * ptr", 12, 4, 0)
		       FIELD("size_t bytes_req", 16, 4, 0) FIELD("size_t bytes_alloc", 20, 4, 0));
static const char no_ptr[] = FORMAT("kfree", 3, FIELD("unsigned long call_site", 8, 8, 0));
static const char page_alloc_32[] = FORMAT(
	"mm_page_alloc", 4,
	FIELD("unsigned long pfn", 8, 4, 0) FIELD("unsigned int order", 12, 4, 0)
		FIELD("unsigned long gfp_flags", 16, 4, 0) FIELD("int migratetype", 20, 4, 1));
/* For us it has no order, which would take the place of the bytes. */
static const char named_cache[] = FORMAT(
	"kmem_cache_alloc", 6,
	FIELD("unsigned long call_site", 8, 8, 0) FIELD("const void * ptr", 16, 8, 0)
		FIELD("size_t bytes_req", 24, 8, 0) FIELD("size_t bytes_alloc", 32, 8, 0)
			FIELD("bool accounted", 40, 1, 0) FIELD("unsigned int order", 44, 4, 0)
				FIELD("__data_loc char[] name", 48, 4, 1));
static const char cache_free[] =
	FORMAT("kmem_cache_free", 8,
	       FIELD("const void * ptr", 8, 8, 0) FIELD("__data_loc char[] name", 16, 4, 1));
static const char any_free[] = FORMAT("kfree", 9, FIELD("const void * ptr", 8, 8, 0));
/* As our recorder writes them where it knows the cache. */
static const char named_free[] = FORMAT(
	"kfree", 10, FIELD("const void * ptr", 8, 8, 0) FIELD("__data_loc char[] name", 16, 4, 1));
static const char named_kmalloc[] =
	FORMAT("kmalloc", 11,
	       FIELD("unsigned long call_site", 8, 8, 0) FIELD("const void * ptr", 16, 8, 0)
		       FIELD("size_t bytes_req", 24, 8, 0) FIELD("size_t bytes_alloc", 32, 8, 0)
			       FIELD("__data_loc char[] name", 48, 4, 1));
static const char page_free_address[] =
	FORMAT("mm_page_free", 7,
	       FIELD("struct page * page", 8, 8, 0) FIELD("unsigned int order", 16, 4, 0));
static const char other[] =
	FORMAT("rss_stat", 5,
	       FIELD("unsigned int mm_id", 8, 4, 0) FIELD("unsigned int curr", 12, 4, 0)
		       FIELD("int member", 16, 4, 1) FIELD("long size", 24, 8, 1));

struct fixture {
	struct trace trace;
	bool swap;
};

static void init(struct fixture *f, bool swap, uint8_t long_size)
{
	struct trace_format formats[] = {
		{"kmem", {kmalloc_64, sizeof(kmalloc_64) - 1}},
		{"kmem", {kmalloc_32, sizeof(kmalloc_32) - 1}},
		{"kmem", {no_ptr, sizeof(no_ptr) - 1}},
		{"kmem", {page_alloc_32, sizeof(page_alloc_32) - 1}},
		{"kmem", {named_cache, sizeof(named_cache) - 1}},
		{"kmem", {page_free_address, sizeof(page_free_address) - 1}},
		{"kmem", {cache_free, sizeof(cache_free) - 1}},
		{"kmem", {any_free, sizeof(any_free) - 1}},
		{"kmem", {named_free, sizeof(named_free) - 1}},
		{"kmem", {named_kmalloc, sizeof(named_kmalloc) - 1}},
		{"kmem", {other, sizeof(other) - 1}},
	};
	struct tracing_data td = {
		.big_endian = swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__),
		.long_size = long_size,
		.page_size = 4096,
		.formats = formats,
		.nr_formats = sizeof(formats) / sizeof(formats[0]),
	};

	f->swap = swap;
	assert_int_equal(trace_init(&f->trace, &td, NULL), 0);
}

static struct kmem_decoder *decoder(struct fixture *f, uint64_t id)
{
	struct kmem_decoder *d = NULL;

	assert_int_equal(kmem_decoder_new(&f->trace, trace_event(&f->trace, id), &d, NULL), 0);
	return d;
}

static void put(uint8_t *raw, size_t at, uint64_t v, size_t size, bool swap)
{
	for (size_t i = 0; i < size; i++) {
		bool big = swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

		raw[at + i] = (uint8_t)(v >> 8 * (big ? size - 1 - i : i));
	}
}

static void test_fields_in_either_byte_order(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct fixture f;
		uint8_t raw[56] = {0};
		struct sample sample = {
			.raw = raw, .raw_size = 52, .time_ns = 5, .pid = 1, .tid = 2, .cpu = 3};
		struct kmem_decoder *d;
		struct kmem_event ev;

		init(&f, swap, 8);
		d = decoder(&f, 1);
		put(raw, 8, 0xffffffff81001234, 8, swap);
		put(raw, 16, 0xffff888000001000, 8, swap);
		put(raw, 24, 5ull << 30, 8, swap); /* more than 32 bits */
		put(raw, 32, 6ull << 30, 8, swap);
		put(raw, 40, 0xcc0, 8, swap);
		put(raw, 48, (uint64_t)-1, 4, swap);
		assert_int_equal(kmem_decoder_kind(d), KMEM_SLAB_ALLOC);
		assert_int_equal(kmem_decoder_decode(d, &sample, &ev), 0);
		assert_true(ev.call_site == 0xffffffff81001234);
		assert_true(ev.ptr == 0xffff888000001000);
		assert_true(ev.bytes_req == 5ull << 30);
		assert_true(ev.bytes_alloc == 6ull << 30);
		assert_int_equal(ev.gfp_flags, 0xcc0);
		assert_int_equal(ev.node, NUMA_NO_NODE);
		assert_int_equal(ev.time_ns, 5);
		assert_int_equal(ev.pid, 1);
		assert_int_equal(ev.tid, 2);
		assert_int_equal(ev.cpu, 3);
		assert_int_equal(ev.kind, KMEM_SLAB_ALLOC);
		assert_true(ev.is_kmalloc);
		/* no object has 2^63 bytes; a failed allocation may have asked for that */
		put(raw, 24, 1ull << 63, 8, swap);
		assert_int_equal(kmem_decoder_decode(d, &sample, &ev), -EINVAL);
		put(raw, 24, SLAB_BYTES_MAX, 8, swap);
		put(raw, 32, SLAB_BYTES_MAX + 1, 8, swap);
		assert_int_equal(kmem_decoder_decode(d, &sample, &ev), -EINVAL);
		put(raw, 16, 0, 8, swap);
		assert_int_equal(kmem_decoder_decode(d, &sample, &ev), 0);
		put(raw, 16, 1, 8, swap);
		put(raw, 32, SLAB_BYTES_MAX, 8, swap);
		assert_int_equal(kmem_decoder_decode(d, &sample, &ev), 0);
		/* raw data that ends inside the last field */
		sample.raw_size = 51;
		assert_int_equal(kmem_decoder_decode(d, &sample, &ev), -EINVAL);
		sample.raw = NULL;
		assert_int_equal(kmem_decoder_decode(d, &sample, &ev), -EINVAL);
		kmem_decoder_free(d);
		trace_deinit(&f.trace);
	}
}

static void test_fields_of_32_bits(void **state)
{
	struct fixture f;
	uint8_t raw[24] = {0};
	struct sample sample = {.raw = raw, .raw_size = sizeof(raw)};
	struct kmem_decoder *d;
	struct kmem_event ev;

	(void)state;
	init(&f, false, 4);
	d = decoder(&f, 2);
	put(raw, 8, 0xc0101234, 4, false);
	put(raw, 12, 0xc2000000, 4, false);
	assert_int_equal(kmem_decoder_decode(d, &sample, &ev), 0);
	assert_true(ev.call_site == 0xc0101234); /* not sign-extended */
	assert_true(ev.ptr == 0xc2000000);
	assert_int_equal(ev.node, NUMA_NO_NODE); /* it has none */
	kmem_decoder_free(d);

	/* -1UL of a 32-bit kernel: the allocation failed */
	d = decoder(&f, 4);
	assert_true(kmem_decoder_has_pfn(d));
	put(raw, 8, UINT32_MAX, 4, false);
	put(raw, 12, 2, 4, false);
	put(raw, 20, (uint64_t)-1, 4, false);
	assert_int_equal(kmem_decoder_decode(d, &sample, &ev), 0);
	assert_true(ev.page == PFN_NONE);
	assert_false(ev.by_address);
	assert_int_equal(ev.order, 2);
	assert_int_equal(ev.migratetype, -1);
	kmem_decoder_free(d);
	trace_deinit(&f.trace);
}

static void test_fields_of_other_kinds_are_left_alone(void **state)
{
	struct fixture f;
	uint8_t raw[60] = {0};
	struct sample sample = {.raw = raw, .raw_size = sizeof(raw)};
	struct kmem_decoder *d;
	struct kmem_event ev;

	(void)state;
	init(&f, false, 8);
	d = decoder(&f, 6);
	put(raw, 32, 192, 8, false);
	put(raw, 40, 1, 1, false);
	put(raw, 44, 77, 4, false);
	put(raw, 48, 5 << 16 | 52, 4, false);
	memcpy(raw + 52, "filp", 5);
	assert_int_equal(kmem_decoder_decode(d, &sample, &ev), 0);
	assert_int_equal(ev.bytes_alloc, 192);
	assert_int_equal(ev.accounted, 1);
	assert_false(ev.is_kmalloc);
	assert_string_equal(kmem_decoder_cache(d, &sample), "filp");
	assert_int_equal(ev.cache_id, cache_id_of("filp", 4));
	sample.raw_size = 56;
	assert_null(kmem_decoder_cache(d, &sample));
	assert_int_equal(kmem_decoder_decode(d, &sample, &ev), 0);
	assert_int_equal(ev.cache_id, CACHE_ID_OWN);
	kmem_decoder_free(d);
	d = decoder(&f, 1);
	assert_null(kmem_decoder_cache(d, &sample));
	kmem_decoder_free(d);
	trace_deinit(&f.trace);
}

/* kfree() frees objects of any cache. */
static void test_frees_name_the_cache(void **state)
{
	struct fixture f;
	uint8_t raw[32] = {0};
	struct sample sample = {.raw = raw, .raw_size = sizeof(raw)};
	/* kmem_cache_free(), kfree(), kfree() with the name of the cache */
	const struct {
		uint64_t id;
		uint32_t named, not_named;
	} frees[] = {{8, cache_id_of("filp", 4), CACHE_ID_OWN},
		     {9, CACHE_ID_ANY, CACHE_ID_ANY},
		     {10, cache_id_of("filp", 4), CACHE_ID_ANY}};

	(void)state;
	init(&f, false, 8);
	put(raw, 16, 5 << 16 | 24, 4, false);
	for (int i = 0; i < 3; i++) {
		struct kmem_decoder *d = decoder(&f, frees[i].id);
		struct kmem_event ev;

		memcpy(raw + 24, "filp", 5);
		assert_int_equal(kmem_decoder_decode(d, &sample, &ev), 0);
		assert_int_equal(ev.cache_id, frees[i].named);
		assert_false(ev.is_kmalloc);
		memset(raw + 24, 0, 5);
		assert_int_equal(kmem_decoder_decode(d, &sample, &ev), 0);
		assert_int_equal(ev.cache_id, frees[i].not_named);
		kmem_decoder_free(d);
	}
	trace_deinit(&f.trace);
}

/* A large kmalloc has no cache: its name is that of any kmalloc without one. */
static void test_kmalloc_names_the_cache(void **state)
{
	static const char name[] = "memdup_user-64";
	struct fixture f;
	uint8_t raw[72] = {0};
	struct sample sample = {.raw = raw, .raw_size = sizeof(raw)};
	struct kmem_decoder *d;
	struct kmem_event ev;

	(void)state;
	init(&f, false, 8);
	d = decoder(&f, 11);
	put(raw, 48, sizeof(name) << 16 | 52, 4, false);
	memcpy(raw + 52, name, sizeof(name));
	assert_int_equal(kmem_decoder_decode(d, &sample, &ev), 0);
	assert_true(ev.is_kmalloc);
	assert_int_equal(ev.cache_id, cache_id_of(name, strlen(name)));
	assert_string_equal(kmem_decoder_cache(d, &sample), name);
	raw[52] = '\0';
	put(raw, 48, 1 << 16 | 52, 4, false);
	assert_int_equal(kmem_decoder_decode(d, &sample, &ev), 0);
	assert_int_equal(ev.cache_id, CACHE_ID_KMALLOC);
	assert_null(kmem_decoder_cache(d, &sample));
	kmem_decoder_free(d);
	trace_deinit(&f.trace);
}

static void test_pages(void **state)
{
	struct fixture f;
	uint8_t raw[20] = {0};
	struct sample sample = {.raw = raw, .raw_size = sizeof(raw)};
	struct kmem_decoder *d;
	struct kmem_event ev;

	(void)state;
	init(&f, false, 8);
	d = decoder(&f, 7);
	put(raw, 8, 0xffffea0000001000, 8, false);
	put(raw, 16, PAGE_ORDER_MAX, 4, false);
	assert_int_equal(kmem_decoder_decode(d, &sample, &ev), 0);
	assert_true(ev.by_address);
	assert_true(ev.page == 0xffffea0000001000);
	assert_int_equal(ev.order, PAGE_ORDER_MAX);
	/* no kernel has such pages */
	put(raw, 16, PAGE_ORDER_MAX + 1, 4, false);
	assert_int_equal(kmem_decoder_decode(d, &sample, &ev), -EINVAL);
	put(raw, 16, UINT32_MAX, 4, false);
	assert_int_equal(kmem_decoder_decode(d, &sample, &ev), -EINVAL);
	kmem_decoder_free(d);
	trace_deinit(&f.trace);
}

static void test_events_that_are_none_of_ours(void **state)
{
	struct error err = ERROR_INIT;
	struct kmem_decoder *d;
	struct fixture f;

	(void)state;
	init(&f, false, 8);
	assert_null(decoder(&f, 5));
	assert_null(trace_event(&f.trace, 99));
	/* one that is, but lacks a required field */
	assert_int_equal(kmem_decoder_new(&f.trace, trace_event(&f.trace, 3), &d, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'kmem:kfree' has no field 'ptr'"));
	trace_deinit(&f.trace);
}

/* An event of an account's own tracepoint: numbers of any size, in the order that it names them. */
static void test_own_tracepoints(void **state)
{
	static const struct kmem_tracepoint wants = {
		"kmem:rss_stat", {"size", "member", "nosuch", "mm_id"}, 2, false};
	static const struct kmem_tracepoint needs = {"kmem:rss_stat", {"nosuch"}, 1, false};
	const uint32_t mm_id = 0x80000001;
	const int32_t member = -2;
	const int64_t size = -4096;
	uint8_t raw[32] = {0};
	struct sample sample = {.raw = raw, .raw_size = sizeof(raw), .time_ns = 5, .tid = 7};
	struct error err = ERROR_INIT;
	struct kmem_event ev;
	struct kmem_decoder *d;
	struct fixture f;

	(void)state;
	init(&f, false, 8);
	memcpy(raw + 8, &mm_id, sizeof(mm_id));
	memcpy(raw + 16, &member, sizeof(member));
	memcpy(raw + 24, &size, sizeof(size));
	assert_int_equal(kmem_decoder_new_own(&f.trace, trace_event(&f.trace, 5), &wants,
					      KMEM_OWN + 3, 2, &d, NULL),
			 0);
	assert_int_equal(kmem_decoder_kind(d), KMEM_OWN + 3);
	assert_int_equal(kmem_decoder_decode(d, &sample, &ev), 0);
	assert_int_equal(ev.kind, KMEM_OWN + 3);
	assert_int_equal(ev.own, 2);
	assert_int_equal(ev.time_ns, 5);
	assert_int_equal(ev.tid, 7);
	assert_true((int64_t)ev.values[0] == size);
	assert_true((int64_t)ev.values[1] == member);
	assert_true(ev.values[2] == 0);
	assert_true(ev.values[3] == mm_id);
	assert_true(ev.call_site == 0);
	assert_true(ev.in_window);
	sample.raw_size = 24;
	assert_int_equal(kmem_decoder_decode(d, &sample, &ev), -EINVAL);
	kmem_decoder_free(d);
	assert_int_equal(kmem_decoder_new_own(&f.trace, trace_event(&f.trace, 5), &needs, KMEM_OWN,
					      0, &d, &err),
			 -EINVAL);
	assert_string_equal(err.msg, "the recording's event 'kmem:rss_stat' has no field 'nosuch'");
	trace_deinit(&f.trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_in_either_byte_order),
		cmocka_unit_test(test_fields_of_32_bits),
		cmocka_unit_test(test_fields_of_other_kinds_are_left_alone),
		cmocka_unit_test(test_kmalloc_names_the_cache),
		cmocka_unit_test(test_frees_name_the_cache),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_events_that_are_none_of_ours),
		cmocka_unit_test(test_own_tracepoints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
