// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/source/input_file.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/unlinked_file.h"

#define COPY_SIZE (1u << 17)

static int copy_to(struct input *in, int fd, struct error *err)
{
	_cleanup_free_ uint8_t *buf = malloc(COPY_SIZE);
	ssize_t n = 0;
	int ret = 0;

	if (!buf)
		return error_nomem(err);
	while (!ret && (n = input_read(in, buf, COPY_SIZE)) > 0) {
		ret = unlinked_file_write(fd, buf, (size_t)n);
		if (ret)
			return error_set_errno(err, -ret, "cannot keep what is in '%s' in '%s'",
					       input_path(in), unlinked_file_dir());
	}
	if (n < 0)
		return error_set_errno(err, (int)-n, "cannot read '%s'", input_path(in));
	return ret;
}

int input_to_file(struct input *in, int *ret_fd, struct error *err)
{
	int fd = unlinked_file_open(), ret;

	if (fd < 0)
		return error_set_errno(err, -fd,
				       "cannot make a temporary file in '%s' for what is in '%s'",
				       unlinked_file_dir(), input_path(in));
	ret = copy_to(in, fd, err);
	if (!ret && lseek(fd, 0, SEEK_SET) < 0)
		ret = error_set_errno(err, errno, "cannot read '%s'", input_path(in));
	if (ret)
		close(fd);
	else
		*ret_fd = fd;
	return ret;
}
