// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/out_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif

#include "util/base/cleanup.h"
#include "util/base/out_file.h"

#define D	    "[0-9]"
#define DAY	    D D D D D D D D
#define TIME_OF_UTC D D D D D D "." D D D D D D "Z"

/* ---- the bounds ------------------------------------------------------------------------------ */

static int is_ours(const struct dirent *entry)
{
	return !fnmatch(DAY "T" TIME_OF_UTC "-*", entry->d_name, 0);
}

static uint64_t size_of(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) ? 0 : (uint64_t)st.st_size;
}

/* Whether there is too much of either. */
static bool exceeds(const struct out_folder *f, uint64_t bytes, uint64_t nr)
{
	return bytes > f->max_bytes || (f->max_files && nr > f->max_files);
}

/* newest: the name of the file that stays. */
static int drop_oldest(const struct out_folder *f, const char *newest, struct error *err)
{
	struct dirent **entries = NULL;
	uint64_t bytes = 0, left;
	int dir = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int nr = dir < 0 ? -1 : scandir(f->path, &entries, is_ours, alphasort);
	int ret = nr < 0 ? error_set_errno(err, errno, "cannot read '%s'", f->path) : 0;

	for (int i = 0; i < nr; i++)
		bytes += size_of(dir, entries[i]->d_name);
	left = nr < 0 ? 0 : (uint64_t)nr;
	for (int i = 0; i < nr && exceeds(f, bytes, left) && !ret; i++) {
		const char *name = entries[i]->d_name;
		uint64_t size = size_of(dir, name);

		if (!strcmp(name, newest))
			continue;
		/* another writer may have removed it */
		if (unlinkat(dir, name, 0) && errno != ENOENT)
			ret = error_set_errno(err, errno, "cannot remove '%s/%s'", f->path, name);
		bytes -= size < bytes ? size : bytes;
		left--;
	}
	for (int i = 0; i < nr; i++)
		free(entries[i]);
	free(entries);
	if (dir >= 0)
		close(dir);
	return ret;
}

/* ---- a file ---------------------------------------------------------------------------------- */

/* Returns the bytes of the file, which the caller frees; NULL if out of memory. */
#ifdef HAVE_LIBZSTD
#define SUFFIX ".zst"

static void *pack(const void *data, size_t len, size_t *ret_len)
{
	size_t room = ZSTD_compressBound(len);
	void *packed = malloc(room);

	*ret_len = packed ? ZSTD_compress(packed, room, data, len, ZSTD_CLEVEL_DEFAULT) : 0;
	if (packed && !ZSTD_isError(*ret_len))
		return packed;
	free(packed);
	return NULL;
}
#else
#define SUFFIX ""

static void *pack(const void *data, size_t len, size_t *ret_len)
{
	void *copy = malloc(len ? len : 1);

	*ret_len = len;
	return copy ? memcpy(copy, data, len) : NULL;
}
#endif

static int write_file(const char *path, const void *data, size_t len, struct error *err)
{
	const struct out_file_how how = {.is_shared = true};
	struct out_file file = OUT_FILE_INIT;
	int ret = out_file_open(&file, path, &how, err);

	if (!ret) {
		ret = out_file_append(&file, data, len);
		ret = ret ? error_set_errno(err, -ret, "cannot write '%s'", path)
			  : out_file_publish(&file, err);
	}
	out_file_deinit(&file);
	return ret;
}

/* The file's name in the folder; the caller frees it. NULL if out of memory. */
static char *name_of(const struct timespec *now, const char *name)
{
	char stamp[32], *full;
	struct timespec present;
	struct tm tm;

	if (!now) {
		clock_gettime(CLOCK_REALTIME, &present);
		now = &present;
	}
	gmtime_r(&now->tv_sec, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%S", &tm);
	if (asprintf(&full, "%s.%06ldZ-%s" SUFFIX, stamp, now->tv_nsec / 1000, name) < 0)
		return NULL;
	return full;
}

int out_folder_check(const struct out_folder *f, struct error *err)
{
	struct stat st;

	if (mkdir(f->path, 0777) && errno != EEXIST)
		return error_set_errno(err, errno, "cannot make the folder '%s'", f->path);
	if (!stat(f->path, &st) && !S_ISDIR(st.st_mode))
		return error_set_errno(err, ENOTDIR, "cannot write into '%s'", f->path);
	if (access(f->path, W_OK | X_OK))
		return error_set_errno(err, errno, "cannot write into '%s'", f->path);
	return 0;
}

int out_folder_put(const struct out_folder *f, const struct timespec *now, const char *name,
		   const void *data, size_t len, struct error *err)
{
	_cleanup_free_ char *file = name_of(now, name);
	_cleanup_free_ void *packed = file ? pack(data, len, &len) : NULL;
	_cleanup_free_ char *path = NULL;
	int ret;

	if (!packed || asprintf(&path, "%s/%s", f->path, file) < 0) {
		path = NULL;
		return error_nomem(err);
	}
	ret = out_folder_check(f, err);
	if (!ret)
		ret = write_file(path, packed, len, err);
	return ret ? ret : drop_oldest(f, file, err);
}
