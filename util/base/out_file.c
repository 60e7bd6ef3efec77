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
#include "util/base/units.h"

#define OLD_SUFFIX ".old"

/* Directory of our own file descriptors. */
#define OWN_FDS	   "/proc/self/fd/"
#define OWN_FD_MAX 32

static int fail(const struct out_file *f, int code, struct error *err)
{
	/* the file need not exist, but its directory must */
	if (code == ENOENT && strchr(f->path, '/'))
		return error_set(err, code, "cannot write '%s': its directory does not exist",
				 f->path);
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

/* In a sticky directory: whether the file belongs neither to us nor to the directory's owner. */
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

/* The existing file will become NAME.old: check at the start that it can. */
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

static mode_t mode_of(const struct out_file *f)
{
	return f->how.is_shared ? 0644 : 0600;
}

static int create_named(struct out_file *f)
{
	f->fd = openat(f->dir_fd, f->tmp_name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		       mode_of(f));
	return f->fd < 0 ? -errno : 0;
}

static int link_unnamed(struct out_file *f)
{
	char self[OWN_FD_MAX];

	snprintf(self, sizeof(self), OWN_FDS "%d", f->fd);
	return linkat(AT_FDCWD, self, f->dir_fd, f->tmp_name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

/* Call `make` with temporary names until one is unused. */
static int with_tmp_name(struct out_file *f, int (*make)(struct out_file *f), struct error *err)
{
	int ret = -EEXIST;

	for (int i = 0; i < 8 && ret == -EEXIST; i++) {
		uint64_t random;

		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			ret = -errno;
		snprintf(f->tmp_name, sizeof(f->tmp_name), ".perf-kmem-%016" PRIx64, random);
		if (ret == -EEXIST)
			ret = make(f);
	}
	if (ret)
		*f->tmp_name = '\0';
	return ret ? fail(f, -ret, err) : 0;
}

static int make_new(struct out_file *f, struct error *err)
{
	f->regular = true;
	f->is_pending = true;
	/* a file created without a name never gets one in /proc, but out_file_check() needs it */
	if (!f->how.has_check && !access(OWN_FDS, X_OK))
		f->fd = openat(f->dir_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode_of(f));
	/* not all file systems have O_TMPFILE */
	return f->fd < 0 ? with_tmp_name(f, create_named, err) : 0;
}

/* A FIFO without a reader cannot be opened; a blocking open() could not be stopped by signals. */
static int open_fifo(struct out_file *f, struct error *err)
{
	for (;;) {
		int ret;

		f->fd = open(f->path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
		if (f->fd >= 0)
			break;
		if (errno != ENXIO)
			return fail(f, errno, err);
		ret = f->how.wait.fn(f->how.wait.ctx, -1);
		if (ret)
			return error_set(err, -ret, "cannot write '%s': nobody reads it", f->path);
	}
	return fcntl(f->fd, F_SETFL, 0) ? fail(f, errno, err) : 0;
}

/* Returns our own file descriptor that the path names, or -1. */
static int own_fd(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", OWN_FDS};

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		size_t len = strlen(folders[i]);
		uint64_t fd;

		if (!strncmp(path, folders[i], len) && !units_parse_u64(path + len, &fd) &&
		    fd <= INT_MAX)
			return (int)fd;
	}
	return -1;
}

bool out_file_is_stdout(const char *path)
{
	return own_fd(path) == STDOUT_FILENO;
}

static int open_own(struct out_file *f, int fd, struct error *err)
{
	struct stat st;

	f->inherited = true;
	f->fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (f->fd < 0 || fstat(f->fd, &st))
		return fail(f, errno, err);
	f->stream = S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode);
	return 0;
}

static int open_in_place(struct out_file *f, const struct stat *st, struct error *err)
{
	struct stat opened;
	int ret = 0;

	if (f->dir_fd >= 0)
		close(f->dir_fd);
	f->dir_fd = -1;
	f->stream = S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode);
	if (S_ISFIFO(st->st_mode) && f->how.wait.fn)
		ret = open_fifo(f, err);
	else
		f->fd = open(f->path,
			     S_ISDIR(st->st_mode) ? O_RDWR | O_CLOEXEC : O_WRONLY | O_CLOEXEC);
	if (ret)
		return ret;
	if (f->fd < 0 || fstat(f->fd, &opened))
		return fail(f, errno, err);
	if (opened.st_dev != st->st_dev || opened.st_ino != st->st_ino)
		return error_set(err, ESTALE, "'%s' was replaced while it was being opened",
				 f->path);
	return 0;
}

int out_file_open(struct out_file *f, const char *path, const struct out_file_how *how,
		  struct error *err)
{
	struct stat st, target;
	int ret, fd = own_fd(path);

	*f = (struct out_file)OUT_FILE_INIT;
	if (how)
		f->how = *how;
	f->path = strdup(path);
	if (!f->path)
		return error_nomem(err);
	if (fd >= 0)
		return open_own(f, fd, err);
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
	ret = f->how.keep_old ? check_old(f, err) : 0;
	return ret ? ret : make_new(f, err);
}

int out_file_stream(struct out_file *f, FILE **ret_out, struct error *err)
{
	f->out = fdopen(f->fd, "w");
	if (!f->out)
		return fail(f, errno, err);
	*ret_out = f->out;
	return 0;
}

static int keep_old(struct out_file *f, struct error *err)
{
	_cleanup_free_ char *old = old_name(f);

	if (!old)
		return error_nomem(err);
	/* A name that is too long with the suffix cannot have existed: see check_old(). */
	if (renameat(f->dir_fd, f->name, f->dir_fd, old) && errno != ENOENT &&
	    errno != ENAMETOOLONG)
		return error_set_errno(err, errno, "cannot keep '%s' as '%s" OLD_SUFFIX "'",
				       f->path, f->path);
	return 0;
}

int out_file_flush(struct out_file *f, struct error *err)
{
	errno = 0;
	if (f->out && (fflush(f->out) || ferror(f->out)))
		return fail(f, errno ? errno : EIO, err);
	return 0;
}

int out_file_publish(struct out_file *f, struct error *err)
{
	int ret = out_file_flush(f, err);

	if (ret || !f->is_pending)
		return ret;
	if (!*f->tmp_name)
		ret = with_tmp_name(f, link_unnamed, err);
	if (!ret && f->how.keep_old)
		ret = keep_old(f, err);
	if (ret)
		return ret;
	if (renameat(f->dir_fd, f->tmp_name, f->dir_fd, f->name))
		return fail(f, errno, err);
	*f->tmp_name = '\0';
	f->is_pending = false;
	return 0;
}

/* Write no more than fits for sure: a signal must not wait for the reader. */
static ssize_t write_stream(struct out_file *f, const uint8_t *p, size_t len)
{
	int ret = f->how.wait.fn ? f->how.wait.fn(f->how.wait.ctx, f->fd) : 0;

	if (ret) {
		errno = -ret;
		return -1;
	}
	return write(f->fd, p, f->how.wait.fn && len > PIPE_BUF ? PIPE_BUF : len);
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

int out_file_append(struct out_file *f, const void *data, size_t len)
{
	const struct iovec piece = {(void *)(uintptr_t)data, len};
	uint64_t written;
	int ret = out_file_write(f, f->len, &piece, 1, &written);

	if (!ret)
		f->len += len;
	else if (f->regular && ftruncate(f->fd, (off_t)f->len))
		return -errno;
	return ret;
}

int out_file_check(const struct out_file *f, struct error *err)
{
	struct stat ours, named;
	char link[32], now[PATH_MAX];
	ssize_t n;

	if (!f->regular || f->is_pending || fstat(f->fd, &ours))
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
	if (f->out)
		fclose(f->out);
	else if (f->fd >= 0)
		close(f->fd);
	if (*f->tmp_name)
		unlinkat(f->dir_fd, f->tmp_name, 0);
	if (f->dir_fd >= 0)
		close(f->dir_fd);
	free(f->path);
	*f = (struct out_file)OUT_FILE_INIT;
}
