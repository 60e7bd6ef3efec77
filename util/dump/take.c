// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/dump/take.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif

#include "util/base/cleanup.h"
#include "util/base/strbuf.h"
#include "util/base/unlinked_file.h"
#include "util/host/mounts.h"
#include "util/dump/archive.h"
#include "util/dump/archive_entries.h"
#include "util/dump/archive_info.h"
#include "util/dump/tar.h"
#include "util/source/host_facts.h"

#define BUF_SIZE (1u << 17)

/* The quickest files come first, so they are closest to each other and to the time in `info`. */
static const struct text {
	const char *name;
	const char *path;  /* relative to debugfs unless it begins with '/' */
	const char *needs; /* requirements of a kernel that has it; "": all kernels have it */
	bool is_large;	   /* or slow to read: not in a series */
} texts[] = {
	{"zoneinfo", "/proc/zoneinfo", ""},
	{"meminfo", "/proc/meminfo", ""},
	{"vmstat", "/proc/vmstat", ""},
	{"buddyinfo", "/proc/buddyinfo", ""},
	{"slabinfo", "/proc/slabinfo", "CONFIG_SLUB_DEBUG"},
	{"allocinfo", "/proc/allocinfo", "since 6.10, CONFIG_MEM_ALLOC_PROFILING", true},
	{"vmallocinfo", "/proc/vmallocinfo", ""},
	{"sockstat", "/proc/net/sockstat", "CONFIG_INET"},
	{"pagetypeinfo", "/proc/pagetypeinfo", "", true},
	{"page_owner_stacks", "page_owner_stacks/show_stacks",
	 "since 6.8, CONFIG_PAGE_OWNER and page_owner=on", true},
	{"page_owner", "page_owner", "CONFIG_PAGE_OWNER and page_owner=on", true},
};

#define NR_TEXTS (sizeof(texts) / sizeof(texts[0]))
#define DEBUGFS	 "/sys/kernel/debug/"

struct copy {
	int fd; /* -1 if it could not be read */
	uint64_t bytes;
};

struct taking {
	const struct snapshot_taking *how;
	struct error *err;
	struct copy copies[NR_TEXTS + 1]; /* the last one is the part that is made */
	size_t nr_copies;
	uint8_t *buf, *packed;
#ifdef HAVE_LIBZSTD
	ZSTD_CStream *stream;
#endif
};

const char *snapshot_text_needs(const char *path)
{
	const size_t debugfs = !strncmp(path, DEBUGFS, strlen(DEBUGFS)) ? strlen(DEBUGFS) : 0;

	for (size_t i = 0; i < NR_TEXTS && *path == '/'; i++)
		if (*texts[i].needs && !strcmp(texts[i].path, path + debugfs))
			return texts[i].needs;
	return NULL;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Returns false if debugfs is not mounted. */
static bool path_of(const struct taking *t, const struct text *text, char path[PATH_MAX])
{
	const char *root = t->how->root;
	char below[64];

	if (text->path[0] == '/')
		return snprintf(path, PATH_MAX, "%s%s", root, text->path) < PATH_MAX;
	if (*root)
		return snprintf(path, PATH_MAX, "%s" DEBUGFS "%s", root, text->path) < PATH_MAX;
	if (snprintf(below, sizeof(below), "/%s", text->path) >= (int)sizeof(below))
		return false;
	return mounts_find("debugfs", NULL, below, path);
}

/* Returns 0, a positive errno from reading the text, or a negative one from writing the copy. */
static int copy_text(struct taking *t, int from, struct copy *copy)
{
	ssize_t n;
	int ret;

	while ((n = read(from, t->buf, BUF_SIZE)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		ret = unlinked_file_write(copy->fd, t->buf, (size_t)n);
		if (ret)
			return ret;
		copy->bytes += (uint64_t)n;
	}
	return 0;
}

/* Returns 0, a positive errno, or a negative one that ends the snapshot. */
static int make_copy(struct taking *t, const char *path, struct copy *copy)
{
	_cleanup_close_ int from = open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (from < 0)
		return errno;
	copy->fd = unlinked_file_open();
	if (copy->fd < 0)
		return copy->fd;
	ret = copy_text(t, from, copy);
	if (!ret && !copy->bytes)
		ret = ENODATA;
	if (ret > 0) {
		close(copy->fd);
		copy->fd = -1;
	}
	return ret;
}

static void add_missing(struct taking *t, struct strbuf *info, const struct text *text, int error)
{
	char why[128];

	if (error == ENOENT && *text->needs)
		snprintf(why, sizeof(why), "this kernel has none (%s)", text->needs);
	else
		snprintf(why, sizeof(why), "%s",
			 error == ENOENT		     ? "this kernel has none"
			 : error == EACCES || error == EPERM ? "only root may read it"
			 : error == ENODATA		     ? "it is empty"
							     : strerror(error));
	archive_info_add_missing(info, text->name, why);
	if (t->how->report)
		t->how->report(t->how->ctx, text->name, 0, why);
}

static int copy_all(struct taking *t, struct strbuf *info)
{
	unsigned int nr = 0;
	char path[PATH_MAX];

	for (size_t i = 0; i < NR_TEXTS; i++) {
		struct copy *copy = &t->copies[t->nr_copies++];
		int ret;

		*copy = (struct copy){.fd = -1};
		if (t->how->is_series && texts[i].is_large) {
			archive_info_add_missing(info, texts[i].name, "left out of a series");
			continue;
		}
		ret = path_of(t, &texts[i], path) ? make_copy(t, path, copy) : ENOENT;
		if (ret < 0)
			return error_set_errno(t->err, -ret, "cannot keep a copy of '%s' in '%s'",
					       path, unlinked_file_dir());
		if (ret > 0) {
			add_missing(t, info, &texts[i], ret);
			continue;
		}
		archive_info_add_part(info, texts[i].name, copy->bytes);
		if (t->how->report)
			t->how->report(t->how->ctx, texts[i].name, copy->bytes, NULL);
		nr++;
	}
	return nr ? 0 : error_set(t->err, ENODATA, "nothing can be read in /proc: no snapshot");
}

/* Errors: those that end the snapshot. */
static int make_part(struct taking *t, struct strbuf *info)
{
	const struct snapshot_part *part = t->how->part;
	struct copy *copy = &t->copies[t->nr_copies];
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	int ret;

	if (!part)
		return 0;
	copy->fd = -1;
	t->nr_copies++;
	ret = part->make(t->how->root, &text);
	if (ret || !text.len)
		return ret;
	copy->fd = unlinked_file_open();
	ret = copy->fd < 0 ? copy->fd
			   : unlinked_file_write(copy->fd, (const uint8_t *)text.buf, text.len);
	if (ret)
		return error_set_errno(t->err, -ret, "cannot keep '%s' in '%s'", part->name,
				       unlinked_file_dir());
	copy->bytes = text.len;
	archive_info_add_part(info, part->name, copy->bytes);
	if (t->how->report)
		t->how->report(t->how->ctx, part->name, copy->bytes, NULL);
	return 0;
}

/* ---- the archive ----------------------------------------------------------------------------- */

static int write_out(struct taking *t, const uint8_t *data, size_t len)
{
	return len ? t->how->write(t->how->ctx, data, len) : 0;
}

#ifdef HAVE_LIBZSTD

static int open_packing(struct taking *t)
{
	t->stream = ZSTD_createCStream();
	t->packed = malloc(BUF_SIZE);
	return t->stream && t->packed ? 0 : -ENOMEM;
}

static int pack(struct taking *t, const uint8_t *data, size_t len, ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = {.src = data, .size = len};
	size_t left;

	do {
		ZSTD_outBuffer out = {.dst = t->packed, .size = BUF_SIZE};
		int ret;

		left = ZSTD_compressStream2(t->stream, &out, &in, how);
		if (ZSTD_isError(left))
			return -ENOMEM;
		ret = write_out(t, t->packed, out.pos);
		if (ret)
			return ret;
	} while (in.pos < in.size || (how == ZSTD_e_end && left));
	return 0;
}

static int put(struct taking *t, const uint8_t *data, size_t len)
{
	return pack(t, data, len, ZSTD_e_continue);
}

static int end_packing(struct taking *t)
{
	return pack(t, NULL, 0, ZSTD_e_end);
}

static void close_packing(struct taking *t)
{
	ZSTD_freeCStream(t->stream);
	free(t->packed);
}

#else

static int open_packing(struct taking *t)
{
	(void)t;
	return 0;
}

static int put(struct taking *t, const uint8_t *data, size_t len)
{
	return write_out(t, data, len);
}

static int end_packing(struct taking *t)
{
	(void)t;
	return 0;
}

static void close_packing(struct taking *t)
{
	(void)t;
}

#endif

static int put_zeroes(struct taking *t, size_t len)
{
	static const uint8_t zeroes[2 * TAR_BLOCK];

	return put(t, zeroes, len);
}

static int put_header(struct taking *t, const char *name, uint64_t bytes, uint64_t wall_ns)
{
	uint8_t header[TAR_BLOCK];
	char path[TAR_NAME_MAX + 1];

	snprintf(path, sizeof(path), ARCHIVE_FOLDER "%s", name);
	tar_make_header(header, path, bytes, wall_ns / 1000000000);
	return put(t, header, sizeof(header));
}

static int put_copy(struct taking *t, const struct copy *copy)
{
	uint64_t left = copy->bytes;

	if (lseek(copy->fd, 0, SEEK_SET) < 0)
		return -errno;
	while (left) {
		ssize_t n = read(copy->fd, t->buf, left < BUF_SIZE ? left : BUF_SIZE);
		int ret;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		ret = put(t, t->buf, (size_t)n);
		if (ret)
			return ret;
		left -= (uint64_t)n;
	}
	return put_zeroes(t, tar_padding(copy->bytes));
}

static int put_all(struct taking *t, const struct strbuf *info, uint64_t wall_ns)
{
	int ret = put_header(t, ARCHIVE_INFO, info->len, wall_ns);

	if (!ret)
		ret = put(t, (const uint8_t *)info->buf, info->len);
	if (!ret)
		ret = put_zeroes(t, tar_padding(info->len));
	for (size_t i = 0; !ret && i < t->nr_copies; i++) {
		if (t->copies[i].fd < 0)
			continue;
		ret = put_header(t, i < NR_TEXTS ? texts[i].name : t->how->part->name,
				 t->copies[i].bytes, wall_ns);
		if (!ret)
			ret = put_copy(t, &t->copies[i]);
	}
	if (!ret)
		ret = put_zeroes(t, (size_t)2 * TAR_BLOCK);
	return ret ? ret : end_packing(t);
}

static int take(struct taking *t, struct source_facts *f, struct strbuf *info)
{
	int ret;

	if (source_facts_fill_from_host(f) || open_packing(t))
		return -ENOMEM;
	archive_info_write(info, f, t->how->is_series);
	snapshot_refresh_counters(t->how->root);
	ret = copy_all(t, info);
	if (!ret)
		ret = make_part(t, info);
	if (ret || info->failed)
		return ret ? ret : -ENOMEM;
	return put_all(t, info, f->clock.wall_ns);
}

void snapshot_refresh_counters(const char *root)
{
	_cleanup_(strbuf_deinit) struct strbuf unused = STRBUF_INIT;
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/proc/sys/vm/stat_refresh", root) < PATH_MAX)
		strbuf_read_file(&unused, path);
}

int snapshot_take(const struct snapshot_taking *how, struct error *err)
{
	struct taking t = {.how = how, .err = err, .buf = malloc(BUF_SIZE)};
	struct strbuf info = STRBUF_INIT;
	struct source_facts facts;
	int ret;

	source_facts_init(&facts);
	ret = t.buf ? take(&t, &facts, &info) : -ENOMEM;
	for (size_t i = 0; i < t.nr_copies; i++)
		if (t.copies[i].fd >= 0)
			close(t.copies[i].fd);
	close_packing(&t);
	free(t.buf);
	strbuf_deinit(&info);
	source_facts_deinit(&facts);
	if (ret == -ENOMEM)
		return error_nomem(err);
	return ret;
}
