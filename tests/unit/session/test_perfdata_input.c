// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/session/perfdata_input.h"

/* Bytes that depend on their position. */
static void put(int fd, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		uint8_t byte = (uint8_t)(i * 7);

		assert_int_equal(write(fd, &byte, 1), 1);
	}
}

struct fixture {
	struct recording recording;
	struct perfdata_input input;
	int to; /* of a pipe */
};

static void init(struct fixture *f, const struct source_options *options)
{
	int fds[2];

	recording_init(&f->recording);
	perfdata_input_init(&f->input, &f->recording, options);
	assert_int_equal(pipe(fds), 0);
	f->input.fd = fds[0];
	f->to = fds[1];
}

static void deinit(struct fixture *f)
{
	perfdata_input_deinit(&f->input);
	recording_deinit(&f->recording);
}

static void test_a_pipe_is_read_as_far_as_wanted(void **state)
{
	static const struct source_options none = {.force = true};
	struct span *sp;
	struct fixture f;
	uint64_t pos;

	(void)state;
	init(&f, &none);
	put(f.to, 0, 300);
	assert_int_equal(perfdata_input_fill(&f.input, 0, 100, &sp), 1);
	assert_true(sp->start == 0 && sp->len >= 100);
	assert_int_equal(sp->data[99], (uint8_t)(99 * 7));
	/* bytes in memory are not read again */
	assert_int_equal(perfdata_input_fill(&f.input, 200, 100, &sp), 1);
	assert_int_equal(sp->data[299 - sp->start], (uint8_t)(299 * 7));
	/* half of the skipped bytes are in memory already */
	pos = 250;
	put(f.to, 300, 500);
	assert_int_equal(perfdata_input_skip(&f.input, &pos, 100), 1);
	assert_int_equal(pos, 350);
	assert_int_equal(perfdata_input_fill(&f.input, pos, 150, &sp), 1);
	assert_int_equal(sp->data[pos - sp->start], (uint8_t)(350 * 7));
	/* the end */
	close(f.to);
	assert_int_equal(perfdata_input_fill(&f.input, 500, 8, &sp), 0);
	pos = 500;
	assert_int_equal(perfdata_input_skip(&f.input, &pos, 8), 0);
	deinit(&f);
}

static int ask_to_stop(void *ctx, uint64_t bytes, uint64_t bytes_total, uint64_t nr_samples)
{
	(void)ctx, (void)bytes, (void)bytes_total, (void)nr_samples;
	return 1;
}

static void test_a_silent_pipe_can_be_stopped(void **state)
{
	static const struct source_options options = {.progress = ask_to_stop};
	struct span *sp;
	struct fixture f;

	(void)state;
	init(&f, &options);
	assert_int_equal(perfdata_input_fill(&f.input, 0, 8, &sp), -ECANCELED);
	assert_true(f.input.stopped);
	/* a caller that has stopped is not asked again */
	assert_int_equal(perfdata_input_tell(&f.input), 0);
	close(f.to);
	deinit(&f);
}

static void test_a_pipe_becomes_a_file(void **state)
{
	static const struct source_options none = {.force = true};
	struct error err = ERROR_INIT;
	struct span *sp;
	struct fixture f;
	struct stat st;
	uint8_t byte;

	(void)state;
	init(&f, &none);
	put(f.to, 0, 3000);
	close(f.to);
	/* bytes read before are not lost */
	assert_int_equal(perfdata_input_fill(&f.input, 0, 16, &sp), 1);
	assert_int_equal(perfdata_input_spool(&f.input, &err), 0);
	assert_int_equal(fstat(f.input.fd, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_size, 3000);
	assert_int_equal(pread(f.input.fd, &byte, 1, 2999), 1);
	assert_int_equal(byte, (uint8_t)(2999 * 7));
	assert_int_equal(f.input.spans.nr, 0);
	deinit(&f);
}

static void test_a_file_that_shrinks_is_damage(void **state)
{
	static const struct source_options none = {.force = true};
	char path[] = "/tmp/test_perfdata_input.XXXXXX";
	int fd = mkstemp(path);
	struct span *sp;
	struct fixture f;

	(void)state;
	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(ftruncate(fd, 8192), 0);
	recording_init(&f.recording);
	perfdata_input_init(&f.input, &f.recording, &none);
	assert_int_equal(spans_add_map(&f.input.spans, fd, 8192, &sp), 0);
	assert_false(perfdata_input_note_cut(&f.input));
	assert_int_equal(ftruncate(fd, 5000), 0);
	assert_true(perfdata_input_note_cut(&f.input));
	assert_true(f.input.cut && f.recording.facts.damage.truncated);
	assert_int_equal(f.recording.facts.damage.first_pos, 5000);
	assert_non_null(strstr(f.recording.facts.damage.what, "5000 of 8192 bytes are left"));
	/* once */
	assert_false(perfdata_input_note_cut(&f.input));
	close(fd);
	deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_pipe_is_read_as_far_as_wanted),
		cmocka_unit_test(test_a_silent_pipe_can_be_stopped),
		cmocka_unit_test(test_a_pipe_becomes_a_file),
		cmocka_unit_test(test_a_file_that_shrinks_is_damage),
	};

	return cmocka_run_group_tests_name("perfdata_input", tests, NULL, NULL);
}
