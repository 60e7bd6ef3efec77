// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hostile stream, as in fuzz_perfdata.c, but through a pipe: nothing is mapped, and what is kept
 * of it moves from buffer to buffer.  Inputs that do not fit into a pipe's buffer are truncated.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/fuzz/consume.h"
#include "util/base/log.h"

#define PIPE_BYTES (1 << 17)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		abort();
	fcntl(fds[1], F_SETPIPE_SZ, PIPE_BYTES);
	if (size > PIPE_BYTES / 2)
		size = PIPE_BYTES / 2;
	if (write(fds[1], data, size) != (ssize_t)size || dup2(fds[0], STDIN_FILENO) < 0)
		abort();
	close(fds[0]);
	close(fds[1]);
	log_set_level(LOG_QUIET);
	consume("-");
	return 0;
}
