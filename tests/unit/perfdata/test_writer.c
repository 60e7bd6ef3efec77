// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/scratch_file.h"
#include "tests/unit/skip.h"
#include "util/perfdata/writer.h"
#include "util/session/session.h"

static const uint64_t ids[] = {7, 8};
static const struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr)};

static void begin(struct perfdata_writer *w, const struct scratch_file *f)
{
	const struct perfdata_writer_attr a = {&attr, ids, 2};

	assert_int_equal(perfdata_writer_open(w, f->path, NULL, NULL), 0);
	assert_int_equal(perfdata_writer_begin(w, &a, 1, NULL), 0);
}

static void append(struct perfdata_writer *w)
{
	struct perf_event_header h[2] = {{.type = PERF_RECORD_FINISHED_ROUND, .size = 8},
					 {.type = PERF_RECORD_FINISHED_ROUND, .size = 8}};
	struct iovec pieces[2] = {{&h[0], 8}, {&h[1], 8}};

	assert_int_equal(perfdata_writer_append(w, pieces, 2, NULL), 0);
}

static struct strbuf content(const struct scratch_file *f)
{
	struct strbuf sb = STRBUF_INIT;

	assert_int_equal(strbuf_read_file(&sb, f->path), 0);
	return sb;
}

static void test_file(void **state)
{
	struct perfdata_features features = PERFDATA_FEATURES_INIT;
	struct perfdata_section *table;
	struct perfdata_header h;
	struct perfdata_writer w;
	struct scratch_file f;
	struct strbuf sb;
	uint32_t len;

	(void)state;
	scratch_file_init(&f);
	begin(&w, &f);
	assert_int_equal(access(f.path, F_OK), -1);
	assert_int_equal(perfdata_writer_publish(&w, NULL), 0);
	append(&w);

	/* Unfinished: complete except for the sizes. */
	sb = content(&f);
	memcpy(&h, sb.buf, sizeof(h));
	assert_true(h.magic == PERFDATA_MAGIC);
	assert_int_equal(h.data.size, 0);
	assert_int_equal(h.features[0], 0);
	assert_int_equal(sb.len, h.data.offset + 16);
	strbuf_deinit(&sb);

	perfdata_features_set_string(&features, HEADER_RECORDING_INFO, "x");
	perfdata_features_set_string(&features, HEADER_HOSTNAME, "host");
	assert_int_equal(perfdata_writer_finish(&w, &features, NULL), 0);
	perfdata_features_deinit(&features);
	perfdata_writer_deinit(&w);

	sb = content(&f);
	memcpy(&h, sb.buf, sizeof(h));
	assert_int_equal(h.size, PERFDATA_HEADER_SIZE);
	assert_int_equal(h.attr_size, sizeof(attr) + 16);
	assert_int_equal(h.attrs.offset, PERFDATA_HEADER_SIZE + sizeof(ids));
	assert_int_equal(h.attrs.size, h.attr_size);
	assert_memory_equal(sb.buf + PERFDATA_HEADER_SIZE, ids, sizeof(ids));
	assert_memory_equal(sb.buf + h.attrs.offset, &attr, sizeof(attr));
	assert_int_equal(h.data.offset, h.attrs.offset + h.attrs.size);
	assert_int_equal(h.data.size, 16);
	assert_int_equal(h.features[0], 1ULL << HEADER_HOSTNAME);
	assert_int_equal(h.features[3], 1ULL << (HEADER_RECORDING_INFO - 192));
	table = (struct perfdata_section *)(sb.buf + h.data.offset + 16);
	assert_int_equal(table[0].offset, h.data.offset + 16 + 32);
	assert_int_equal(table[1].offset, table[0].offset + table[0].size);
	assert_int_equal(sb.len, table[1].offset + table[1].size);
	memcpy(&len, sb.buf + table[0].offset, sizeof(len));
	assert_int_equal(len + 4, table[0].size);
	assert_string_equal(sb.buf + table[0].offset + 4, "host");
	strbuf_deinit(&sb);
	scratch_file_deinit(&f);
}

static void test_unpublished_leaves_nothing(void **state)
{
	struct perfdata_writer w;
	struct scratch_file f;
	struct strbuf sb;
	FILE *file;

	(void)state;
	scratch_file_init(&f);
	file = fopen(f.path, "w");
	assert_non_null(file);
	fputs("earlier", file);
	fclose(file);
	begin(&w, &f);
	append(&w);
	perfdata_writer_deinit(&w);
	sb = content(&f);
	assert_string_equal(sb.buf, "earlier");
	strbuf_deinit(&sb);
	assert_int_equal(access(f.old, F_OK), -1);

	begin(&w, &f);
	assert_int_equal(perfdata_writer_publish(&w, NULL), 0);
	perfdata_writer_deinit(&w);
	assert_int_equal(access(f.old, F_OK), 0);
	scratch_file_deinit(&f);
}

/* A pipe, which takes no more than its buffer, stands in for a full disk. */
static void test_full(void **state)
{
	static uint8_t big[200 * 1024];
	struct perf_event_header *h;
	struct iovec pieces[2];
	struct perfdata_writer w = PERFDATA_WRITER_INIT;
	int fds[2];
	uint64_t record = 1000, whole;

	(void)state;
	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	for (uint64_t at = 0; at + record <= sizeof(big); at += record) {
		h = (void *)(big + at);
		h->size = (uint16_t)record;
	}
	w.file.fd = fds[1];
	w.file.path = strdup("pipe");
	/* The first piece ends inside a record. */
	pieces[0] = (struct iovec){big, 1496};
	pieces[1] = (struct iovec){big + 1496, sizeof(big) - 1496};
	assert_int_equal(perfdata_writer_append(&w, pieces, 2, NULL), -EAGAIN);
	whole = w.pos;
	assert_int_equal(whole % record, 0);
	assert_in_range(whole, 50000, 65536 + 1496);
	perfdata_writer_deinit(&w);
	close(fds[0]);
}

static int count(void *ctx, const struct sample *sample, struct error *err)
{
	(void)sample, (void)err;
	++*(unsigned int *)ctx;
	return 0;
}

/* Compressed records: type 81 in the file, and the appended ones for the reader. */
static void test_compressed(void **state)
{
	static const struct source_options options = {.force = true};
	static const struct event_sink ops = {.sample = count};
	struct perfdata_features features = PERFDATA_FEATURES_INIT;
	struct perf_event_header h[64];
	struct iovec piece = {h, sizeof(h)};
	struct error err = ERROR_INIT;
	struct perfdata_writer w;
	struct event_source *session;
	unsigned int nr = 0;
	struct scratch_file f;
	struct strbuf sb;
	uint32_t type;
	int ret;

	(void)state;
	scratch_file_init(&f);
	assert_int_equal(perfdata_writer_open(&w, f.path, NULL, NULL), 0);
	ret = perfdata_writer_compress(&w, 1, &err);
	if (!packer_available()) {
		assert_int_equal(ret, -ENOTSUP);
		perfdata_writer_deinit(&w);
		scratch_file_deinit(&f);
		return;
	}
	assert_int_equal(ret, 0);
	assert_int_equal(
		perfdata_writer_begin(&w, &(struct perfdata_writer_attr){&attr, ids, 2}, 1, NULL),
		0);
	assert_int_equal(perfdata_writer_publish(&w, NULL), 0);
	for (int i = 0; i < 64; i++)
		h[i] = (struct perf_event_header){.type = PERF_RECORD_SAMPLE, .size = 8};
	for (int i = 0; i < 100; i++)
		assert_int_equal(perfdata_writer_append(&w, &piece, 1, NULL), 0);
	assert_in_range(perfdata_writer_data_size(&w), 1, 100 * sizeof(h) / 4);
	assert_int_equal(perfdata_writer_finish(&w, &features, NULL), 0);
	sb = content(&f);
	memcpy(&type, sb.buf + w.header.data.offset, 4);
	assert_int_equal(type, PERF_RECORD_COMPRESSED);
	strbuf_deinit(&sb);
	perfdata_writer_deinit(&w);
	assert_int_equal(event_source_perfdata.open(f.path, &options, &session, &err), 0);
	assert_int_equal(event_source_read(session, &ops, &nr, &err), 0);
	assert_string_equal(session->facts->damage.what, "");
	assert_int_equal(nr, 100 * 64);
	event_source_free(session);
	scratch_file_deinit(&f);
}

/* Changing levels, among them 0 (uncompressed). */
static int next_level(void *ctx)
{
	static const int levels[] = {3, 3, 1, 0, 1, 19, 0, 0, 2};
	unsigned int *n = ctx;

	return levels[(*n)++ % (sizeof(levels) / sizeof(levels[0]))];
}

/* However a chunk was packed, a reader of the file gets all records, in order. */
static void test_levels(void **state)
{
	enum { NR = 40000 };
	static const struct source_options options = {.force = true};
	static const struct event_sink ops = {.sample = count};
	struct perfdata_features features = PERFDATA_FEATURES_INIT;
	struct perf_event_header *h = calloc(NR, 2 * sizeof(*h));
	struct iovec pieces[3] = {{h, 4096}, {h + 512, 16}, {h + 514, NR * 16 - 4112}};
	unsigned int asked = 0, nr = 0;
	const struct perfdata_writer_hooks hooks = {.level = next_level, .ctx = &asked};
	struct error err = ERROR_INIT;
	struct perfdata_writer w;
	struct event_source *session;
	struct scratch_file f;

	(void)state;
	if (!packer_available()) {
		free(h);
		skip_because("perf is built without libzstd");
	}
	scratch_file_init(&f);
	assert_int_equal(perfdata_writer_open(&w, f.path, &hooks, NULL), 0);
	assert_int_equal(perfdata_writer_compress(&w, 3, &err), 0);
	assert_int_equal(
		perfdata_writer_begin(&w, &(struct perfdata_writer_attr){&attr, ids, 2}, 1, NULL),
		0);
	assert_int_equal(perfdata_writer_publish(&w, NULL), 0);
	for (int i = 0; i < NR; i++)
		h[2 * i] = (struct perf_event_header){.type = PERF_RECORD_SAMPLE, .size = 16};
	for (int i = 0; i < 10; i++)
		assert_int_equal(perfdata_writer_append(&w, pieces, 3, NULL), 0);
	assert_true(asked >= 10 * NR * 16 / PACKER_CHUNK);
	assert_int_equal(perfdata_writer_finish(&w, &features, NULL), 0);
	perfdata_writer_deinit(&w);
	assert_int_equal(event_source_perfdata.open(f.path, &options, &session, &err), 0);
	assert_int_equal(event_source_read(session, &ops, &nr, &err), 0);
	assert_string_equal(session->facts->damage.what, "");
	assert_int_equal(nr, 10 * NR);
	event_source_free(session);
	scratch_file_deinit(&f);
	free(h);
}

/* A disk that fills up while records are compressed: the bytes in the file are counted to the
 * record. */
static void test_full_packed(void **state)
{
	enum { NR = 60000, SIZE = 32 };
	static const struct source_options options = {.force = true};
	static const struct event_sink ops = {.sample = count};
	struct perfdata_features features = PERFDATA_FEATURES_INIT;
	uint8_t *records = calloc(NR, SIZE);
	struct iovec piece = {records, NR * SIZE};
	struct rlimit old, small = {.rlim_cur = 600000};
	struct error err = ERROR_INIT;
	struct perfdata_writer w;
	struct event_source *session;
	unsigned int nr = 0;
	struct scratch_file f;
	uint32_t x = 1;
	int ret;

	(void)state;
	if (!packer_available()) {
		free(records);
		skip_because("perf is built without libzstd");
	}
	for (size_t i = 0; i < NR * SIZE; i++) {
		x = x * 1103515245 + 12345;
		records[i] = (uint8_t)(x >> 16 & 0x3f);
	}
	for (size_t i = 0; i < NR; i++)
		memcpy(records + i * SIZE,
		       &(struct perf_event_header){.type = PERF_RECORD_SAMPLE, .size = SIZE}, 8);
	scratch_file_init(&f);
	assert_int_equal(perfdata_writer_open(&w, f.path, NULL, NULL), 0);
	assert_int_equal(perfdata_writer_compress(&w, 1, NULL), 0);
	assert_int_equal(
		perfdata_writer_begin(&w, &(struct perfdata_writer_attr){&attr, ids, 2}, 1, NULL),
		0);
	assert_int_equal(perfdata_writer_publish(&w, NULL), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small.rlim_max = old.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	ret = perfdata_writer_append(&w, &piece, 1, NULL);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(ret, -EFBIG);
	assert_int_equal(w.kept % SIZE, 0);
	assert_in_range(w.kept, PACKER_CHUNK / 2, NR * SIZE - 1);
	assert_int_equal(perfdata_writer_finish(&w, &features, NULL), 0);
	assert_int_equal(event_source_perfdata.open(f.path, &options, &session, &err), 0);
	assert_int_equal(event_source_read(session, &ops, &nr, &err), 0);
	assert_string_equal(session->facts->damage.what, "");
	assert_int_equal(nr, w.kept / SIZE);
	perfdata_writer_deinit(&w);
	event_source_free(session);
	scratch_file_deinit(&f);
	free(records);
}

/* It is reported if somebody removes the file, or takes its name. */
static void test_taken_away(void **state)
{
	struct error err = ERROR_INIT;
	struct perfdata_writer w, other;
	struct scratch_file f;

	(void)state;
	scratch_file_init(&f);
	begin(&w, &f);
	assert_int_equal(out_file_check(&w.file, NULL), 0);
	assert_int_equal(perfdata_writer_publish(&w, NULL), 0);
	assert_int_equal(out_file_check(&w.file, NULL), 0);
	begin(&other, &f);
	assert_int_equal(perfdata_writer_publish(&other, NULL), 0);
	assert_int_equal(out_file_check(&other.file, NULL), 0);
	assert_int_equal(out_file_check(&w.file, &err), -ESTALE);
	assert_non_null(strstr(err.msg, f.old));
	assert_int_equal(unlink(f.old), 0);
	assert_int_equal(out_file_check(&w.file, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "removed"));
	perfdata_writer_deinit(&w);
	perfdata_writer_deinit(&other);
	scratch_file_deinit(&f);
}

/* A name of the maximum length, which leaves no room for NAME.old. */
static void test_long_names(void **state)
{
	struct error err = ERROR_INIT;
	struct perfdata_writer w;
	char path[400];
	struct scratch_file f;
	int n;

	(void)state;
	scratch_file_init(&f);
	n = snprintf(path, sizeof(path), "%s/", f.dir);
	memset(path + n, 'x', 256);
	path[n + 256] = '\0';
	assert_int_equal(perfdata_writer_open(&w, path, NULL, &err), -ENAMETOOLONG);
	perfdata_writer_deinit(&w);
	path[n + 255] = '\0';
	assert_int_equal(perfdata_writer_open(&w, path, NULL, NULL), 0);
	assert_int_equal(perfdata_writer_publish(&w, NULL), 0);
	perfdata_writer_deinit(&w);
	assert_int_equal(perfdata_writer_open(&w, path, NULL, &err), -ENAMETOOLONG);
	assert_non_null(strstr(err.msg, "cannot keep"));
	perfdata_writer_deinit(&w);
	assert_int_equal(unlink(path), 0);
	scratch_file_deinit(&f);
}

static void refuse_open(const char *path, int want)
{
	struct error err = ERROR_INIT;
	struct perfdata_writer w;

	assert_int_equal(perfdata_writer_open(&w, path, NULL, &err), want);
	assert_non_null(strstr(err.msg, path));
	perfdata_writer_deinit(&w);
}

static void test_errors_name_the_file(void **state)
{
	const struct perfdata_writer_attr a = {&attr, ids, 2};
	struct error err = ERROR_INIT;
	struct perfdata_writer w;
	struct scratch_file f;
	char inside[160];

	(void)state;
	scratch_file_init(&f);
	refuse_open(f.dir, -EISDIR);
	snprintf(inside, sizeof(inside), "%s/none/x", f.dir);
	refuse_open(inside, -ENOENT);
	/* an earlier recording that cannot be kept is left unchanged */
	begin(&w, &f);
	assert_int_equal(mkdir(f.old, 0700), 0);
	assert_int_equal(close(open(f.path, O_CREAT | O_WRONLY, 0600)), 0);
	assert_int_equal(perfdata_writer_publish(&w, &err), -EISDIR);
	assert_non_null(strstr(err.msg, f.old));
	perfdata_writer_deinit(&w);
	assert_int_equal(access(f.path, F_OK), 0);
	assert_int_equal(rmdir(f.old), 0);
	scratch_file_deinit(&f);

	assert_int_equal(perfdata_writer_open(&w, "/dev/full", NULL, NULL), 0);
	assert_int_equal(perfdata_writer_begin(&w, &a, 1, &err), -ENOSPC);
	assert_non_null(strstr(err.msg, "'/dev/full'"));
	perfdata_writer_deinit(&w);
}

static void test_features_sorted(void **state)
{
	struct perfdata_features f = PERFDATA_FEATURES_INIT;
	const uint64_t v[] = {1, 2};

	(void)state;
	assert_int_equal(perfdata_features_set_u64(&f, HEADER_SAMPLE_TIME, v, 2), 0);
	assert_int_equal(perfdata_features_set_string(&f, HEADER_ARCH, "a"), 0);
	assert_int_equal(perfdata_features_set_string(&f, HEADER_ARCH, "again"), 0);
	assert_int_equal(perfdata_features_set_string(&f, HEADER_CPUDESC, "c"), 0);
	assert_int_equal(f.nr, 3);
	assert_int_equal(f.v[0].bit, HEADER_ARCH);
	assert_string_equal(f.v[0].bytes.buf + 4, "again");
	assert_int_equal(f.v[1].bit, HEADER_CPUDESC);
	assert_int_equal(f.v[2].bytes.len, 16);
	perfdata_features_deinit(&f);
}

static void test_build_id(void **state)
{
	const uint8_t id[20] = {1, 2, 3, [19] = 20};
	struct strbuf sb = STRBUF_INIT;
	struct perfdata_build_id b;

	(void)state;
	assert_int_equal(feature_add_build_id(&sb, "[kernel.kallsyms]", id, 20), 0);
	memcpy(&b, sb.buf, sizeof(b));
	assert_int_equal(sizeof(b), 36);
	assert_int_equal(b.header.size, sb.len);
	assert_int_equal(sb.len, 36 + 18 + 2); /* a multiple of 8 */
	assert_memory_equal(b.build_id, id, 20);
	assert_int_equal(b.size, 20);
	assert_string_equal(sb.buf + sizeof(b), "[kernel.kallsyms]");
	strbuf_deinit(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_unpublished_leaves_nothing),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_features_sorted),
		cmocka_unit_test(test_build_id),
		cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_full_packed),
		cmocka_unit_test(test_taken_away),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_errors_name_the_file),
	};

	return cmocka_run_group_tests_name("writer", tests, NULL, NULL);
}
