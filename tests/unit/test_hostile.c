// SPDX-License-Identifier: GPL-2.0-or-later
/* False claims that a recording makes about itself: refused, or skipped, with their place. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/fixture/fixture.h"
#include "tests/fixture/outcome.h"
#include "tests/fixture/recording_map.h"
#include "tests/unit/skip.h"
#include "util/base/bytes.h"
#include "util/base/log.h"
#include "util/perfdata/format.h"
#include "util/session/session.h"
#include "util/tracepoint/tracing_data.h"

#define NR_SAMPLES 263

/* Offsets in the header of a file. */
enum { HEADER_SIZE = 8, ATTR_SIZE = 16, ATTRS_OFFSET = 24, ATTRS_SIZE = 32, DATA_OFFSET = 40 };

static const struct fixture_options own_file = {.big_endian = FIXTURE_HOST_ORDER, .long_size = 8};
static const struct fixture_options own_pipe = {
	.big_endian = FIXTURE_HOST_ORDER, .long_size = 8, .form = FIXTURE_PIPE};
static const struct fixture_options own_packed = {
	.big_endian = FIXTURE_HOST_ORDER, .long_size = 8, .compressed = PERF_RECORD_COMPRESSED};
static const struct fixture_options own_packed2 = {
	.big_endian = FIXTURE_HOST_ORDER, .long_size = 8, .compressed = PERF_RECORD_COMPRESSED2};

static const struct source_options forced = {.force = true}, careful = {.force = false};

static void build(const struct fixture_options *o, struct strbuf *sb)
{
	strbuf_reset(sb);
	assert_int_equal(fixture_build(o, -1, sb), 0);
}

static uint64_t get(const struct strbuf *sb, size_t at)
{
	return load_u64(sb->buf + at, false);
}

static void set(struct strbuf *sb, size_t at, uint64_t v)
{
	memcpy(sb->buf + at, &v, sizeof(v));
}

/* Where record number n of a type starts. */
static size_t record_at(const struct strbuf *sb, uint32_t type, unsigned int n)
{
	struct recording_map map;
	size_t at = 0;

	recording_map_init(&map, sb);
	for (size_t i = 0; i < map.nr_records && !at; i++)
		if (load_u32(sb->buf + map.records[i], false) == type && !n--)
			at = map.records[i];
	recording_map_deinit(&map);
	assert_true(at > 0);
	return at;
}

static void test_header_that_lies(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
		const char *want;
	} lies[] = {
		{HEADER_SIZE, 50, "at offset 0x8"},
		{ATTR_SIZE, 79, "at offset 0x10"},
		{ATTR_SIZE, 65537, "at offset 0x10"},
		{ATTRS_OFFSET, 1ull << 40, "the event table (offset 0x10000000000"},
		{ATTRS_SIZE, UINT64_MAX, "the event table (offset 0x"},
		{DATA_OFFSET, 1ull << 40, "the data (offset 0x10000000000)"},
		{DATA_OFFSET, 8, "the data (offset 0x8)"},
	};
	struct strbuf sb = STRBUF_INIT;
	struct outcome o;

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		build(&own_file, &sb);
		set(&sb, lies[i].at, lies[i].value);
		o = outcome_of_bytes(&sb, 0);
		assert_int_equal(o.ret, -EINVAL);
		if (!strstr(o.err.msg, lies[i].want))
			fail_msg("lie %zu: '%s' without '%s'", i, o.err.msg, lies[i].want);
	}
	build(&own_file, &sb);
	memcpy(sb.buf, &(uint64_t){PERFDATA_MAGIC_V1}, 8);
	o = outcome_of_bytes(&sb, 0);
	assert_int_equal(o.ret, -ENOTSUP);
	assert_non_null(strstr(o.err.msg, "version 1"));
	strbuf_deinit(&sb);
}

static void test_event_table_that_lies(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct outcome o;
	size_t attrs, section;
	char want[64];

	(void)state;
	build(&own_file, &sb);
	attrs = get(&sb, ATTRS_OFFSET);
	memcpy(sb.buf + attrs + 4, &(uint32_t){8}, 4);
	o = outcome_of_bytes(&sb, 0);
	assert_int_equal(o.ret, -EINVAL);
	snprintf(want, sizeof(want), "event 0 at offset 0x%zx", attrs);
	assert_non_null(strstr(o.err.msg, want));

	/* without ids, an event's samples belong to no event; the others' are read */
	for (int i = 0; i < 3; i++) {
		static const uint64_t lies[][2] = {{1ull << 40, 16}, {104, 1ull << 40}, {104, 15}};

		build(&own_file, &sb);
		section = attrs + get(&sb, ATTR_SIZE) - 16;
		set(&sb, section, lies[i][0]);
		set(&sb, section + 8, lies[i][1]);
		o = outcome_of_bytes(&sb, 0);
		assert_int_equal(o.ret, 0);
		assert_string_equal(o.damage.what, "the ids of event 0 lie outside the file");
		assert_true(o.samples > 0 && o.unknown_ids > 0);
		assert_int_equal(o.samples + o.unknown_ids, NR_SAMPLES);
	}
	strbuf_deinit(&sb);
}

static void test_event_of_a_pipe_that_lies(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct outcome o;
	size_t at;

	(void)state;
	build(&own_pipe, &sb);
	at = record_at(&sb, PERF_RECORD_HEADER_ATTR, 0);
	memcpy(sb.buf + at + 8 + 4, &(uint32_t){8}, 4);
	o = outcome_of_bytes(&sb, 0);
	assert_int_equal(o.ret, 0);
	assert_int_equal(o.damage.first_pos, at);
	assert_int_equal(o.damage.nr_skipped_records, 1);
	assert_non_null(strstr(o.damage.what, "too small for its fields"));
	assert_true(o.samples > 0 && o.unknown_ids > 0);
	assert_int_equal(o.samples + o.unknown_ids, NR_SAMPLES);
	strbuf_deinit(&sb);
}

/* A size that would lead past the end of the address space. */
static void test_aux_data_of_any_size(void **state)
{
	struct perf_event_header h = {.type = PERF_RECORD_AUXTRACE, .size = 48};
	struct strbuf sb = STRBUF_INIT, hole = STRBUF_INIT;
	struct outcome o;
	size_t at;

	(void)state;
	build(&own_pipe, &sb);
	at = record_at(&sb, PERF_RECORD_SAMPLE, 100);
	strbuf_add(&hole, sb.buf, at);
	strbuf_add(&hole, &h, sizeof(h));
	for (int i = 0; i < 5; i++)
		strbuf_add(&hole, &(uint64_t){UINT64_MAX}, 8);
	strbuf_add(&hole, sb.buf + at, sb.len - at);
	o = outcome_of_bytes(&hole, 0);
	assert_int_equal(o.ret, 0);
	assert_int_equal(o.samples, NR_SAMPLES);
	assert_int_equal(o.damage.first_pos, at);
	assert_int_equal(o.damage.nr_skipped_bytes, 48);
	strbuf_deinit(&sb);
	strbuf_deinit(&hole);
}

static void test_packed_records_that_lie(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct outcome o;
	size_t at;

	(void)state;
	if (!fixture_possible(&own_packed))
		skip_because("perf is built without libzstd");
	build(&own_packed2, &sb);
	at = record_at(&sb, PERF_RECORD_COMPRESSED2, 0);
	set(&sb, at + 8, UINT64_MAX);
	o = outcome_of_bytes(&sb, 0);
	assert_int_equal(o.ret, 0);
	assert_int_equal(o.damage.first_pos, at);
	assert_string_equal(o.damage.what, "a compressed record claims to be larger than it is");
	assert_true(o.samples < NR_SAMPLES);

	build(&own_packed, &sb);
	at = record_at(&sb, PERF_RECORD_COMPRESSED, 0);
	memset(sb.buf + at + 8, 0x55, 4);
	o = outcome_of_bytes(&sb, 0);
	assert_int_equal(o.ret, 0);
	assert_int_equal(o.damage.first_pos, at);
	assert_string_equal(o.damage.what, "a compressed record cannot be unpacked");
	assert_int_equal(o.samples, 0);
	strbuf_deinit(&sb);
}

static void test_files_not_to_be_read(void **state)
{
	char path[] = "/tmp/test_hostile.XXXXXX", below[64];
	struct strbuf sb = STRBUF_INIT;
	int fd = mkstemp(path);
	struct outcome o;

	(void)state;
	build(&own_file, &sb);
	assert_int_equal(write(fd, sb.buf, sb.len), sb.len);
	close(fd);
	snprintf(below, sizeof(below), "%s/data", path);
	o = outcome_of_path(below, &forced, 0);
	assert_int_equal(o.ret, -ENOTDIR);
	assert_non_null(strstr(o.err.msg, below));
	if (!chown(path, 12345, (gid_t)-1)) {
		o = outcome_of_path(path, &careful, 0);
		assert_int_equal(o.ret, -EACCES);
		assert_non_null(strstr(o.err.msg, "-f"));
		o = outcome_of_path(path, &forced, 0);
		assert_int_equal(o.samples, NR_SAMPLES);
	}
	unlink(path);
	strbuf_deinit(&sb);
}

static void add_tracing_header(struct strbuf *sb, uint8_t long_size, uint32_t page_size)
{
	strbuf_reset(sb);
	strbuf_add(sb, TRACING_DATA_MAGIC, sizeof(TRACING_DATA_MAGIC) - 1);
	strbuf_add(sb, "0.6", 4);
	strbuf_addch(sb, 0);
	strbuf_addch(sb, (char)long_size);
	strbuf_add(sb, &page_size, 4);
}

static void refuse_tracing(const struct strbuf *sb, size_t len, const char *want)
{
	struct error err = ERROR_INIT;
	struct tracing_data t;

	assert_int_equal(tracing_data_parse(&t, (const uint8_t *)sb->buf, len, &err), -EINVAL);
	if (!strstr(err.msg, want))
		fail_msg("'%s' without '%s'", err.msg, want);
}

static void test_tracing_data_that_lie(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct tracing_data t;

	(void)state;
	add_tracing_header(&sb, 5, 4096);
	refuse_tracing(&sb, sb.len, "a long has 5 bytes");
	add_tracing_header(&sb, 8, 4095);
	refuse_tracing(&sb, sb.len, "a page has 4095 bytes");
	add_tracing_header(&sb, 8, 4096);
	for (size_t len = 0; len < sb.len; len++)
		refuse_tracing(&sb, len, len < 10 ? "magic" : "end inside their header");
	/* what follows the header may be missing, or be something else */
	assert_int_equal(tracing_data_parse(&t, (const uint8_t *)sb.buf, sb.len, &err), 0);
	assert_true(t.truncated);
	tracing_data_deinit(&t);
	strbuf_add(&sb, "header_bage", 12);
	for (int i = 0; i < 100; i++)
		strbuf_addch(&sb, 0);
	assert_int_equal(tracing_data_parse(&t, (const uint8_t *)sb.buf, sb.len, &err), 0);
	assert_true(t.truncated);
	assert_int_equal(t.nr_formats, 0);
	tracing_data_deinit(&t);
	strbuf_deinit(&sb);
}

/* A consumer that truncates the file it is being given. */
struct cutter {
	const char *path;
	uint64_t left; /* bytes */
	unsigned int nr, at;
};

static int take_and_cut(void *ctx, const struct sample *sample, struct error *err)
{
	struct cutter *c = ctx;

	(void)sample, (void)err;
	if (++c->nr == c->at)
		assert_int_equal(truncate(c->path, (off_t)c->left), 0);
	return 0;
}

static void cut_while_read(const struct fixture_options *form, uint64_t left, unsigned int at)
{
	static const struct event_sink ops = {.sample = take_and_cut};
	char path[] = "/tmp/test_hostile.XXXXXX";
	struct cutter c = {.path = path, .left = left, .at = at};
	const struct source_options options = {.jobs = 3};
	struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;
	int fd = mkstemp(path);
	struct event_source *s;

	build(form, &sb);
	assert_int_equal(write(fd, sb.buf, sb.len), sb.len);
	close(fd);
	assert_int_equal(event_source_perfdata.open(path, &options, &s, &err), 0);
	assert_int_equal(event_source_read(s, &ops, &c, &err), 0);
	assert_true(c.nr >= at && c.nr < NR_SAMPLES);
	assert_true(s->facts->damage.truncated);
	assert_non_null(strstr(s->facts->damage.what, "became shorter"));
	assert_int_equal(s->facts->damage.first_pos, left);
	event_source_free(s);
	unlink(path);
	strbuf_deinit(&sb);
}

static sigjmp_buf after_fault;
static void *volatile fault_at;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	fault_at = info->si_addr;
	siglongjmp(after_fault, 1);
}

/* qemu-user 7.2 adds its guest_base to si_addr on 32-bit machines. */
static bool faults_have_their_address(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, old;
	FILE *empty = tmpfile();
	volatile char *page;

	assert_non_null(empty);
	page = mmap(NULL, 1, PROT_READ, MAP_SHARED, fileno(empty), 0);
	assert_ptr_not_equal(page, MAP_FAILED);
	sigaction(SIGBUS, &action, &old);
	if (!sigsetjmp(after_fault, 1))
		(void)*page;
	sigaction(SIGBUS, &old, NULL);
	munmap((void *)(uintptr_t)page, 1);
	fclose(empty);
	return fault_at == (void *)(uintptr_t)page;
}

static void test_file_cut_while_it_is_read(void **state)
{
	(void)state;
	if (!faults_have_their_address()) {
		skip_because("SIGBUS is reported at another address than it happened");
	}
	cut_while_read(&own_file, 0, 1);
	cut_while_read(&own_file, 0, 100);
	cut_while_read(&own_file, 4096, 100);
	cut_while_read(&own_file, 9001, 50);
	if (fixture_possible(&own_packed))
		cut_while_read(&own_packed, 0, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header_that_lies),
		cmocka_unit_test(test_event_table_that_lies),
		cmocka_unit_test(test_event_of_a_pipe_that_lies),
		cmocka_unit_test(test_aux_data_of_any_size),
		cmocka_unit_test(test_packed_records_that_lie),
		cmocka_unit_test(test_files_not_to_be_read),
		cmocka_unit_test(test_tracing_data_that_lie),
		cmocka_unit_test(test_file_cut_while_it_is_read),
	};

	log_set_level(LOG_QUIET);
	return cmocka_run_group_tests_name("hostile", tests, NULL, NULL);
}
