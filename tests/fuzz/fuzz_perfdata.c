// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recording as hostile as can be: the reader, from the header to the last sample.
 *
 * It must end, touch no memory that is not its own, and hand over samples whose
 * raw data and callchain lie inside the record.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/perfdata/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint8_t sink;

static void touch(const void *data, size_t size)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < size; i++)
		sink ^= p[i];
}

static int on_tracing_data(void *ctx, const uint8_t *data, size_t size, struct error *err)
{
	(void)ctx;
	(void)err;
	touch(data, size);
	return 0;
}

static int on_sample(void *ctx, struct recorded_event *event, const struct sample *sample,
		     struct error *err)
{
	(void)ctx;
	(void)err;
	touch(&event->attr, sizeof(event->attr));
	touch(sample->raw, sample->raw_size);
	touch(sample->callchain, sample->nr_callchain * 8);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct session_ops ops = {on_tracing_data, on_sample};
	static const struct reader_options options = {.force = true};
	struct session *session = NULL;
	struct error err = ERROR_INIT;
	char path[64];
	_cleanup_close_ int fd = memfd_create("recording", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (session_open(path, &options, &session, &err) == 0)
		session_read(session, &ops, NULL, &err);
	session_free(session);
	return 0;
}
