// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"

#define OLD_SUFFIX ".old"

static int fail(const struct out_file *f, int code, struct error *err)
{
	return error_set_errno(err, code, "cannot write '%s'", f->path);
}

static char *old_name(const struct out_file *f)
{
	char *old;

	return asprintf(&old, "%s" OLD_SUFFIX, f->name) < 0 ? NULL : old;
}

static int open_dir(struct out_file *f, struct error *err)
{
	const char *slash = strrchr(f->path, '/');
	_cleanup_free_ char *dir = NULL;

	f->name = slash ? slash + 1 : f->path;
	dir = slash ? strndup(f->path, slash == f->path ? 1 : (size_t)(slash - f->path))
		    : strdup(".");
	if (!dir)
		return error_nomem(err);
	f->dir_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return f->dir_fd < 0 ? fail(f, errno, err) : 0;
}

/* In a sticky directory: does it belong neither to us nor to the directory's owner? */
static bool is_others(const struct out_file *f, const struct stat *st)
{
	struct stat dir;

	return !fstat(f->dir_fd, &dir) && dir.st_mode & S_ISVTX && st->st_uid != geteuid() &&
	       st->st_uid != dir.st_uid;
}

static int refuse_others(const struct out_file *f, const char *name, const struct stat *st,
			 struct error *err)
{
	return error_set(err, EPERM,
			 "cannot write '%s': '%s' exists and belongs to user %u, in a directory "
			 "where only owners may remove files; choose another name (-o)",
			 f->path, name, (unsigned int)st->st_uid);
}

/* The file that has the name now becomes NAME.old: better to know at the start if it cannot. */
static int check_old(const struct out_file *f, struct error *err)
{
	_cleanup_free_ char *old = old_name(f);
	struct stat st;

	if (!old)
		return error_nomem(err);
	if (fstatat(f->dir_fd, old, &st, AT_SYMLINK_NOFOLLOW)) {
		if (errno == ENOENT)
			return 0;
		return error_set_errno(err, errno, "cannot keep '%s' as '%s" OLD_SUFFIX "'",
				       f->path, f->path);
	}
	return is_others(f, &st) ? refuse_others(f, old, &st, err) : 0;
}

static int make_new(struct out_file *f, struct error *err)
{
	int code = EEXIST;

	f->regular = true;
	for (int i = 0; i < 8 && code == EEXIST; i++) {
		uint64_t random;

		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			return fail(f, errno, err);
		snprintf(f->tmp_name, sizeof(f->tmp_name), ".perf-kmem-%016" PRIx64, random);
		f->fd = openat(f->dir_fd, f->tmp_name,
			       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		code = errno;
		if (f->fd >= 0)
			return 0;
	}
	*f->tmp_name = '\0';
	return fail(f, code, err);
}

/* A FIFO without a reader cannot be opened; a blocking open() would not notice signals. */
static int open_fifo(struct out_file *f, struct error *err)
{
	for (;;) {
		int ret;

		f->fd = open(f->path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
		if (f->fd >= 0)
			break;
		if (errno != ENXIO)
			return fail(f, errno, err);
		ret = f->wait.fn(f->wait.ctx, -1);
		if (ret)
			return error_set(err, -ret, "cannot write '%s': nobody reads it", f->path);
	}
	return fcntl(f->fd, F_SETFL, 0) ? fail(f, errno, err) : 0;
}

static int open_in_place(struct out_file *f, const struct stat *st, struct error *err)
{
	if (f->dir_fd >= 0)
		close(f->dir_fd);
	f->dir_fd = -1;
	f->stream = S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode);
	if (!strcmp(f->path, "-"))
		f->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	else if (S_ISFIFO(st->st_mode) && f->wait.fn)
		return open_fifo(f, err);
	else
		f->fd = open(f->path,
			     S_ISDIR(st->st_mode) ? O_RDWR | O_CLOEXEC : O_WRONLY | O_CLOEXEC);
	return f->fd < 0 ? fail(f, errno, err) : 0;
}

int out_file_open(struct out_file *f, const char *path, const struct out_file_wait *wait,
		  struct error *err)
{
	struct stat st, target;
	int ret;

	*f = (struct out_file)OUT_FILE_INIT;
	if (wait)
		f->wait = *wait;
	f->path = strdup(path);
	if (!f->path)
		return error_nomem(err);
	if (!strcmp(path, "-"))
		return fstat(STDOUT_FILENO, &st) ? fail(f, errno, err) : open_in_place(f, &st, err);
	ret = open_dir(f, err);
	if (ret)
		return ret;
	if (!*f->name)
		return fail(f, *path ? EISDIR : ENOENT, err);
	if (fstatat(f->dir_fd, f->name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? make_new(f, err) : fail(f, errno, err);
	if (is_others(f, &st) && !S_ISCHR(st.st_mode) && !S_ISBLK(st.st_mode))
		return refuse_others(f, f->name, &st, err);
	if (!S_ISREG(st.st_mode) && !fstatat(f->dir_fd, f->name, &target, 0) &&
	    !S_ISREG(target.st_mode))
		return open_in_place(f, &target, err);
	ret = check_old(f, err);
	return ret ? ret : make_new(f, err);
}

int out_file_publish(struct out_file *f, struct error *err)
{
	_cleanup_free_ char *old = NULL;

	if (!*f->tmp_name)
		return 0;
	old = old_name(f);
	if (!old)
		return error_nomem(err);
	/* A name without room for the suffix cannot have existed: see check_old(). */
	if (renameat(f->dir_fd, f->name, f->dir_fd, old) && errno != ENOENT &&
	    errno != ENAMETOOLONG)
		return error_set_errno(err, errno, "cannot keep '%s' as '%s" OLD_SUFFIX "'",
				       f->path, f->path);
	if (renameat(f->dir_fd, f->tmp_name, f->dir_fd, f->name))
		return fail(f, errno, err);
	*f->tmp_name = '\0';
	return 0;
}

/* No more than is sure to fit: a signal must not wait for the reader. */
static ssize_t write_stream(struct out_file *f, const uint8_t *p, size_t len)
{
	int ret = f->wait.fn ? f->wait.fn(f->wait.ctx, f->fd) : 0;

	if (ret) {
		errno = -ret;
		return -1;
	}
	return write(f->fd, p, f->wait.fn && len > PIPE_BUF ? PIPE_BUF : len);
}

int out_file_write(struct out_file *f, uint64_t pos, const struct iovec *pieces, int nr,
		   uint64_t *ret_len)
{
	uint64_t len = 0;

	for (int i = 0; i < nr; i++) {
		const uint8_t *p = pieces[i].iov_base;
		size_t left = pieces[i].iov_len;

		while (left) {
			ssize_t n;

			*ret_len = len;
			if (f->regular)
				n = pwrite(f->fd, p, left, (off_t)(pos + len));
			else if (f->stream)
				n = write_stream(f, p, left);
			else
				n = write(f->fd, p, left);
			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				return n ? -errno : -ENOSPC;
			p += n;
			left -= (size_t)n;
			len += (uint64_t)n;
		}
	}
	*ret_len = len;
	return 0;
}

int out_file_check(const struct out_file *f, struct error *err)
{
	struct stat ours, named;
	char link[32], now[PATH_MAX];
	ssize_t n;

	if (!f->regular || *f->tmp_name || fstat(f->fd, &ours))
		return 0;
	if (!fstatat(f->dir_fd, f->name, &named, AT_SYMLINK_NOFOLLOW) &&
	    named.st_ino == ours.st_ino && named.st_dev == ours.st_dev)
		return 0;
	if (!ours.st_nlink)
		return error_set(
			err, ENOENT,
			"'%s' was removed while it was being written; the recording is lost",
			f->path);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", f->fd);
	n = readlink(link, now, sizeof(now) - 1);
	now[n > 0 ? n : 0] = '\0';
	return error_set(
		err, ESTALE,
		"'%s' was renamed or replaced by another program while it was being written%s%s%s",
		f->path, n > 0 ? "; the recording is '" : "", now, n > 0 ? "'" : "");
}

void out_file_deinit(struct out_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (*f->tmp_name)
		unlinkat(f->dir_fd, f->tmp_name, 0);
	if (f->dir_fd >= 0)
		close(f->dir_fd);
	free(f->path);
	*f = (struct out_file)OUT_FILE_INIT;
}
