// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/perfdata/unpack.h"

#define PIPE_BUFFER   (1u << 20)
#define UNPACK_BUFFER (1u << 20)

/* What one COMPRESSED record may unpack to when the recording does not say. */
#define UNPACK_MAX_DEFAULT (64ull << 20)
#define UNPACK_MAX	   (512ull << 20)

/* Records that must follow one another before we believe to be in step again. */
#define RESYNC_RECORDS 4

static int take_record(struct reader *r, const struct record *record);

static bool host_is_little_endian(void)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

static bool plausible(const struct reader *r, const struct record *rec)
{
	const struct recording *recording = r->recording;

	if (!record_type_known(rec->type) || rec->size % 8)
		return false;
	if (rec->type != PERF_RECORD_SAMPLE || !recording->nr_events)
		return true;
	if (rec->size < recording->events[0]->layout.fixed_end)
		return false;
	if (recording->events[0]->layout.id != RECORD_HEADER_SIZE)
		return true;
	return recording_event_by_id(recording, load_u64(rec->data + 8, recording->swap)) != NULL;
}

/*
 * The first place at or after data + 8 from which RESYNC_RECORDS plausible records
 * follow one another, or all up to the end.  Returns bytes from data; `left` when there is none.
 */
static uint64_t find_resync(const struct reader *r, const uint8_t *data, uint64_t left)
{
	for (uint64_t at = 8; at + RECORD_HEADER_SIZE <= left; at += 8) {
		uint64_t p = at;
		int n = 0;

		while (n < RESYNC_RECORDS && p < left) {
			struct record rec;

			if (record_peek(data + p, left - p, r->recording->swap, &rec) !=
				    RECORD_OK ||
			    !plausible(r, &rec))
				break;
			p += rec.total;
			n++;
		}
		if (n == RESYNC_RECORDS || (n && p == left))
			return at;
	}
	return left;
}

/* Step over what is no record; returns the bytes stepped over. */
static uint64_t step_over(struct reader *r, const uint8_t *data, uint64_t left, uint64_t pos,
			  bool at_end)
{
	struct read_damage *damage = &r->recording->damage;
	uint64_t skip = find_resync(r, data, left);
	struct record rec;

	record_peek(data, left, r->recording->swap, &rec);
	if (skip == left && at_end) {
		damage->truncated = true;
		recording_damage(r->recording, pos, "the data ends inside a record");
	} else {
		recording_damage(r->recording, pos, "no record can be read (type %u, size %u)",
				 rec.type, rec.size);
		damage->nr_skipped_records++;
	}
	damage->nr_skipped_bytes += skip;
	return skip;
}

/* All whole records of a piece of memory that will not grow. */
static int read_memory(struct reader *r, const uint8_t *data, uint64_t len, uint64_t pos,
		       uint64_t *progress)
{
	uint64_t at = 0;

	while (at < len) {
		struct record rec;
		int ret;

		if (record_peek(data + at, len - at, r->recording->swap, &rec) != RECORD_OK) {
			bool end = rec.total > len - at || len - at < RECORD_HEADER_SIZE;

			at += step_over(r, data + at, len - at, pos + at, end);
			continue;
		}
		rec.pos = pos + at;
		at += rec.total;
		if (progress)
			*progress = pos + at;
		ret = take_record(r, &rec);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* Room for `want` bytes from position pos on; what is already there of them stays. */
static int make_room(struct spans *spans, uint64_t pos, uint64_t want, size_t buffer,
		     struct span **ret_span)
{
	struct span *sp = spans->nr ? &spans->v[spans->nr - 1] : NULL;

	if (!sp || pos + want > sp->start + sp->cap || sp->len == sp->cap) {
		uint64_t cap =
			want + RECORD_HEADER_SIZE > buffer ? want + RECORD_HEADER_SIZE : buffer;
		int ret = spans_add_heap(spans, pos, cap, &sp);

		if (ret)
			return ret;
	}
	*ret_span = sp;
	return 0;
}

/* Whole records among the unpacked bytes; a tail waits for more. */
static int read_unpacked(struct reader *r)
{
	/* the last span keeps its place in memory while fn drops those before it */
	const struct span span = r->unpacked.v[r->unpacked.nr - 1];

	while (r->unpacked_pos < span.start + span.len) {
		const uint8_t *data = span.data + (r->unpacked_pos - span.start);
		uint64_t left = span.start + span.len - r->unpacked_pos;
		struct record rec;
		enum record_status status = record_peek(data, left, r->recording->swap, &rec);
		int ret;

		/* what a recorder packs is at most 64 KiB large */
		if (status == RECORD_SHORT && rec.total <= UINT16_MAX)
			return 0;
		if (status != RECORD_OK || rec.type == PERF_RECORD_COMPRESSED ||
		    rec.type == PERF_RECORD_COMPRESSED2) {
			r->unpacked_pos += step_over(r, data, left, r->unpacked_pos, false);
			continue;
		}
		rec.pos = r->unpacked_pos;
		r->unpacked_pos += rec.total;
		ret = r->fn(r->ctx, &rec);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* The pieces of a stream after a broken one mean nothing until a frame starts anew. */
static int stream_broke(struct reader *r, const struct record *rec, const char *what)
{
	recording_damage(r->recording, rec->pos, "%s", what);
	r->recording->damage.nr_skipped_records++;
	r->recording->damage.nr_skipped_bytes += rec->size;
	unpacker_free(r->unpacker);
	r->unpacker = NULL;
	r->unpack_broken = true;
	if (r->unpacked.nr) {
		const struct span *sp = &r->unpacked.v[r->unpacked.nr - 1];

		r->unpacked_pos = sp->start + ((sp->len + 7) & ~7ull);
	}
	return 0;
}

static bool starts_frame(const uint8_t *in, size_t left)
{
	return left >= 4 && load_u32(in, !host_is_little_endian()) == 0xfd2fb528;
}

static int unpack(struct reader *r, const struct record *rec, const uint8_t *in, size_t left)
{
	uint64_t budget = r->recording->compressed_mmap_len;
	bool full;

	if (!budget)
		budget = UNPACK_MAX_DEFAULT;
	if (budget > UNPACK_MAX)
		budget = UNPACK_MAX;
	budget += UINT16_MAX;
	do {
		uint64_t end = r->unpacked_pos;
		struct span *sp;
		size_t written;
		int ret;

		if (r->unpacked.nr) {
			sp = &r->unpacked.v[r->unpacked.nr - 1];
			if (sp->start + sp->len > end)
				end = sp->start + sp->len;
		}
		ret = make_room(&r->unpacked, r->unpacked_pos, end - r->unpacked_pos + 1,
				UNPACK_BUFFER, &sp);
		if (ret)
			return ret;
		ret = unpacker_feed(r->unpacker, &in, &left, sp->data + sp->len, sp->cap - sp->len,
				    &written);
		sp->len += written;
		full = sp->len == sp->cap;
		if (ret)
			return stream_broke(r, rec, "a compressed record cannot be unpacked");
		if (written > budget)
			return stream_broke(r, rec,
					    "a compressed record unpacks to more than it may");
		budget -= written;
		ret = read_unpacked(r);
		if (ret < 0)
			return ret;
	} while (left || full);
	return 0;
}

static int take_compressed(struct reader *r, const struct record *rec)
{
	bool sized = rec->type == PERF_RECORD_COMPRESSED2;
	size_t head = sized ? 16 : RECORD_HEADER_SIZE;
	const uint8_t *in = rec->data + head;
	size_t left = rec->size - head;
	int ret;

	if (sized && load_u64(rec->data + 8, r->recording->swap) < left)
		left = load_u64(rec->data + 8, r->recording->swap);
	if (r->unpack_broken && !starts_frame(in, left)) {
		r->recording->damage.nr_skipped_records++;
		r->recording->damage.nr_skipped_bytes += rec->size;
		return 0;
	}
	r->unpack_broken = false;
	if (!r->unpacker) {
		struct error err = ERROR_INIT;

		ret = unpacker_new(&r->unpacker, &err);
		if (ret == -ENOMEM)
			return ret;
		if (ret)
			return stream_broke(r, rec, err.msg);
	}
	return unpack(r, rec, in, left);
}

static int take_record(struct reader *r, const struct record *record)
{
	if (record->type == PERF_RECORD_COMPRESSED || record->type == PERF_RECORD_COMPRESSED2)
		return take_compressed(r, record);
	return r->fn(r->ctx, record);
}

static int read_file(struct reader *r, const struct span *sp, uint64_t from, uint64_t to)
{
	return read_memory(r, sp->data + from, to - from, sp->start + from, &r->input_pos);
}

/* Fill the last span from the pipe until `want` bytes from pos on are there. 1: they are, 0: end.
 */
static int fill(struct reader *r, uint64_t pos, uint64_t want, struct span **ret_span)
{
	struct span *sp;
	int ret = make_room(&r->input, pos, want, PIPE_BUFFER, &sp);

	if (ret)
		return -ENOMEM;
	*ret_span = sp;
	while (sp->start + sp->len < pos + want) {
		ssize_t n = read(r->fd, sp->data + sp->len, sp->cap - sp->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		sp->len += n;
	}
	return 1;
}

/* A payload that is larger than this is not for us: it is read past, not kept. */
#define PIPE_RECORD_MAX (64ull << 20)

static int skip_pipe(struct reader *r, uint64_t *pos, uint64_t bytes)
{
	while (bytes) {
		uint64_t step = bytes < PIPE_BUFFER ? bytes : PIPE_BUFFER;
		struct span *sp;
		int ret = fill(r, *pos, step, &sp);

		if (ret <= 0)
			return ret;
		*pos += step;
		bytes -= step;
		spans_drop_before(&r->input, sp->start);
	}
	return 1;
}

static int read_pipe(struct reader *r)
{
	uint64_t pos = PERFDATA_PIPE_HEADER_SIZE;

	for (;;) {
		uint64_t want = RECORD_HEADER_SIZE;
		enum record_status status;
		struct record rec;
		struct span *sp;
		int ret;

		/* the header, then the record, then what follows it */
		do {
			ret = fill(r, pos, want, &sp);
			if (ret < 0)
				return ret;
			status = record_peek(sp->data + (pos - sp->start),
					     sp->start + sp->len - pos, r->recording->swap, &rec);
			want = rec.total;
		} while (ret && status == RECORD_SHORT && want <= PIPE_RECORD_MAX);

		if (sp->start + sp->len == pos)
			return 0;
		if (status == RECORD_SHORT && ret && rec.type == PERF_RECORD_AUXTRACE) {
			ret = skip_pipe(r, &pos, rec.total);
			if (ret < 0)
				return ret;
			continue;
		}
		if (status != RECORD_OK) {
			uint64_t left;

			ret = fill(r, pos, PIPE_BUFFER / 2, &sp);
			if (ret < 0)
				return ret;
			left = sp->start + sp->len - pos;
			pos += step_over(r, sp->data + (pos - sp->start), left, pos, ret == 0);
			continue;
		}
		rec.pos = pos;
		pos += rec.total;
		r->input_pos = pos;
		ret = take_record(r, &rec);
		if (ret < 0)
			return ret;
	}
}

static int check_owner(const char *path, const struct stat *st, struct error *err)
{
	if (st->st_uid == 0 || st->st_uid == geteuid())
		return 0;
	return error_set(err, EACCES,
			 "file '%s' is neither yours nor root's (use -f to read it all the same)",
			 path);
}

static int open_path(const char *path, const struct reader_options *options, struct stat *st,
		     int *ret_fd, struct error *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return error_set(err, ENOENT,
				 "no recording '%s' (make one with 'perf kmem record', or name "
				 "another with -i)",
				 path);
	if (fd < 0)
		return error_set_errno(err, errno, "cannot open '%s'", path);
	if (fstat(fd, st))
		return error_set_errno(err, errno, "cannot stat '%s'", path);
	if (!options->force && check_owner(path, st, err))
		return -err->code;
	*ret_fd = fd;
	fd = -1;
	return 0;
}

/* Enough of a pipe to see its header. */
static int open_pipe(struct reader *r, const char *path, struct error *err)
{
	struct span *sp;
	int ret = fill(r, 0, PERFDATA_PIPE_HEADER_SIZE, &sp);

	if (ret < 0)
		return error_set_errno(err, -ret, "cannot read '%s'", path);
	ret = header_parse(r->recording, sp->data, sp->len, 0, &r->layout, err);
	if (ret)
		return error_prefix(err, "'%s'", path);
	if (!r->layout.pipe)
		return error_set(err, ESPIPE,
				 "'%s' is a perf.data file read through a pipe: name it with -i",
				 path);
	r->recording->pipe = true;
	return 0;
}

static int open_file(struct reader *r, const char *path, const struct stat *st, struct error *err)
{
	struct span *sp;
	int ret;

	if (!S_ISREG(st->st_mode))
		return open_pipe(r, path, err);
	if (!st->st_size)
		return error_set(err, EINVAL, "'%s' is empty: the recorder wrote nothing", path);
	ret = spans_add_map(&r->input, r->fd, st->st_size, &sp);
	if (ret)
		return error_set_errno(err, -ret, "cannot map '%s'", path);
	ret = header_parse(r->recording, sp->data, sp->len, sp->len, &r->layout, err);
	if (!ret && r->layout.pipe) {
		r->recording->pipe = true;
		return 0;
	}
	if (!ret)
		ret = header_read_attrs(r->recording, sp->data, sp->len, err);
	if (ret)
		return error_prefix(err, "'%s'", path);
	return 0;
}

static int open_directory(struct reader *r, const char *path, const struct reader_options *options,
			  struct error *err)
{
	_cleanup_free_ char *data = NULL;
	struct stat st;
	int ret;

	if (asprintf(&data, "%s/data", path) < 0)
		return error_nomem(err);
	close(r->fd);
	r->fd = -1;
	ret = open_path(data, options, &st, &r->fd, err);
	if (!ret)
		ret = open_file(r, data, &st, err);
	r->directory = true;
	return ret;
}

int reader_open(struct reader *r, struct recording *recording, const char *path,
		const struct reader_options *options, struct error *err)
{
	struct stat st;
	int ret;

	*r = (struct reader){.recording = recording, .fd = -1, .unpacked_pos = READER_UNPACKED};
	r->unpacked.next_start = READER_UNPACKED;
	recording->path = strdup(path);
	if (!recording->path)
		return error_nomem(err);
	if (!strcmp(path, "-")) {
		r->fd = dup(STDIN_FILENO);
		ret = r->fd < 0 ? error_set_errno(err, errno, "cannot read standard input")
				: open_pipe(r, path, err);
	} else {
		ret = open_path(path, options, &st, &r->fd, err);
		if (!ret)
			ret = S_ISDIR(st.st_mode) ? open_directory(r, path, options, err)
						  : open_file(r, path, &st, err);
	}
	if (ret)
		reader_close(r);
	return ret;
}

void reader_close(struct reader *r)
{
	spans_deinit(&r->input);
	spans_deinit(&r->unpacked);
	unpacker_free(r->unpacker);
	r->unpacker = NULL;
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
}

int reader_for_each_feature(struct reader *r,
			    int (*fn)(void *ctx, unsigned int bit, struct bytes bytes), void *ctx)
{
	const struct span *sp = &r->input.v[0];

	if (r->recording->pipe)
		return 0;
	return header_for_each_feature(r->recording, sp->data, sp->len, &r->layout, fn, ctx);
}

/* data.0, data.1, ...: records without a header of their own, one zstd stream each. */
static int read_directory(struct reader *r, struct error *err)
{
	for (unsigned int i = 0;; i++) {
		_cleanup_free_ char *path = NULL;
		_cleanup_close_ int fd = -1;
		struct span *sp;
		struct stat st;
		int ret;

		if (asprintf(&path, "%s/data.%u", r->recording->path, i) < 0)
			return error_nomem(err);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT)
			return 0;
		if (fd < 0 || fstat(fd, &st))
			return error_set_errno(err, errno, "cannot open '%s'", path);
		if (!st.st_size)
			continue;
		ret = spans_add_map(&r->input, fd, st.st_size, &sp);
		if (ret)
			return error_set_errno(err, -ret, "cannot map '%s'", path);
		unpacker_free(r->unpacker);
		r->unpacker = NULL;
		ret = read_file(r, sp, 0, sp->len);
		if (ret)
			return ret;
	}
}

static void note_end(struct reader *r)
{
	const struct perfdata_layout *l = &r->layout;
	struct read_damage *damage = &r->recording->damage;

	if (r->recording->pipe)
		return;
	if (l->unfinished) {
		damage->truncated = true;
		recording_damage(r->recording, l->data_end, "the recording was never finished");
	} else if (l->data_size_said > l->data_end - l->data_start) {
		damage->truncated = true;
		recording_damage(r->recording, l->data_end,
				 "the file ends %" PRIu64 " bytes before its data does",
				 l->data_size_said - (l->data_end - l->data_start));
	}
}

int reader_read(struct reader *r, reader_record_fn fn, void *ctx, struct error *err)
{
	int ret;

	r->fn = fn;
	r->ctx = ctx;
	if (!r->recording->pipe)
		ret = read_file(r, &r->input.v[0], r->layout.data_start, r->layout.data_end);
	else if (r->input.v[0].mapped)
		ret = read_file(r, &r->input.v[0], PERFDATA_PIPE_HEADER_SIZE, r->input.v[0].len);
	else
		ret = read_pipe(r);
	if (!ret && r->directory)
		ret = read_directory(r, err);
	note_end(r);
	if (ret == -ENOMEM)
		return error_nomem(err);
	if (ret < 0 && err && !err->code)
		return error_set_errno(err, -ret, "cannot read '%s'", r->recording->path);
	return ret;
}

const uint8_t *reader_at(struct reader *r, uint64_t pos)
{
	return spans_at(pos >= READER_UNPACKED ? &r->unpacked : &r->input, pos);
}

void reader_drop_before(struct reader *r, uint64_t input_pos, uint64_t unpacked_pos)
{
	if (!r->directory)
		spans_drop_before(&r->input, input_pos);
	spans_drop_before(&r->unpacked, unpacked_pos);
}
