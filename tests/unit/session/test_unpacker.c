// SPDX-License-Identifier: GPL-2.0-or-later
/* A compressed recording, intact or broken, reads the same with a thread that unpacks ahead. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/fixture/fixture.h"
#include "tests/fixture/outcome.h"
#include "tests/fixture/recording_map.h"
#include "tests/unit/skip.h"
#include "util/base/bytes.h"
#include "util/base/log.h"
#include "util/perfdata/format.h"
#include "util/perfdata/pack.h"
#include "util/session/session.h"

#define NR_SAMPLES 263
#define TIMES	   200

static const struct source_options one_thread = {.force = true, .jobs = 1},
				   two_threads = {.force = true, .jobs = 2};

static int stop_at_once(void *ctx, uint64_t bytes, uint64_t bytes_total, uint64_t nr_samples)
{
	(void)ctx, (void)bytes, (void)bytes_total, (void)nr_samples;
	return 1;
}

static const char *describe(const struct outcome *o, char *buf, size_t size)
{
	const struct source_damage *d = &o->damage;

	snprintf(buf, size,
		 "%d '%s', %u samples 0x%" PRIx64 ", %" PRIu64 " of nobody; '%s' at 0x%" PRIx64
		 ", %" PRIu64 " records and %" PRIu64 " bytes skipped%s",
		 o->ret, o->err.msg, o->samples, o->hash, o->unknown_ids, d->what, d->first_pos,
		 d->nr_skipped_records, d->nr_skipped_bytes, d->truncated ? ", truncated" : "");
	return buf;
}

static void assert_same(const struct outcome *a, const struct outcome *b, const char *what)
{
	char first[2048], second[2048];

	if (strcmp(describe(a, first, sizeof(first)), describe(b, second, sizeof(second))) != 0)
		fail_msg("%s: %s; %s", what, first, second);
}

static struct outcome read_both_ways(const struct strbuf *sb, const char *what)
{
	struct outcome one = outcome_of_bytes(sb, 1), two = outcome_of_bytes(sb, 2);

	/* it contains the name of the file, which differs each time */
	if (one.err.msg[0] && two.err.msg[0])
		one.err = two.err;
	assert_same(&one, &two, what);
	return one;
}

/* Limit for the unpacked size of one COMPRESSED record; a reader allows 64 KiB more. */
static void add_bound(struct strbuf *sb, uint32_t bytes)
{
	const uint32_t feature[] = {
		PERF_RECORD_HEADER_FEATURE, 36 << 16, HEADER_COMPRESSED, 0, 1, 1, 1, 1, bytes};

	strbuf_add(sb, feature, sizeof(feature));
}

static void add_packed(struct strbuf *sb, struct packer *packer, void *data, size_t size)
{
	struct iovec in = {data, size}, records;
	struct error err = ERROR_INIT;

	assert_int_equal(packer_feed(packer, &in, 1, &records, &err), 0);
	strbuf_add(sb, records.iov_base, records.iov_len);
}

/*
 * The scenario many times, as a stream in a file: megabytes, in many blocks. In the middle is a
 * record of `zeros` bytes.
 */
static void build_large(struct strbuf *sb, size_t *ret_packed, size_t zeros)
{
	static char nothing[1 << 20];
	static const struct fixture_options o = {
		.big_endian = FIXTURE_HOST_ORDER, .long_size = 8, .form = FIXTURE_PIPE};
	struct strbuf all = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct packer *packer;
	struct recording_map map;
	size_t at;

	assert_int_equal(fixture_build(&o, -1, &all), 0);
	recording_map_init(&map, &all);
	at = map.regions[REGION_TRACING].to;
	strbuf_reset(sb);
	strbuf_add(sb, all.buf, at);
	if (zeros)
		add_bound(sb, 1);
	*ret_packed = sb->len;
	assert_int_equal(packer_new(&packer, 1, &err), 0);
	for (int i = 0; i < TIMES; i++) {
		if (i == TIMES / 2 && zeros)
			add_packed(sb, packer, nothing, zeros);
		add_packed(sb, packer, all.buf + at, all.len - at);
	}
	packer_free(packer);
	recording_map_deinit(&map);
	strbuf_deinit(&all);
}

static void test_records_across_blocks(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct outcome o;
	size_t packed;

	(void)state;
	build_large(&sb, &packed, 0);
	o = read_both_ways(&sb, "whole");
	assert_int_equal(o.ret, 0);
	assert_int_equal(o.samples, TIMES * NR_SAMPLES);
	assert_string_equal(o.damage.what, "");
	strbuf_deinit(&sb);
}

static void test_large_and_broken(void **state)
{
	struct strbuf sb = STRBUF_INIT, second = STRBUF_INIT;
	unsigned int salvaged = 0;
	size_t packed, len;

	(void)state;
	build_large(&sb, &packed, 0);
	len = sb.len;
	/* two streams, so that one continues after the broken part */
	strbuf_add(&second, sb.buf + packed, sb.len - packed);
	strbuf_add(&sb, second.buf, second.len);
	for (size_t i = 1; i < 40; i++) {
		size_t at = packed + (sb.len - packed) * i / 40;
		char saved = sb.buf[at], what[64];
		struct outcome o;

		snprintf(what, sizeof(what), "byte %zu", at);
		sb.buf[at] = (char)(saved ^ (1 << i % 8));
		o = read_both_ways(&sb, what);
		assert_int_equal(o.ret, 0);
		salvaged += at < len && o.samples > TIMES * NR_SAMPLES;
		sb.buf[at] = saved;
	}
	assert_true(salvaged > 5);
	strbuf_setlen(&sb, len + 1000);
	read_both_ways(&sb, "cut");
	strbuf_deinit(&sb);
	strbuf_deinit(&second);
}

/* More than allowed, while later records are being unpacked: those are not used. */
static void test_bomb_in_the_middle(void **state)
{
	struct strbuf sb = STRBUF_INIT, whole = STRBUF_INIT;
	size_t packed;

	(void)state;
	build_large(&whole, &packed, 0);
	for (size_t zeros = 100001; zeros <= 1 << 20; zeros += 300000) {
		size_t bomb;
		struct outcome o;

		build_large(&sb, &bomb, zeros);
		strbuf_add(&sb, whole.buf + packed, whole.len - packed);
		o = read_both_ways(&sb, "bomb");
		assert_int_equal(o.ret, 0);
		assert_string_equal(o.damage.what,
				    "a compressed record unpacks to more than allowed");
		assert_int_equal(o.samples, (TIMES / 2 + TIMES) * NR_SAMPLES);
	}
	strbuf_deinit(&sb);
	strbuf_deinit(&whole);
}

static void test_every_byte_of_a_small_one(void **state)
{
	static const uint32_t forms[] = {PERF_RECORD_COMPRESSED, PERF_RECORD_COMPRESSED2};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct fixture_options o = {
			.long_size = 8, .compressed = forms[i], .flags = FIXTURE_NOISE};
		struct recording_map map;

		assert_int_equal(fixture_build(&o, -1, &sb), 0);
		recording_map_init(&map, &sb);
		for (size_t at = map.regions[REGION_RECORDS].from;
		     at < map.regions[REGION_RECORDS].to; at += 7) {
			char what[64];

			snprintf(what, sizeof(what), "type %u, byte %zu", forms[i], at);
			sb.buf[at] ^= 0x15;
			read_both_ways(&sb, what);
			sb.buf[at] ^= 0x15;
		}
		recording_map_deinit(&map);
	}
	strbuf_deinit(&sb);
}

static void test_fixtures(void **state)
{
	char path[] = "/tmp/test_reader_unpack.XXXXXX", name[64], command[64];

	(void)state;
	assert_non_null(mkdtemp(path));
	snprintf(name, sizeof(name), "%s/recording", path);
	snprintf(command, sizeof(command), "rm -rf %s/*", path);
	for (size_t i = 0; i <= fixture_list_nr; i++) {
		const struct fixture *f = i < fixture_list_nr ? &fixture_list[i] : &fixture_bomb;
		struct outcome one, two;

		if (!f->options.compressed)
			continue;
		assert_int_equal(fixture_write(&f->options, name), 0);
		one = outcome_of_path(name, &one_thread, 0);
		two = outcome_of_path(name, &two_threads, 0);
		assert_same(&one, &two, f->name);
		one = outcome_of_path(name, &one_thread, 100);
		two = outcome_of_path(name, &two_threads, 100);
		assert_int_equal(one.ret, two.ret);
		assert_int_equal(system(command), 0);
	}
	assert_int_equal(rmdir(path), 0);
}

/* An error, little memory, and a user who stops, while much is queued. */
static void test_ending_early(void **state)
{
	char path[] = "/tmp/test_reader_unpack.XXXXXX";
	struct strbuf sb = STRBUF_INIT;
	int fd = mkstemp(path);
	size_t packed;

	(void)state;
	build_large(&sb, &packed, 0);
	assert_int_equal(write(fd, sb.buf, sb.len), sb.len);
	close(fd);
	for (unsigned int jobs = 1; jobs < 4; jobs++) {
		struct source_options options = {.force = true, .jobs = jobs};
		struct outcome o = outcome_of_path(path, &options, 2 * NR_SAMPLES);

		assert_int_equal(o.ret, -ENOSPC);
		assert_string_equal(o.err.msg, "enough");
		options.held_bytes_max = 2 << 20;
		o = outcome_of_path(path, &options, 0);
		assert_int_equal(o.samples, TIMES * NR_SAMPLES);
		options = (struct source_options){
			.force = true, .jobs = jobs, .progress = stop_at_once};
		o = outcome_of_path(path, &options, 0);
		assert_int_equal(o.ret, 0);
		assert_true(o.samples <= TIMES * NR_SAMPLES);
	}
	unlink(path);
	strbuf_deinit(&sb);
}

static void test_without_libzstd(void **state)
{
	(void)state;
	skip_because("perf is built without libzstd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_across_blocks),
		cmocka_unit_test(test_large_and_broken),
		cmocka_unit_test(test_bomb_in_the_middle),
		cmocka_unit_test(test_every_byte_of_a_small_one),
		cmocka_unit_test(test_fixtures),
		cmocka_unit_test(test_ending_early),
	};
	const struct CMUnitTest skipped[] = {cmocka_unit_test(test_without_libzstd)};

	log_set_level(LOG_QUIET);
	if (!packer_available())
		return cmocka_run_group_tests_name("unpacker", skipped, NULL, NULL);
	return cmocka_run_group_tests_name("unpacker", tests, NULL, NULL);
}
