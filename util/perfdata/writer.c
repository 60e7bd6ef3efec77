// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/bytes.h"
#include "util/base/cleanup.h"
#include "util/base/strbuf.h"

/* Reserved for the features, so that they fit even if records have filled the disk. */
#define RESERVE_BYTES (512 * 1024)

int perfdata_writer_open(struct perfdata_writer *w, const char *path,
			 const struct perfdata_writer_hooks *hooks, struct error *err)
{
	struct out_file_how how = {.keep_old = true, .has_check = true};
	int ret;

	*w = (struct perfdata_writer)PERFDATA_WRITER_INIT;
	if (hooks)
		w->hooks = *hooks;
	how.wait = w->hooks.wait;
	ret = out_file_open(&w->file, path, &how, err);
	w->pipe_form = w->file.stream || w->file.inherited;
	return ret;
}

void perfdata_writer_deinit(struct perfdata_writer *w)
{
	out_file_deinit(&w->file);
	packer_free(w->packer);
	*w = (struct perfdata_writer)PERFDATA_WRITER_INIT;
}

static int fail(const struct perfdata_writer *w, int ret, struct error *err)
{
	if (ret == -EPIPE)
		return error_set(err, EPIPE, "the reader of '%s' went away", w->file.path);
	if (ret == -ECANCELED)
		return error_set(err, ECANCELED, "nobody reads '%s' any more", w->file.path);
	return error_set_errno(err, -ret, "cannot write '%s'", w->file.path);
}

/* Writes all bytes or returns -errno; w->pos moves only if all were written. */
static int write_all(struct perfdata_writer *w, const struct iovec *pieces, int nr,
		     uint64_t *ret_len)
{
	int ret = out_file_write(&w->file, w->pos, pieces, nr, ret_len);

	if (!ret)
		w->pos += *ret_len;
	return ret;
}

static int write_bytes(struct perfdata_writer *w, const void *data, size_t len)
{
	struct iovec v = {(void *)data, len};
	uint64_t written;

	return write_all(w, &v, 1, &written);
}

static int write_header(struct perfdata_writer *w, struct error *err)
{
	uint64_t pos = w->pos;
	int ret;

	if (!w->file.regular && pos)
		return 0; /* a device keeps the first header, of an unfinished recording */
	w->pos = 0;
	ret = write_bytes(w, &w->header, sizeof(w->header));
	if (pos)
		w->pos = pos;
	return ret ? fail(w, ret, err) : 0;
}

/* Write the short header, and each attr with its ids as a record. */
static int begin_pipe(struct perfdata_writer *w, const struct perfdata_writer_attr *attrs,
		      size_t nr, struct error *err)
{
	const uint64_t header[] = {PERFDATA_MAGIC, PERFDATA_PIPE_HEADER_SIZE};
	_cleanup_(strbuf_deinit) struct strbuf out = STRBUF_INIT;
	int ret;

	strbuf_add(&out, header, sizeof(header));
	for (size_t i = 0; i < nr; i++) {
		size_t ids = attrs[i].nr_ids * sizeof(uint64_t);
		struct perf_event_header h = {
			.type = PERF_RECORD_HEADER_ATTR,
			.size = (uint16_t)(sizeof(h) + sizeof(*attrs[i].attr) + ids),
		};

		if (sizeof(h) + sizeof(*attrs[i].attr) + ids > UINT16_MAX)
			return error_set(
				err, E2BIG,
				"cannot write '%s': an event on %zu CPUs and tasks does not "
				"fit the pipe format",
				w->file.path, attrs[i].nr_ids);
		strbuf_add(&out, &h, sizeof(h));
		strbuf_add(&out, attrs[i].attr, sizeof(*attrs[i].attr));
		strbuf_add(&out, attrs[i].ids, ids);
	}
	if (out.failed)
		return error_nomem(err);
	ret = write_bytes(w, out.buf, out.len);
	return ret ? fail(w, ret, err) : 0;
}

int perfdata_writer_begin(struct perfdata_writer *w, const struct perfdata_writer_attr *attrs,
			  size_t nr, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf table = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf ids = STRBUF_INIT;
	const uint64_t ids_offset = sizeof(struct perfdata_header);
	int ret;

	if (w->pipe_form)
		return begin_pipe(w, attrs, nr, err);
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
		return fail(w, ret, err);
	w->reserved = w->file.regular &&
		      !fallocate(w->file.fd, FALLOC_FL_KEEP_SIZE, (off_t)1 << 36, RESERVE_BYTES);
	return 0;
}

int perfdata_writer_publish(struct perfdata_writer *w, struct error *err)
{
	return out_file_publish(&w->file, err);
}

/* The boundaries of records in the pieces: a walk from header to header. */
struct walk {
	const struct iovec *pieces;
	int nr;
	int piece;	/* index of the piece that contains `at` */
	uint64_t start; /* offset of that piece */
	uint64_t at;	/* offset of a record */
};

/* Advance over whole records that end at or before `end`. */
static void walk_to(struct walk *w, uint64_t end)
{
	for (; w->piece < w->nr; w->start += w->pieces[w->piece++].iov_len) {
		const uint8_t *p = w->pieces[w->piece].iov_base;
		uint64_t piece_end = w->start + w->pieces[w->piece].iov_len;

		/* A record may extend into the next piece, but not its header (8 bytes,
		 * aligned). */
		while (w->at < piece_end) {
			uint16_t size = load_u16(p + (w->at - w->start) +
							 offsetof(struct perf_event_header, size),
						 false);

			if (!size || w->at + size > end)
				return;
			w->at += size;
		}
	}
}

/* Put the bytes [from, to) of the pieces into `out`, which has room for nr. Returns the number
 * used. */
static int cut(const struct iovec *pieces, int nr, uint64_t from, uint64_t to, struct iovec *out)
{
	uint64_t start = 0;
	int n = 0;

	for (int i = 0; i < nr; start += pieces[i++].iov_len) {
		uint64_t end = start + pieces[i].iov_len;
		uint64_t a = from > start ? from : start, b = to < end ? to : end;

		if (a < b)
			out[n++] =
				(struct iovec){(uint8_t *)pieces[i].iov_base + (a - start), b - a};
	}
	return n;
}

/* Keep `keep` bytes of a write that failed, and release the reserve. */
static int cut_off(struct perfdata_writer *w, uint64_t keep, int ret, struct error *err)
{
	w->pos += keep;
	if (w->file.regular && ftruncate(w->file.fd, (off_t)w->pos))
		ret = -errno;
	else
		w->reserved = false;
	return fail(w, ret, err);
}

int perfdata_writer_append_plain(struct perfdata_writer *w, const struct iovec *pieces, int nr,
				 struct error *err)
{
	struct walk walk = {pieces, nr};
	uint64_t written;
	int ret = write_all(w, pieces, nr, &written);

	if (!ret)
		return 0;
	walk_to(&walk, written);
	w->kept = walk.at;
	return cut_off(w, walk.at, ret, err);
}

/* Set the level for the next chunk. Returns 0 if it is not to be compressed. */
static int choose_level(struct perfdata_writer *w)
{
	int level = w->hooks.level ? w->hooks.level(w->hooks.ctx) : w->level;

	if (level)
		packer_set_level(w->packer, level);
	return level;
}

/* Compressed bytes are written completely or not at all. */
static int append_packed(struct perfdata_writer *w, const struct iovec *packed, struct error *err)
{
	uint64_t written;
	int ret = write_all(w, packed, 1, &written);

	return ret ? cut_off(w, 0, ret, err) : 0;
}

static int append_chunk(struct perfdata_writer *w, const struct iovec *pieces, int nr,
			struct error *err)
{
	struct iovec packed;
	int ret;

	w->kept = 0;
	if (!choose_level(w))
		return perfdata_writer_append_plain(w, pieces, nr, err);
	ret = packer_feed(w->packer, pieces, nr, &packed, err);
	return ret ? ret : append_packed(w, &packed, err);
}

int perfdata_writer_append(struct perfdata_writer *w, const struct iovec *pieces, int nr,
			   struct error *err)
{
	_cleanup_free_ struct iovec *chunk = NULL;
	struct walk walk = {pieces, nr};
	uint64_t len = 0;

	if (!w->packer)
		return perfdata_writer_append_plain(w, pieces, nr, err);
	chunk = calloc((size_t)nr + 1, sizeof(*chunk));
	if (!chunk)
		return error_nomem(err);
	for (int i = 0; i < nr; i++)
		len += pieces[i].iov_len;
	for (uint64_t from = 0; from < len;) {
		int ret;

		walk_to(&walk, from + PACKER_CHUNK);
		/* bytes that are not a record are written unchanged */
		ret = append_chunk(w, chunk,
				   cut(pieces, nr, from, walk.at > from ? walk.at : len, chunk),
				   err);
		if (ret) {
			w->kept += from;
			return ret;
		}
		from = walk.at > from ? walk.at : len;
	}
	return 0;
}

int perfdata_writer_append_ordered(struct perfdata_writer *w, const struct record_order *records,
				   struct error *err)
{
	uint64_t before = 0;

	for (size_t i = 0; i < records->nr;) {
		struct iovec chunk, packed;
		int level = choose_level(w), ret;

		i += packer_gather(w->packer, records, i, &chunk);
		w->kept = 0;
		if (level)
			ret = packer_feed_chunk(w->packer, &packed, err);
		else
			ret = perfdata_writer_append_plain(w, &chunk, 1, err);
		if (level && !ret)
			ret = append_packed(w, &packed, err);
		if (ret) {
			w->kept += before;
			return ret;
		}
		before += chunk.iov_len;
	}
	return 0;
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

	if (w->pipe_form)
		return 0;
	if (w->reserved && ftruncate(w->file.fd, (off_t)w->pos))
		return error_set_errno(err, errno, "cannot finish '%s'", w->file.path);
	w->reserved = false;
	ret_features = w->file.regular ? write_features(w, features) : 0;
	if (ret_features && w->file.regular && ftruncate(w->file.fd, (off_t)w->pos))
		ret_features = -errno;
	w->header.data.size = size;
	ret = write_header(w, err);
	if (!ret && ret_features)
		ret = error_set_errno(err, -ret_features,
				      "cannot write the description of the recording to '%s'",
				      w->file.path);
	return ret;
}
