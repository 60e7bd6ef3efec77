// SPDX-License-Identifier: GPL-2.0-or-later
/* Parts of the reader that the fixtures do not cover: large pipes, damage inside records, errors.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/fixture/fixture.h"
#include "tests/fixture/recording_map.h"
#include "util/base/bytes.h"
#include "util/base/log.h"
#include "util/perfdata/format.h"
#include "util/session/feature.h"
#include "util/session/session.h"

#define NR_SAMPLES 263

static const struct fixture_options own_file = {.big_endian = FIXTURE_HOST_ORDER, .long_size = 8};
static const struct fixture_options own_pipe = {
	.big_endian = FIXTURE_HOST_ORDER, .long_size = 8, .form = FIXTURE_PIPE};

static int count(void *ctx, const struct sample *sample, struct error *err)
{
	(void)sample, (void)err;
	++*(unsigned int *)ctx;
	return 0;
}

static int read_path(const char *path, uint64_t held, unsigned int *ret_nr,
		     struct source_damage *ret_damage, struct error *err)
{
	static const struct event_sink ops = {.sample = count};
	const struct source_options options = {.force = true, .held_bytes_max = held};
	struct event_source *s;
	int ret = event_source_perfdata.open(path, &options, &s, err);

	*ret_nr = 0;
	if (ret)
		return ret;
	ret = event_source_read(s, &ops, ret_nr, err);
	*ret_damage = s->facts->damage;
	ret_damage->nr_unknown_records = s->facts->nr_unknown_ids;
	event_source_free(s);
	return ret;
}

static int read_bytes(const struct strbuf *sb, unsigned int *ret_nr,
		      struct source_damage *ret_damage)
{
	char path[] = "/tmp/test_reader.XXXXXX";
	struct error err = ERROR_INIT;
	int fd = mkstemp(path), ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, sb->buf, sb->len), sb->len);
	close(fd);
	ret = read_path(path, 0, ret_nr, ret_damage, &err);
	unlink(path);
	return ret;
}

/* Bytes, then zeros, then bytes, through a pipe filled by a child. */
static int read_pipe(const struct strbuf *head, uint64_t zeros, const struct strbuf *tail,
		     uint64_t held, unsigned int *ret_nr, struct source_damage *ret_damage)
{
	int fds[2], saved = dup(STDIN_FILENO), ret;
	struct error err = ERROR_INIT;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		FILE *out = fdopen(fds[1], "w");

		close(fds[0]);
		fwrite(head->buf, 1, head->len, out);
		while (zeros--)
			fputc(0, out);
		fwrite(tail->buf, 1, tail->len, out);
		fclose(out);
		_exit(0);
	}
	close(fds[1]);
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	ret = read_path("-", held, ret_nr, ret_damage, &err);
	dup2(saved, STDIN_FILENO);
	close(saved);
	waitpid(pid, NULL, 0);
	return ret;
}

/* The stream, split after its descriptions: records and rounds from there on. */
static void split_pipe(struct strbuf *head, struct strbuf *tail)
{
	struct strbuf all = STRBUF_INIT;
	struct recording_map map;
	size_t at;

	assert_int_equal(fixture_build(&own_pipe, -1, &all), 0);
	recording_map_init(&map, &all);
	at = map.regions[REGION_TRACING].to;
	strbuf_add(head, all.buf, at);
	strbuf_add(tail, all.buf + at, all.len - at);
	recording_map_deinit(&map);
	strbuf_deinit(&all);
}

static void test_aux_data_in_a_pipe_is_skipped(void **state)
{
	const uint64_t aux_bytes = 70ull << 20;
	struct strbuf head = STRBUF_INIT, tail = STRBUF_INIT, aux = STRBUF_INIT;
	struct perf_event_header h = {.type = PERF_RECORD_AUXTRACE, .size = 48};
	struct source_damage damage = {0};
	unsigned int nr = 0;

	(void)state;
	split_pipe(&head, &tail);
	strbuf_add(&aux, head.buf, head.len);
	strbuf_add(&aux, tail.buf, tail.len);
	strbuf_add(&aux, &h, sizeof(h));
	strbuf_add(&aux, &aux_bytes, 8);
	/* the rest of the record's own fields is zeros, too */
	assert_int_equal(read_pipe(&aux, 32 + aux_bytes, &tail, 0, &nr, &damage), 0);
	assert_int_equal(nr, 2 * NR_SAMPLES);
	assert_string_equal(damage.what, "");
	assert_int_equal(read_pipe(&aux, 32 + aux_bytes / 2, &head, 0, &nr, &damage), 0);
	assert_int_equal(nr, NR_SAMPLES);
	assert_true(damage.truncated);
	strbuf_deinit(&head);
	strbuf_deinit(&tail);
	strbuf_deinit(&aux);
}

/* 50 times the scenario: megabytes, records that cross the reader's buffers. */
static void test_large_pipe(void **state)
{
	struct strbuf head = STRBUF_INIT, tail = STRBUF_INIT, many = STRBUF_INIT;
	struct source_damage damage = {0};
	unsigned int nr = 0;

	(void)state;
	split_pipe(&head, &tail);
	for (int i = 0; i < 150; i++)
		strbuf_add(&many, tail.buf, tail.len);
	assert_true(many.len > 3 << 20);
	assert_int_equal(read_pipe(&head, 0, &many, 0, &nr, &damage), 0);
	assert_int_equal(nr, 150 * NR_SAMPLES);
	assert_string_equal(damage.what, "");
	/* few may wait: only the order suffers */
	assert_int_equal(read_pipe(&head, 0, &many, 1 << 20, &nr, &damage), 0);
	assert_int_equal(nr, 150 * NR_SAMPLES);
	/* a hole in the middle */
	assert_int_equal(read_pipe(&head, 0, &many, 3 << 20, &nr, &damage), 0);
	memset(many.buf + many.len / 2, 0xff, 4000);
	assert_int_equal(read_pipe(&head, 0, &many, 0, &nr, &damage), 0);
	assert_in_range(nr, 150 * NR_SAMPLES - 60, 150 * NR_SAMPLES - 1);
	assert_true(damage.nr_skipped_records > 0);
	strbuf_deinit(&head);
	strbuf_deinit(&tail);
	strbuf_deinit(&many);
}

/* Position of sample number n in the file. */
static size_t sample_at(const struct strbuf *file, unsigned int n)
{
	struct recording_map map;
	size_t at = 0;

	recording_map_init(&map, file);
	for (size_t i = 0; i < map.nr_records; i++) {
		at = map.records[i];
		if (load_u32(file->buf + at, false) == PERF_RECORD_SAMPLE && !n--)
			break;
	}
	recording_map_deinit(&map);
	return at;
}

static void test_damage_inside_a_sample(void **state)
{
	struct strbuf file = STRBUF_INIT;
	struct source_damage damage = {0};
	unsigned int nr = 0;
	size_t at;

	(void)state;
	assert_int_equal(fixture_build(&own_file, -1, &file), 0);
	/* raw data larger than the record: header, 6 fields, then the size */
	at = sample_at(&file, 10);
	memset(file.buf + at + 8 + 6 * 8, 0x7f, 4);
	assert_int_equal(read_bytes(&file, &nr, &damage), 0);
	assert_int_equal(nr, NR_SAMPLES - 1);
	assert_int_equal(damage.nr_skipped_records, 1);
	assert_int_equal(damage.first_pos, at);
	assert_non_null(strstr(damage.what, "SAMPLE"));
	/* an unknown id */
	assert_int_equal(fixture_build(&own_file, -1, &file), 0);
	memset(file.buf + at + 8, 0x11, 8);
	assert_int_equal(read_bytes(&file, &nr, &damage), 0);
	assert_int_equal(nr, NR_SAMPLES - 1);
	assert_int_equal(damage.nr_unknown_records, 1);
	/* an unknown type, with a size that leads nowhere */
	assert_int_equal(fixture_build(&own_file, -1, &file), 0);
	memset(file.buf + at, 0x66, 4);
	file.buf[at + 6] = 48;
	assert_int_equal(read_bytes(&file, &nr, &damage), 0);
	assert_int_equal(nr, NR_SAMPLES - 1);
	assert_int_equal(damage.first_pos, at);
	strbuf_deinit(&file);
}

static void test_directory_with_holes(void **state)
{
	static const struct fixture_options o = {.long_size = 8, .form = FIXTURE_DIRECTORY};
	char dir[] = "/tmp/test_reader.XXXXXX", path[64];
	struct error err = ERROR_INIT;
	struct source_damage damage = {0};
	unsigned int nr = 0;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(read_path(dir, 0, &nr, &damage, &err), -ENOENT);
	assert_int_equal(fixture_write(&o, dir), 0);
	snprintf(path, sizeof(path), "%s/data.1", dir);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(read_path(dir, 0, &nr, &damage, &err), 0);
	assert_in_range(nr, NR_SAMPLES / 2, NR_SAMPLES - 1);
	/* one not a file, one empty, one truncated */
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/data.2", dir);
	assert_int_equal(truncate(path, 0), 0);
	snprintf(path, sizeof(path), "%s/data.3", dir);
	assert_int_equal(truncate(path, 1000), 0);
	assert_int_equal(read_path(dir, 0, &nr, &damage, &err), 0);
	assert_true(nr > 50);
	assert_non_null(strstr(damage.what, "data.1: "));
	assert_true(damage.truncated);
	snprintf(path, sizeof(path), "rm -r %s", dir);
	assert_int_equal(system(path), 0);
}

static void test_errors_name_the_file(void **state)
{
	char path[] = "/tmp/test_reader.XXXXXX";
	struct strbuf file = STRBUF_INIT, none = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct source_damage damage = {0};
	unsigned int nr = 0;
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	assert_int_equal(read_path(path, 0, &nr, &damage, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "is empty"));
	unlink(path);
	assert_int_equal(read_path(path, 0, &nr, &damage, &err), -ENOENT);
	assert_non_null(strstr(err.msg, path));
	/* a file through a pipe must be stored */
	assert_int_equal(fixture_build(&own_file, -1, &file), 0);
	setenv("TMPDIR", "/nonexistent", 1);
	assert_int_equal(read_pipe(&file, 0, &none, 0, &nr, &damage), -ENOENT);
	unsetenv("TMPDIR");
	assert_int_equal(read_pipe(&file, 0, &none, 0, &nr, &damage), 0);
	assert_int_equal(nr, NR_SAMPLES);
	strbuf_deinit(&file);
}

/* Features with arbitrary bytes, cut anywhere: at worst they are ignored. */
static void test_features_of_any_bytes(void **state)
{
	static const uint8_t patterns[] = {0, 1, 0x31, 0xff};
	uint8_t bytes[256];
	struct recording r;

	(void)state;
	recording_init(&r);
	for (unsigned int bit = 0; bit < PERFDATA_FEATURE_BITS; bit++)
		for (size_t p = 0; p < sizeof(patterns); p++)
			for (size_t len = 0; len <= sizeof(bytes); len += 3) {
				memset(bytes, patterns[p], sizeof(bytes));
				bytes[3] = 0;
				assert_int_equal(
					feature_read(&r, bit, bytes_make(bytes, len, false)), 0);
				assert_int_equal(
					feature_read(&r, bit, bytes_make(bytes, len, true)), 0);
			}
	recording_deinit(&r);
}

static void numa(struct recording *r, const char *list)
{
	struct strbuf sb = STRBUF_INIT;
	uint32_t one = 1, len = (uint32_t)strlen(list) + 1;
	uint64_t zero[2] = {0};

	strbuf_add(&sb, &one, 4);
	strbuf_add(&sb, &one, 4);
	strbuf_add(&sb, zero, 16);
	strbuf_add(&sb, &len, 4);
	strbuf_add(&sb, list, len);
	assert_int_equal(feature_read(r, HEADER_NUMA_TOPOLOGY, bytes_make(sb.buf, sb.len, false)),
			 0);
	strbuf_deinit(&sb);
}

static void test_numa_lists(void **state)
{
	struct recording r;

	(void)state;
	recording_init(&r);
	numa(&r, "0-1,5000\n");
	assert_int_equal(source_facts_cpu_node(&r.facts, 1), 1);
	assert_int_equal(source_facts_cpu_node(&r.facts, 2), NUMA_NO_NODE);
	assert_int_equal(source_facts_cpu_node(&r.facts, 5000), 1);
	numa(&r, "0-65535,0-65535");
	numa(&r, "7-3");
	numa(&r, "1-");
	numa(&r, "x");
	numa(&r, "1x");
	recording_deinit(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aux_data_in_a_pipe_is_skipped),
		cmocka_unit_test(test_large_pipe),
		cmocka_unit_test(test_damage_inside_a_sample),
		cmocka_unit_test(test_directory_with_holes),
		cmocka_unit_test(test_errors_name_the_file),
		cmocka_unit_test(test_features_of_any_bytes),
		cmocka_unit_test(test_numa_lists),
	};

	log_set_level(LOG_QUIET);
	return cmocka_run_group_tests_name("reader", tests, NULL, NULL);
}
