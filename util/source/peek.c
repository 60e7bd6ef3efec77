// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/source/peek.h"

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/base/cleanup.h"

/* So many bytes are waited for, for so long. */
#define HEAD_MIN 64
#define NAPS	 50
#define NAP_NS	 10000000

static bool has_hung_up(int fd)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};

	return poll(&pollfd, 1, 0) > 0 && pollfd.revents & POLLHUP;
}

/* Look at what is in a pipe without taking it from the reader. */
static ssize_t tee_head(int fd, void *head, size_t size)
{
	_cleanup_close_ int from = -1, to = -1;
	int copy[2];
	ssize_t n;

	if (pipe2(copy, O_CLOEXEC))
		return 0;
	from = copy[0];
	to = copy[1];
	n = tee(fd, to, size, SPLICE_F_NONBLOCK);
	return n > 0 ? read(from, head, (size_t)n) : 0;
}

static ssize_t peek_once(int fd, mode_t mode, void *head, size_t size)
{
	return S_ISFIFO(mode) ? tee_head(fd, head, size)
			      : recv(fd, head, size, MSG_PEEK | MSG_DONTWAIT);
}

ssize_t peek_stream(int fd, mode_t mode, void *head, size_t size)
{
	const struct timespec nap = {.tv_nsec = NAP_NS};
	ssize_t n = 0;

	for (int i = 0; i < NAPS; i++) {
		n = peek_once(fd, mode, head, size);
		if (n >= HEAD_MIN || has_hung_up(fd))
			break;
		nanosleep(&nap, NULL);
	}
	return n;
}
