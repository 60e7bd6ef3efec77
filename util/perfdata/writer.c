// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/bytes.h"
#include "util/base/cleanup.h"
#include "util/base/strbuf.h"

/* Set aside for the features, so that a disk filled by records still takes them. */
#define RESERVE_BYTES (512 * 1024)

int perfdata_writer_open(struct perfdata_writer *w, const char *path, struct error *err)
{
	struct stat st;
	int flags = O_RDWR | O_CLOEXEC;

	*w = (struct perfdata_writer){.fd = -1};
	w->path = strdup(path);
	if (!w->path)
		return error_nomem(err);
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		w->fd = open(path, S_ISDIR(st.st_mode) ? flags : O_WRONLY | O_CLOEXEC);
		return w->fd < 0 ? error_set_errno(err, errno, "cannot write '%s'", path) : 0;
	}
	w->regular = true;
	if (asprintf(&w->tmp_path, "%s.new-%d", path, (int)getpid()) < 0) {
		w->tmp_path = NULL;
		return error_nomem(err);
	}
	w->fd = open(w->tmp_path, flags | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
	if (w->fd < 0) {
		int code = errno;

		free(w->tmp_path);
		w->tmp_path = NULL;
		return error_set_errno(err, code, "cannot write '%s'", path);
	}
	return 0;
}

void perfdata_writer_deinit(struct perfdata_writer *w)
{
	if (w->fd >= 0)
		close(w->fd);
	if (w->tmp_path)
		unlink(w->tmp_path);
	free(w->tmp_path);
	free(w->path);
	packer_free(w->packer);
	*w = (struct perfdata_writer){.fd = -1};
}

/* All bytes or an errno; *ret_pos is behind what was written, w->pos moves only when all was. */
static int write_all(struct perfdata_writer *w, const struct iovec *pieces, int nr,
		     uint64_t *ret_pos)
{
	uint64_t pos = w->pos;

	*ret_pos = pos;

	for (int i = 0; i < nr; i++) {
		const uint8_t *p = pieces[i].iov_base;
		size_t left = pieces[i].iov_len;

		while (left) {
			ssize_t n = w->regular ? pwrite(w->fd, p, left, (off_t)pos)
					       : write(w->fd, p, left);

			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				return n ? -errno : -ENOSPC;
			p += n;
			left -= (size_t)n;
			pos += (size_t)n;
			*ret_pos = pos;
		}
	}
	w->pos = pos;
	return 0;
}

static int write_bytes(struct perfdata_writer *w, const void *data, size_t len)
{
	struct iovec v = {(void *)data, len};
	uint64_t end;

	return write_all(w, &v, 1, &end);
}

static int write_header(struct perfdata_writer *w, struct error *err)
{
	uint64_t pos = w->pos;
	int ret;

	if (!w->regular && pos)
		return 0; /* a device keeps the first, unfinished header */
	w->pos = 0;
	ret = write_bytes(w, &w->header, sizeof(w->header));
	if (pos)
		w->pos = pos;
	return ret ? error_set_errno(err, -ret, "cannot write '%s'", w->path) : 0;
}

int perfdata_writer_begin(struct perfdata_writer *w, const struct perfdata_writer_attr *attrs,
			  size_t nr, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf table = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf ids = STRBUF_INIT;
	const uint64_t ids_offset = sizeof(struct perfdata_header);
	int ret;

	for (size_t i = 0; i < nr; i++) {
		struct perfdata_section s = {ids_offset + ids.len,
					     attrs[i].nr_ids * sizeof(uint64_t)};

		strbuf_add(&table, attrs[i].attr, sizeof(*attrs[i].attr));
		strbuf_add(&table, &s, sizeof(s));
		strbuf_add(&ids, attrs[i].ids, s.size);
	}
	if (table.failed || ids.failed)
		return error_nomem(err);
	w->header = (struct perfdata_header){
		.magic = PERFDATA_MAGIC,
		.size = sizeof(w->header),
		.attr_size = sizeof(struct perf_event_attr) + sizeof(struct perfdata_section),
		.attrs = {ids_offset + ids.len, table.len},
		.data = {ids_offset + ids.len + table.len, 0},
	};
	ret = write_header(w, err);
	if (ret)
		return ret;
	ret = write_bytes(w, ids.buf, ids.len);
	if (!ret)
		ret = write_bytes(w, table.buf, table.len);
	if (ret)
		return error_set_errno(err, -ret, "cannot write '%s'", w->path);
	w->reserved =
		w->regular && !fallocate(w->fd, FALLOC_FL_KEEP_SIZE, (off_t)1 << 36, RESERVE_BYTES);
	return 0;
}

int perfdata_writer_publish(struct perfdata_writer *w, struct error *err)
{
	_cleanup_free_ char *old = NULL;

	if (!w->tmp_path)
		return 0;
	if (asprintf(&old, "%s.old", w->path) < 0) {
		old = NULL;
		return error_nomem(err);
	}
	if (rename(w->path, old) && errno != ENOENT)
		return error_set_errno(err, errno, "cannot keep '%s' as '%s'", w->path, old);
	if (rename(w->tmp_path, w->path))
		return error_set_errno(err, errno, "cannot write '%s'", w->path);
	free(w->tmp_path);
	w->tmp_path = NULL;
	return 0;
}

/* The bytes of whole records among the first `len` bytes of the pieces. */
static uint64_t whole_records(const struct iovec *pieces, int nr, uint64_t len)
{
	uint64_t whole = 0, start = 0, at = 0;

	for (int i = 0; i < nr; start += pieces[i++].iov_len) {
		uint64_t end = start + pieces[i].iov_len;

		/* A record may reach into the next piece, its header not (8 bytes, aligned). */
		while (at < end) {
			const uint8_t *h = (const uint8_t *)pieces[i].iov_base + (at - start);
			uint16_t size =
				load_u16(h + offsetof(struct perf_event_header, size), false);

			at += size;
			if (at > len || !size)
				return whole;
			whole = at;
		}
	}
	return whole;
}

int perfdata_writer_append(struct perfdata_writer *w, const struct iovec *pieces, int nr,
			   struct error *err)
{
	struct iovec packed;
	uint64_t end;
	int ret;

	if (w->packer) {
		ret = packer_feed(w->packer, pieces, nr, &packed, err);
		if (ret)
			return ret;
		pieces = &packed;
		nr = 1;
	}
	ret = write_all(w, pieces, nr, &end);
	if (!ret)
		return 0;
	/* Keep the whole records; cutting also gives the reserve back, for the features. */
	w->pos += whole_records(pieces, nr, end - w->pos);
	if (w->regular && ftruncate(w->fd, (off_t)w->pos))
		ret = -errno;
	else
		w->reserved = false;
	return error_set_errno(err, -ret, "cannot write '%s'", w->path);
}

int perfdata_writer_compress(struct perfdata_writer *w, int level, struct error *err)
{
	w->level = level;
	return packer_new(&w->packer, level, err);
}

uint64_t perfdata_writer_data_size(const struct perfdata_writer *w)
{
	return w->pos - w->header.data.offset;
}

static int write_features(struct perfdata_writer *w, const struct perfdata_features *features)
{
	_cleanup_free_ struct perfdata_section *table = NULL;
	uint64_t pos = w->pos, offset;
	int ret;

	table = calloc(features->nr ? features->nr : 1, sizeof(*table));
	if (!table)
		return -ENOMEM;
	offset = pos + features->nr * sizeof(*table);
	for (size_t i = 0; i < features->nr; i++) {
		table[i] = (struct perfdata_section){offset, features->v[i].bytes.len};
		offset += table[i].size;
	}
	ret = write_bytes(w, table, features->nr * sizeof(*table));
	for (size_t i = 0; i < features->nr && !ret; i++)
		ret = write_bytes(w, features->v[i].bytes.buf, features->v[i].bytes.len);
	if (ret) {
		w->pos = pos;
		return ret;
	}
	for (size_t i = 0; i < features->nr; i++)
		w->header.features[features->v[i].bit / 64] |= 1ULL << features->v[i].bit % 64;
	return 0;
}

int perfdata_writer_finish(struct perfdata_writer *w, const struct perfdata_features *features,
			   struct error *err)
{
	uint64_t size = perfdata_writer_data_size(w);
	int ret, ret_features;

	if (w->reserved && ftruncate(w->fd, (off_t)w->pos))
		return error_set_errno(err, errno, "cannot finish '%s'", w->path);
	w->reserved = false;
	ret_features = w->regular ? write_features(w, features) : 0;
	if (ret_features && w->regular && ftruncate(w->fd, (off_t)w->pos))
		ret_features = -errno;
	w->header.data.size = size;
	ret = write_header(w, err);
	if (!ret && ret_features)
		ret = error_set_errno(err, -ret_features,
				      "cannot write what describes the recording to '%s'", w->path);
	return ret;
}
