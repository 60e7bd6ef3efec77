// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading reports its progress and stops on request: a stream of a few megabytes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/fixture/fixture.h"
#include "tests/fixture/recording_map.h"
#include "util/base/bytes.h"
#include "util/perfdata/format.h"
#include "util/session/session.h"

/* Copies of the fixture's samples: more than are reported at once, even without rounds. */
#define REPEATS	   400
#define NR_SAMPLES (REPEATS * 263)

/* The caller: records its arguments, and stops reading at that call. */
struct caller {
	unsigned int calls, stop_at;
	uint64_t bytes, bytes_total, nr_samples; /* as last reported */
	uint64_t seen;				 /* samples that reached the consumer */
};

static int tell(void *ctx, uint64_t bytes, uint64_t bytes_total, uint64_t nr_samples)
{
	struct caller *c = ctx;

	assert_true(bytes >= c->bytes);
	assert_true(nr_samples >= c->nr_samples);
	if (bytes_total)
		assert_true(bytes <= bytes_total);
	c->bytes = bytes;
	c->bytes_total = bytes_total;
	c->nr_samples = nr_samples;
	return ++c->calls == c->stop_at;
}

static int take(void *ctx, const struct sample *sample, struct error *err)
{
	struct caller *c = ctx;

	(void)sample, (void)err;
	c->seen++;
	return 0;
}

static struct strbuf stream;
static char stream_path[] = "/tmp/test_read_progress.XXXXXX";

/* rounds: whether FINISHED_ROUND records end them. */
static void make_stream(bool rounds)
{
	static const struct fixture_options pipe_form = {
		.big_endian = FIXTURE_HOST_ORDER, .long_size = 8, .form = FIXTURE_PIPE};
	struct strbuf all = STRBUF_INIT;
	struct recording_map map;
	FILE *file;
	size_t at;

	assert_int_equal(fixture_build(&pipe_form, -1, &all), 0);
	recording_map_init(&map, &all);
	at = map.regions[REGION_TRACING].to;
	strbuf_init(&stream);
	strbuf_add(&stream, all.buf, at);
	for (int i = 0; i < REPEATS; i++) {
		for (size_t pos = at; pos < all.len;) {
			const uint8_t *rec = (const uint8_t *)all.buf + pos;
			uint16_t size = load_u16(rec + 6, false);

			if (rounds || load_u32(rec, false) != PERF_RECORD_FINISHED_ROUND)
				strbuf_add(&stream, rec, size);
			pos += size;
		}
	}
	recording_map_deinit(&map);
	strbuf_deinit(&all);
	file = fopen(stream_path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(stream.buf, 1, stream.len, file), stream.len);
	assert_int_equal(fclose(file), 0);
}

static int make_file(void **state)
{
	int fd = mkstemp(stream_path);

	(void)state;
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static int remove_file(void **state)
{
	(void)state;
	unlink(stream_path);
	return 0;
}

static int make_rounds(void **state)
{
	(void)state;
	make_stream(true);
	return 0;
}

static int make_no_rounds(void **state)
{
	(void)state;
	make_stream(false);
	return 0;
}

static int free_stream(void **state)
{
	(void)state;
	strbuf_deinit(&stream);
	return 0;
}

static void read_path(const char *path, unsigned int jobs, struct caller *c,
		      struct source_stop *ret_stop)
{
	static const struct event_sink ops = {.sample = take};
	const struct source_options options = {
		.force = true, .jobs = jobs, .progress = tell, .progress_ctx = c};
	struct error err = ERROR_INIT;
	const struct source_facts *r;
	struct event_source *s;

	assert_int_equal(event_source_perfdata.open(path, &options, &s, &err), 0);
	assert_int_equal(event_source_read(s, &ops, c, &err), 0);
	r = s->facts;
	*ret_stop = r->stop;
	assert_int_equal(r->damage.truncated, r->stop.stopped);
	assert_string_equal(r->damage.what, "");
	assert_int_equal(c->seen, r->nr_samples);
	event_source_free(s);
}

static void test_a_file_is_told_to_its_end(void **state)
{
	struct caller c = {0};
	struct source_stop stop;

	(void)state;
	read_path(stream_path, 2, &c, &stop);
	assert_false(stop.stopped);
	assert_int_equal(c.seen, NR_SAMPLES);
	assert_true(c.calls >= 4);
	assert_true(c.bytes > stream.len / 2);
	assert_int_equal(c.bytes_total, stream.len);
}

static void test_stopping_accounts_what_was_read(void **state)
{
	(void)state;
	for (unsigned int jobs = 1; jobs <= 2; jobs++) {
		struct caller c = {.stop_at = 3};
		struct source_stop stop;

		read_path(stream_path, jobs, &c, &stop);
		assert_true(stop.stopped);
		/* all records read, not only those in order when the caller stopped */
		assert_true(c.seen > c.nr_samples && c.seen < NR_SAMPLES);
		assert_true(stop.bytes >= c.bytes && stop.bytes < stream.len);
		assert_int_equal(stop.bytes_total, stream.len);
		assert_in_range((double)c.seen / NR_SAMPLES * 100,
				(double)stop.bytes / (double)stream.len * 100 - 2,
				(double)stop.bytes / (double)stream.len * 100 + 2);
	}
}

/* Without rounds all the work is done at the end: it also shows progress and can be stopped. */
static void test_without_rounds_the_handing_out_is_told(void **state)
{
	struct caller c = {0}, stopped = {0};
	struct source_stop stop;

	(void)state;
	read_path(stream_path, 2, &c, &stop);
	assert_int_equal(c.seen, NR_SAMPLES);
	assert_in_range(c.bytes, stream.len / 2, stream.len - 1);
	stopped.stop_at = c.calls;
	read_path(stream_path, 2, &stopped, &stop);
	assert_true(stop.stopped);
	assert_in_range(stopped.seen, NR_SAMPLES / 2, NR_SAMPLES - 1);
	assert_int_equal(stop.bytes, stopped.bytes);
}

/* A pipe that a child fills with the first `bytes` of the stream and then keeps open. */
static pid_t open_pipe(size_t bytes, int *ret_saved)
{
	int fds[2];
	pid_t pid;

	*ret_saved = dup(STDIN_FILENO);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		size_t at = 0;

		close(fds[0]);
		while (at < bytes) {
			ssize_t n = write(fds[1], stream.buf + at, bytes - at);

			if (n <= 0)
				_exit(1);
			at += (size_t)n;
		}
		pause();
		_exit(0);
	}
	close(fds[1]);
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	return pid;
}

static void close_pipe(pid_t pid, int saved)
{
	dup2(saved, STDIN_FILENO);
	close(saved);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Stops reading when nothing more comes through the pipe. */
static int tell_until_silence(void *ctx, uint64_t bytes, uint64_t bytes_total, uint64_t nr_samples)
{
	struct caller *c = ctx;

	assert_int_equal(bytes_total, 0);
	c->calls = bytes && bytes == c->bytes ? c->calls + 1 : 0;
	c->bytes = bytes;
	c->nr_samples = nr_samples;
	return c->calls >= 4;
}

static void test_a_pipe_that_brings_nothing_is_told(void **state)
{
	static const struct event_sink ops = {.sample = take};
	struct caller c = {0};
	const struct source_options options = {.progress = tell_until_silence, .progress_ctx = &c};
	const struct source_facts *r;
	struct error err = ERROR_INIT;
	struct event_source *s;
	int saved;
	pid_t pid;

	(void)state;
	/* the last record is incomplete: not damage, because its rest has not arrived yet */
	pid = open_pipe(stream.len / 2 + 3, &saved);
	assert_int_equal(event_source_perfdata.open("-", &options, &s, &err), 0);
	assert_int_equal(event_source_read(s, &ops, &c, &err), 0);
	close_pipe(pid, saved);
	r = s->facts;
	assert_true(r->stop.stopped);
	assert_string_equal(r->damage.what, "");
	assert_in_range(r->stop.bytes, stream.len / 2 - 1000, stream.len / 2 + 3);
	assert_int_equal(r->stop.bytes_total, 0);
	assert_in_range(c.seen, NR_SAMPLES / 2 - 263, NR_SAMPLES / 2 + 263);
	event_source_free(s);
}

static void test_an_empty_pipe_can_be_left(void **state)
{
	struct caller c = {.stop_at = 3};
	const struct source_options options = {.progress = tell, .progress_ctx = &c};
	struct error err = ERROR_INIT;
	struct event_source *s;
	int saved;
	pid_t pid;

	(void)state;
	pid = open_pipe(3, &saved);
	assert_int_equal(event_source_perfdata.open("-", &options, &s, &err), -ECANCELED);
	assert_string_equal(err.msg, "'-': stopped before any data came");
	close_pipe(pid, saved);
}

#define TEST(name, setup) cmocka_unit_test_setup_teardown(name, setup, free_stream)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_file_is_told_to_its_end, make_rounds),
		TEST(test_stopping_accounts_what_was_read, make_rounds),
		TEST(test_without_rounds_the_handing_out_is_told, make_no_rounds),
		TEST(test_a_pipe_that_brings_nothing_is_told, make_rounds),
		TEST(test_an_empty_pipe_can_be_left, make_rounds),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
