// SPDX-License-Identifier: GPL-2.0-or-later
/* The format of a path is recognised by its first bytes, which are not consumed. */
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
#include "util/source/event_source.h"

#define NR_SAMPLES 263

static const struct source_options forced = {.force = true};

static int count(void *ctx, const struct sample *sample, struct error *err)
{
	(void)sample;
	(void)err;
	++*(unsigned int *)ctx;
	return 0;
}

static void check_reads_all(const char *path, const struct source_options *options)
{
	static const struct event_sink sink = {.sample = count};
	struct event_source *source;
	struct error err = ERROR_INIT;
	unsigned int nr = 0;

	assert_int_equal(event_source_open(path, options, &source, &err), 0);
	assert_string_equal(source->ops->name, "perf.data");
	assert_string_equal(source->facts->path, path);
	assert_int_equal(event_source_read(source, &sink, &nr, &err), 0);
	assert_int_equal(nr, NR_SAMPLES);
	assert_int_equal(source->facts->nr_samples, NR_SAMPLES);
	event_source_free(source);
}

static void test_a_file_and_a_directory(void **state)
{
	const struct fixture_options forms[] = {
		{.long_size = 8},
		{.long_size = 8, .form = FIXTURE_PIPE},
		{.long_size = 4, .big_endian = true, .form = FIXTURE_DIRECTORY},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		char dir[] = "/tmp/test_event_source.XXXXXX", path[64], command[96];

		assert_non_null(mkdtemp(dir));
		snprintf(path, sizeof(path), "%s/recording", dir);
		assert_int_equal(fixture_write(&forms[i], path), 0);
		check_reads_all(path, &forced);
		snprintf(command, sizeof(command), "rm -r %s", dir);
		assert_int_equal(system(command), 0);
	}
}

/* A child that writes the recording to fd, the first bytes after a while. */
static pid_t write_later(const struct strbuf *sb, int fd)
{
	pid_t pid = fork();

	assert_int_not_equal(pid, -1);
	if (pid)
		return pid;
	usleep(300000);
	_exit(write(fd, sb->buf, sb->len) == (ssize_t)sb->len ? 0 : 1);
}

static int tell(void *ctx, uint64_t bytes, uint64_t bytes_total, uint64_t nr_samples)
{
	(void)bytes;
	(void)bytes_total;
	(void)nr_samples;
	++*(unsigned int *)ctx;
	return 0;
}

static void check_pipe(enum fixture_form form)
{
	const struct fixture_options fixture = {.long_size = 8, .form = form};
	unsigned int told = 0;
	const struct source_options options = {.progress = tell, .progress_ctx = &told};
	struct strbuf sb = STRBUF_INIT;
	int fds[2], status, saved = dup(STDIN_FILENO);
	pid_t pid;

	assert_int_equal(fixture_build(&fixture, -1, &sb), 0);
	assert_int_equal(pipe(fds), 0);
	pid = write_later(&sb, fds[1]);
	close(fds[1]);
	assert_int_equal(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
	close(fds[0]);
	check_reads_all("-", &options);
	assert_true(told > 1); /* even while nothing came */
	assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
	close(saved);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	strbuf_deinit(&sb);
}

static void test_what_a_pipe_brings_is_only_looked_at(void **state)
{
	(void)state;
	check_pipe(FIXTURE_PIPE);
	check_pipe(FIXTURE_FILE);
}

static void test_a_fifo_keeps_its_writer(void **state)
{
	const struct fixture_options fixture = {.long_size = 8, .form = FIXTURE_PIPE};
	char dir[] = "/tmp/test_event_source.XXXXXX", path[64];
	struct strbuf sb = STRBUF_INIT;
	int status;
	pid_t pid;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(fixture_build(&fixture, -1, &sb), 0);
	pid = fork();
	assert_int_not_equal(pid, -1);
	if (!pid) {
		int fd = open(path, O_WRONLY);

		/* slowly, so that the reader waits for it */
		for (size_t at = 0; at < sb.len; at += 4096) {
			size_t n = sb.len - at < 4096 ? sb.len - at : 4096;

			if (write(fd, sb.buf + at, n) != (ssize_t)n)
				_exit(1);
			usleep(at < 16384 ? 20000 : 0);
		}
		_exit(0);
	}
	check_reads_all(path, &forced);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	unlink(path);
	rmdir(dir);
	strbuf_deinit(&sb);
}

struct quick_writer {
	const char *path;
	const struct strbuf *sb;
};

/* Everything is written, and the writer has gone, before the first read. */
static int write_and_go(void *ctx, uint64_t bytes, uint64_t bytes_total, uint64_t nr_samples)
{
	struct quick_writer *w = ctx;
	int fd;

	(void)bytes;
	(void)bytes_total;
	(void)nr_samples;
	if (!w->sb)
		return 0;
	fd = open(w->path, O_WRONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_SETPIPE_SZ, (int)w->sb->len) >= (int)w->sb->len);
	assert_int_equal(write(fd, w->sb->buf, w->sb->len), w->sb->len);
	close(fd);
	w->sb = NULL;
	return 0;
}

static void test_the_writer_of_a_fifo_may_go_at_once(void **state)
{
	const struct fixture_options fixture = {.long_size = 8, .form = FIXTURE_PIPE};
	char dir[] = "/tmp/test_event_source.XXXXXX", path[64];
	struct strbuf sb = STRBUF_INIT;
	struct quick_writer writer = {path, &sb};
	const struct source_options options = {
		.force = true, .progress = write_and_go, .progress_ctx = &writer};

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(fixture_build(&fixture, -1, &sb), 0);
	alarm(60);
	check_reads_all(path, &options);
	alarm(0);
	unlink(path);
	rmdir(dir);
	strbuf_deinit(&sb);
}

static int ask_to_stop(void *ctx, uint64_t bytes, uint64_t bytes_total, uint64_t nr_samples)
{
	(void)ctx;
	(void)bytes;
	(void)bytes_total;
	(void)nr_samples;
	return 1;
}

static void test_waiting_for_a_pipe_can_be_ended(void **state)
{
	const struct source_options options = {.progress = ask_to_stop};
	int fds[2], saved = dup(STDIN_FILENO);
	struct error err = ERROR_INIT;
	struct event_source *source;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(event_source_open("-", &options, &source, &err), -ECANCELED);
	assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
	close(saved);
	close(fds[0]);
	close(fds[1]);
}

static void check_refused(const char *text, size_t len, const char *why)
{
	char path[] = "/tmp/test_event_source.XXXXXX";
	struct error err = ERROR_INIT;
	struct event_source *source;
	int fd = mkstemp(path);

	assert_int_equal(write(fd, text, len), len);
	close(fd);
	assert_int_equal(event_source_open(path, &forced, &source, &err), -EINVAL);
	assert_non_null(strstr(err.msg, why));
	unlink(path);
}

static void test_what_nobody_knows_is_told(void **state)
{
	const struct source_options said = {.format = "perfdata"}, wrong = {.format = "nonsense"};
	char path[] = "/tmp/test_event_source.XXXXXX";
	struct error err = ERROR_INIT;
	struct event_source *source;
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(event_source_open("/nonexistent", &forced, &source, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "no recording '/nonexistent'"));
	assert_int_equal(write(fd, "no such thing at all", 20), 20);
	close(fd);
	err.msg[0] = '\0';
	assert_int_equal(event_source_open(path, &forced, &source, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "match no known format"));
	check_refused("\xef\xbb\xbf# tracer: nop\n", 17, "begins with a byte order mark");
	check_refused("\xff\xfe#\0 \0", 6, "is a text in UTF-16");
	assert_int_equal(event_source_open(path, &said, &source, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "this is not a perf.data"));
	assert_int_equal(event_source_open(path, &wrong, &source, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'nonsense' is not an input format"));
	unlink(path);
}

static bool is_text(const struct source_input *input)
{
	return input->head_size >= 4 && !memcmp(input->head, "text", 4);
}

static bool is_short(const struct source_input *input)
{
	return !input->is_directory && input->head_size < 8;
}

static int read_fails(struct event_source *s, const struct event_sink *sink, void *ctx,
		      struct error *err)
{
	(void)s, (void)sink, (void)ctx, (void)err;
	return -EIO;
}

static void test_a_failed_read_is_told(void **state)
{
	static const struct event_source_ops ops = {.read = read_fails};
	static const struct event_sink sink = {.sample = count};
	struct source_facts facts = {.path = (char *)"some.data"};
	struct event_source fails = {&ops, &facts}, *source;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(event_source_read(&fails, &sink, NULL, &err), -EIO);
	assert_string_equal(err.msg, "cannot read 'some.data': Input/output error");
	/* nothing is mapped at 0 */
	err = (struct error)ERROR_INIT;
	assert_int_equal(event_source_open("/proc/self/mem", &forced, &source, &err), -EIO);
	assert_string_equal(err.msg, "cannot read '/proc/self/mem': Input/output error");
}

static void test_the_first_that_knows_it(void **state)
{
	static const struct event_source_ops text = {.probe = is_text}, brief = {.probe = is_short};
	const struct event_source_ops *const v[] = {&text, &brief};
	struct source_input input = {.head = (const uint8_t *)"text and more", .head_size = 13};

	(void)state;
	assert_ptr_equal(event_source_probe(v, 2, &input), &text);
	input.head_size = 4;
	assert_ptr_equal(event_source_probe(v, 2, &input), &text);
	input.head_size = 3;
	assert_ptr_equal(event_source_probe(v, 2, &input), &brief);
	input.is_directory = true;
	assert_null(event_source_probe(v, 2, &input));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_and_a_directory),
		cmocka_unit_test(test_what_a_pipe_brings_is_only_looked_at),
		cmocka_unit_test(test_a_fifo_keeps_its_writer),
		cmocka_unit_test(test_the_writer_of_a_fifo_may_go_at_once),
		cmocka_unit_test(test_waiting_for_a_pipe_can_be_ended),
		cmocka_unit_test(test_what_nobody_knows_is_told),
		cmocka_unit_test(test_a_failed_read_is_told),
		cmocka_unit_test(test_the_first_that_knows_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
