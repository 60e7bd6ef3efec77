/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The work of the reader's fuzz targets on a recording: read it to its end and touch every byte
 * that it hands out, so that ASan notices one that is not part of the recording.
 */
#ifndef TESTS_FUZZ_CONSUME_H
#define TESTS_FUZZ_CONSUME_H

#include <string.h>

#include "util/session/session.h"
#include "util/tracepoint/tracing_data.h"

static volatile uint8_t sink;

static void touch(const void *data, size_t size)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < size; i++)
		sink ^= p[i];
}

static int on_formats(void *ctx, const struct tracing_data *formats, struct error *err)
{
	(void)ctx;
	(void)err;
	for (size_t i = 0; i < formats->nr_formats; i++)
		touch(formats->formats[i].text.text, formats->formats[i].text.len);
	touch(formats->kallsyms.text, formats->kallsyms.len);
	return 0;
}

static int on_sample(void *ctx, const struct sample *s, struct error *err)
{
	(void)ctx;
	(void)err;
	touch(s->event, sizeof(*s->event));
	touch(s->raw, s->raw_size);
	touch(s->callchain, s->nr_callchain * 8);
	return 0;
}

static int on_comm(void *ctx, uint32_t tid, const char *comm)
{
	(void)ctx;
	(void)tid;
	touch(comm, strlen(comm));
	return 0;
}

static int on_fork(void *ctx, uint32_t parent_tid, uint32_t tid)
{
	(void)ctx;
	(void)parent_tid;
	(void)tid;
	return 0;
}

static int on_cgroup(void *ctx, uint64_t id, const char *path)
{
	(void)ctx;
	(void)id;
	touch(path, strlen(path));
	return 0;
}

static const struct event_sink consume_sink = {
	.formats = on_formats,
	.sample = on_sample,
	.comm = on_comm,
	.fork = on_fork,
	.cgroup = on_cgroup,
};

static inline void consume(const char *path)
{
	static const struct source_options options = {.force = true, .jobs = 1};
	struct event_source *session = NULL;
	struct error err = ERROR_INIT;

	if (event_source_perfdata.open(path, &options, &session, &err) == 0)
		event_source_read(session, &consume_sink, NULL, &err);
	event_source_free(session);
}

#endif
