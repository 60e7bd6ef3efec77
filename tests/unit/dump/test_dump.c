// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of a dump keep the values that their source reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/base/cleanup.h"
#include "util/base/strbuf.h"
#include "util/dump/dump.h"

static const struct event_source_ops ops = {
	.name = "test",
	.read = dump_read,
	.free = dump_free,
};

/* A line is a comm; an empty one has none. */
static int take_line(struct dump *d, const struct text_line *line)
{
	struct kmem_event keys = {.cpu = -1, .node = NUMA_NO_NODE, .ptr = 1};
	struct complete_event row = {.cache = "unknown"};

	if (line->len)
		row.comm = line->text;
	return dump_add(d, &keys, &row, 1, 64, 64);
}

static int take_row(void *ctx, const struct complete_event *keys,
		    const struct source_figures *figures, struct error *err)
{
	(void)figures, (void)err;
	return strbuf_addf(ctx, "%s;", keys->comm);
}

static void test_the_comm_of_the_source(void **state)
{
	static const struct dump_kind kind = {
		.ops = &ops,
		.size = sizeof(struct dump),
		.what = "test",
		.keys = "comm",
		.kind = KMEM_SLAB_ALLOC,
		.take_line = take_line,
	};
	const struct event_sink sink = {.row = take_row};
	const struct source_options options = {.jobs = 1};
	_cleanup_(strbuf_deinit) struct strbuf comms = STRBUF_INIT;
	char path[] = "/tmp/test_dump-XXXXXX";
	struct event_source *source;
	struct input *input;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "make\n\ncc1\n", 10), 10);
	close(fd);
	assert_int_equal(input_open(path, &options, &input, NULL), 0);
	assert_int_equal(dump_open(&kind, input, &options, &source, NULL), 0);
	assert_int_equal(dump_read(source, &sink, &comms, NULL), 0);
	assert_string_equal(comms.buf, "make;unknown;cc1;");
	event_source_free(source);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_comm_of_the_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
