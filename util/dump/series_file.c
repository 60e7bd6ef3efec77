// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/dump/series_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif

#include "util/base/map_guard.h"
#include "util/dump/archive_entries.h"

#ifdef HAVE_LIBZSTD

/* The length of the whole zstd frames at the start of the file. Each is a snapshot. */
static uint64_t whole_frames(const uint8_t *data, size_t size)
{
	size_t len = 0;

	while (len < size) {
		size_t frame = ZSTD_findFrameCompressedSize(data + len, size - len);

		if (ZSTD_isError(frame))
			break;
		len += frame;
	}
	return len;
}

static int find_end(struct series_file *f, uint64_t size, struct error *err)
{
	void *data;

	map_guard_install();
	data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, f->fd, 0);
	if (data == MAP_FAILED)
		return error_set_errno(err, errno, "cannot map '%s'", f->path);
	f->len = whole_frames(data, size);
	munmap(data, size);
	return 0;
}

#else

static int find_end(struct series_file *f, uint64_t size, struct error *err)
{
	(void)size;
	return error_set(err, EEXIST,
			 "'%s' exists, and a perf without zstd cannot continue it: name another "
			 "file",
			 f->path);
}

#endif

/* Whether it begins with a snapshot of a series. */
static int check_series(const struct series_file *f, struct error *err)
{
	const struct source_options how = {.opened_fd = f->fd, .jobs = 1};
	struct input *in;
	int ret = input_open(f->path, &how, &in, err);
	bool is_series;

	if (ret)
		return ret;
	is_series = archive_is_series(input_probed(in));
	input_free(in);
	return is_series ? 0
			 : error_set(err, EEXIST,
				     "'%s' exists and is not a series of snapshots: name another "
				     "file",
				     f->path);
}

static int take_over(struct series_file *f, struct error *err)
{
	struct stat st;
	int ret = 0;

	if (flock(f->fd, LOCK_EX | LOCK_NB))
		return error_set_errno(err, errno,
				       errno == EWOULDBLOCK ? "another process is writing to '%s'"
							    : "cannot lock '%s'",
				       f->path);
	if (fstat(f->fd, &st))
		return error_set_errno(err, errno, "cannot examine '%s'", f->path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, EINVAL, "'%s' is not a file: a series needs one", f->path);
	if (st.st_uid != geteuid())
		return error_set(err, EPERM, "'%s' belongs to another user", f->path);
	if (!st.st_size)
		return 0;
	ret = check_series(f, err);
	if (!ret)
		ret = find_end(f, (uint64_t)st.st_size, err);
	f->cut = (uint64_t)st.st_size - f->len;
	if (!ret && f->cut && ftruncate(f->fd, (off_t)f->len))
		ret = error_set_errno(err, errno, "cannot truncate '%s'", f->path);
	return ret;
}

int series_file_open(struct series_file *f, const char *path, struct error *err)
{
	int ret;

	*f = (struct series_file){.path = path};
	f->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0600);
	if (f->fd < 0)
		return error_set_errno(err, errno, "cannot open '%s'", path);
	ret = take_over(f, err);
	if (ret)
		series_file_close(f);
	return ret;
}

int series_file_append(struct series_file *f, const void *data, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pwrite(f->fd, (const char *)data + done, len - done,
				   (off_t)(f->len + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			int error = n ? errno : EIO;

			/* what remains if this fails, too, is removed by the next writer */
			(void)!ftruncate(f->fd, (off_t)f->len);
			return -error;
		}
		done += (size_t)n;
	}
	f->len += len;
	return 0;
}

void series_file_close(struct series_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}
