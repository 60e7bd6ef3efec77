// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/unlinked_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/base/cleanup.h"

const char *unlinked_file_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

int unlinked_file_open(void)
{
	const char *dir = unlinked_file_dir();
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	_cleanup_free_ char *path = NULL;

	if (fd >= 0)
		return fd;
	/* not all file systems have O_TMPFILE */
	if (asprintf(&path, "%s/perf-kmem.XXXXXX", dir) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

int unlinked_file_write(int fd, const uint8_t *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}
