// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trace.dat as hostile as can be: from its header to the last event.
 *
 * Reading must end, touch no memory that is not its own, and hand over samples whose bytes are
 * there.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/consume.h"
#include "util/base/cleanup.h"
#include "util/base/log.h"

extern const struct event_source_ops event_source_trace_dat;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct source_options options = {.force = true, .jobs = 1};
	_cleanup_close_ int fd = memfd_create("trace", MFD_CLOEXEC);
	struct event_source *source = NULL;
	struct error err = ERROR_INIT;
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	log_set_level(LOG_QUIET);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (event_source_trace_dat.open(path, &options, &source, &err))
		return 0;
	event_source_read(source, &consume_sink, NULL, &err);
	event_source_free(source);
	return 0;
}
