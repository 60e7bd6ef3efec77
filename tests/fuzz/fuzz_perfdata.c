// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recording as hostile as can be: the reader, from the header to the last sample.
 *
 * It must end, touch no memory that is not its own, and hand over samples whose
 * raw data and callchain lie inside the record.
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	_cleanup_close_ int fd = memfd_create("recording", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	log_set_level(LOG_QUIET);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	consume(path);
	return 0;
}
