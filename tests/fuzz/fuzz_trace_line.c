// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text of `trace`, with anything in it: as a source, from its first line to its last event.
 *
 * Reading must end, and hand over events whose parts are there.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/event/kmem_event.h"
#include "util/source/event_source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint8_t sum;

static void touch(const void *data, size_t size)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < size; i++)
		sum ^= p[i];
}

static int on_event(void *ctx, const struct complete_event *e, struct error *err)
{
	(void)ctx, (void)err;
	touch(e->source, sizeof(*e->source));
	touch(e->event, sizeof(*e->event));
	touch(e->callchain, e->nr_callchain * sizeof(*e->callchain));
	if (e->comm)
		touch(e->comm, strlen(e->comm));
	if (e->cache)
		touch(e->cache, strlen(e->cache));
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct event_sink sink = {.event = on_event};
	static const struct source_options options = {
		.format = "trace_text", .force = true, .jobs = 1};
	_cleanup_close_ int fd = memfd_create("trace", MFD_CLOEXEC);
	struct event_source *source = NULL;
	struct error err = ERROR_INIT;
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	log_set_level(LOG_QUIET);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (event_source_open(path, &options, &source, &err))
		return 0;
	event_source_read(source, &sink, NULL, &err);
	event_source_free(source);
	return 0;
}
