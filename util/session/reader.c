// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/session/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/perfdata/format.h"
#include "util/session/data_parts.h"
#include "util/session/resync.h"
#include "util/source/input.h"

/* Bytes of input between two calls of the progress function. */
#define PROGRESS_BYTES (1u << 20)

/* Records with a larger payload are skipped: none of them is of use here. */
#define PIPE_RECORD_MAX (64ull << 20)

bool reader_still_has(struct reader *r, uint64_t pos, uint64_t size)
{
	const struct span *sp = pos < UNPACKED_START ? spans_find(&r->input.spans, pos) : NULL;

	return !sp || !sp->mapped ||
	       (pos - sp->start <= sp->left && size <= sp->left - (pos - sp->start));
}

uint64_t reader_where(const struct reader *r, uint64_t pos)
{
	return pos >= UNPACKED_START ? r->unpacker.packed_pos : pos;
}

void reader_drop_before(struct reader *r, uint64_t input_pos, uint64_t unpacked_pos)
{
	if (!r->directory)
		spans_drop_before(&r->input.spans, input_pos);
	spans_drop_before(&r->unpacker.spans, unpacked_pos);
}

/* Read the record that starts at data. Returns false if there is no plausible, complete record. */
static inline bool peek(const struct reader *r, const uint8_t *data, uint64_t left,
			struct record *ret_record)
{
	return record_peek(data, left, r->recording->swap, ret_record) == RECORD_OK &&
	       (ret_record->type == PERF_RECORD_SAMPLE ||
		record_is_believable(r->recording, ret_record, left));
}

/* Pass a record of the input to the consumer, or to the unpacker. */
static inline int take(struct reader *r, const struct record *rec)
{
	return record_is_packed(rec) ? unpacker_take(&r->unpacker, rec, r->mapped_end)
				     : r->sink.take(r->sink.ctx, rec);
}

/* ---- a file, or a stream in a file ---- */

/* Take the records that start in [*from_pos, until); the data ends at `to`. */
static int take_records(struct reader *r, const uint8_t *data, uint64_t start, uint64_t *from_pos,
			uint64_t until, uint64_t to)
{
	uint64_t from = *from_pos;

	while (from < until) {
		uint64_t left = to - from, skip;
		struct record rec;
		int ret;

		skip = r->sink.take_samples(r->sink.ctx, data + from, start + from, until - from,
					    left);
		from += skip;
		r->input.pos = start + from;
		if (skip)
			continue;
		if (!peek(r, data + from, left, &rec)) {
			bool end = rec.total > left || left < RECORD_HEADER_SIZE;

			ret = record_skip(&r->input, data + from, left, start + from, end, &skip);
			if (ret)
				return ret;
			from += skip;
			continue;
		}
		rec.pos = start + from;
		from += rec.total;
		r->input.pos = start + from;
		ret = take(r, &rec);
		if (ret < 0)
			return ret;
	}
	*from_pos = from;
	return 0;
}

/* Returns the end of the span that starts at `start`, at most `to`, after its file has shrunk. */
static uint64_t bytes_left_of(struct reader *r, uint64_t start, uint64_t to)
{
	const struct span *sp = spans_find(&r->input.spans, start);

	return sp->left < to ? sp->left : to;
}

/* Take all whole records in [from, to) of a span that will not grow. */
static int take_span(struct reader *r, const struct span *sp, uint64_t from, uint64_t to)
{
	/* the sink may reallocate the array of spans */
	const uint8_t *data = sp->data;
	const uint64_t start = sp->start;

	r->mapped_end = start + to;
	for (;;) {
		uint64_t until = to - from > PROGRESS_BYTES ? from + PROGRESS_BYTES : to;
		int ret = take_records(r, data, start, &from, until, to);

		if (ret < 0 || from >= to)
			return ret;
		ret = perfdata_input_tell(&r->input);
		if (!ret)
			ret = unpacker_bound_held(&r->unpacker);
		if (ret)
			return ret;
		if (perfdata_input_note_cut(&r->input))
			to = bytes_left_of(r, start, to);
	}
}

/* ---- a pipe ---- */

/* Read enough bytes for a header. Returns 1; 0 if the pipe ended before; -ECANCELED if stopped. */
static int start_pipe(struct reader *r, struct span **ret_span)
{
	return perfdata_input_fill(&r->input, 0, PERFDATA_PIPE_HEADER_SIZE, ret_span);
}

/* Skip AUX data, of any size: it is not used. */
static int skip_auxtrace(struct reader *r, uint64_t *pos, uint64_t bytes)
{
	uint64_t start = *pos;
	int ret = perfdata_input_skip(&r->input, pos, bytes);

	if (ret)
		return ret;
	r->recording->facts.damage.truncated = true;
	recording_damage(r->recording, start, "the data ends inside a record");
	return 0;
}

static int read_pipe(struct reader *r)
{
	uint64_t pos = PERFDATA_PIPE_HEADER_SIZE;

	for (;;) {
		uint64_t want = RECORD_HEADER_SIZE, left = 0, skip;
		enum record_status status;
		struct record rec;
		struct span *sp;
		const uint8_t *data;
		int ret = unpacker_bound_held(&r->unpacker);

		if (ret)
			return ret;
		/* first the header, then the record, then the bytes that follow the record */
		do {
			ret = perfdata_input_fill(&r->input, pos, want, &sp);
			if (ret < 0)
				return ret;
			data = sp->data + (pos - sp->start);
			left = sp->start + sp->len - pos;
			status = record_peek(data, left, r->recording->swap, &rec);
			want = rec.total;
		} while (ret && status == RECORD_SHORT && want <= PIPE_RECORD_MAX);

		if (!left)
			return 0;
		skip = r->sink.take_samples(r->sink.ctx, data, pos, left, left);
		pos += skip;
		r->input.pos = pos;
		if (skip)
			continue;
		if (status == RECORD_SHORT && ret && rec.type == PERF_RECORD_AUXTRACE) {
			ret = skip_auxtrace(r, &pos, rec.total);
			if (ret <= 0)
				return ret;
			continue;
		}
		if (status != RECORD_OK || !record_is_believable(r->recording, &rec, left)) {
			ret = perfdata_input_fill(&r->input, pos, PERFDATA_INPUT_BUFFER / 2, &sp);
			if (ret < 0)
				return ret;
			left = sp->start + sp->len - pos;
			ret = record_skip(&r->input, sp->data + (pos - sp->start), left, pos,
					  ret == 0, &skip);
			if (ret)
				return ret;
			pos += skip;
			r->input.pos = pos;
			continue;
		}
		rec.pos = pos;
		pos += rec.total;
		r->input.pos = pos;
		ret = take(r, &rec);
		if (ret < 0)
			return ret;
	}
}

/* ---- a directory ---- */

/* Open the path, or duplicate `opened` if it is open already. The caller closes *ret_fd. */
static int open_path(const char *path, int opened, const struct source_options *options,
		     struct stat *st, int *ret_fd, struct error *err)
{
	_cleanup_close_ int fd = -1;

	if (opened <= 0)
		return input_open_path(path, options->force, st, ret_fd, err);
	fd = fcntl(opened, F_DUPFD_CLOEXEC, 0);
	if (fd < 0 || fstat(fd, st))
		return error_set_errno(err, errno, "cannot read '%s'", path);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

/* Read a file data.N: records without a file header, in one zstd stream. A file that cannot be read
 * is noted as damage. */
static int read_part(struct reader *r, unsigned int number, struct error *err)
{
	struct recording *recording = r->recording;
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	struct span *sp = NULL;
	struct stat st;
	int ret;

	if (asprintf(&path, "%s/data.%u", recording->facts.path, number) < 0) {
		path = NULL;
		return error_nomem(err);
	}
	snprintf(recording->part, sizeof(recording->part), "data.%u", number);
	recording->part_start = r->input.spans.next_start;
	ret = open_path(path, 0, &r->input.options, &st, &fd, NULL);
	if (!ret && !S_ISREG(st.st_mode))
		ret = -EINVAL;
	if (!ret && !st.st_size)
		return 0;
	if (!ret)
		ret = spans_add_map(&r->input.spans, fd, (uint64_t)st.st_size, &sp);
	if (ret == -ENOMEM)
		return error_nomem(err);
	if (ret) {
		recording_damage(recording, recording->part_start, "%s",
				 ret == -EINVAL ? "this is not a regular file" : strerror(-ret));
		recording->facts.damage.nr_skipped_records++;
		return 0;
	}
	ret = take_span(r, sp, 0, sp->len);
	unpacker_finish_stream(&r->unpacker);
	return ret;
}

static int read_directory(struct reader *r, struct error *err)
{
	struct data_parts parts;
	int ret = data_parts_list(r->recording->facts.path, &parts);

	for (size_t i = 0; !ret && i < parts.nr; i++)
		ret = read_part(r, parts.v[i], err);
	data_parts_deinit(&parts);
	r->recording->part[0] = '\0';
	r->recording->part_start = 0;
	return ret;
}

/* ---- all forms ---- */

static int open_file(struct reader *r, const char *path, const struct stat *st, struct error *err)
{
	struct span *sp;
	int ret;

	if (!st->st_size)
		return error_set(err, EINVAL, "'%s' is empty: the recorder wrote nothing", path);
	ret = spans_add_map(&r->input.spans, r->input.fd, (uint64_t)st->st_size, &sp);
	if (ret)
		return error_set_errno(err, -ret, "cannot map '%s'", path);
	ret = header_parse(r->recording, sp->data, sp->len, sp->len, &r->layout, err);
	if (!ret && r->layout.pipe) {
		r->recording->pipe = true;
		r->input.bytes_total = sp->len;
		return 0;
	}
	if (!ret)
		ret = header_read_attrs(r->recording, sp->data, sp->len, err);
	if (ret)
		return error_prefix(err, "'%s'", path);
	r->input.bytes_total = r->layout.data_end;
	/* only the start of a pipe was stored, see perfdata_input_spool() */
	if (r->input.stopped)
		r->input.bytes_total = r->layout.data_size_said
					       ? r->layout.data_start + r->layout.data_size_said
					       : 0;
	return 0;
}

static int open_pipe(struct reader *r, const char *path, struct error *err)
{
	struct stat st;
	struct span *sp;
	int ret = start_pipe(r, &sp);

	if (ret == -ECANCELED)
		return error_set(err, ECANCELED, "'%s': stopped before any data came", path);
	if (ret < 0)
		return error_set_errno(err, -ret, "cannot read '%s'", path);
	if (ret && header_is_file(sp->data)) {
		ret = perfdata_input_spool(&r->input, err);
		if (ret)
			return ret;
		if (fstat(r->input.fd, &st))
			return error_set_errno(err, errno, "cannot stat '%s'", path);
		return open_file(r, path, &st, err);
	}
	ret = header_parse(r->recording, sp->data, sp->len, 0, &r->layout, err);
	if (ret)
		return error_prefix(err, "'%s'", path);
	r->recording->pipe = true;
	return 0;
}

static int open_any(struct reader *r, const char *path, const struct stat *st, struct error *err)
{
	return S_ISREG(st->st_mode) ? open_file(r, path, st, err) : open_pipe(r, path, err);
}

static int open_directory(struct reader *r, const char *path, struct error *err)
{
	_cleanup_free_ char *data = NULL;
	struct stat st;
	int ret;

	if (asprintf(&data, "%s/data", path) < 0) {
		data = NULL;
		return error_nomem(err);
	}
	close(r->input.fd);
	r->input.fd = -1;
	ret = open_path(data, 0, &r->input.options, &st, &r->input.fd, err);
	if (ret == -ENOENT)
		error_set(err, ENOENT,
			  "'%s' is a directory without a recording: it has no file 'data'", path);
	if (!ret)
		ret = open_any(r, data, &st, err);
	r->directory = true;
	r->input.bytes_total += ret ? 0 : data_parts_bytes(path);
	r->recording->facts.stored_bytes = r->input.bytes_total;
	return ret;
}

static int open_stdin(struct reader *r, struct error *err)
{
	struct stat st;

	r->input.fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	if (r->input.fd < 0 || fstat(r->input.fd, &st))
		return error_set_errno(err, errno, "cannot read standard input");
	/* "< perf.data": treat a file at its start like a path */
	if (S_ISREG(st.st_mode) && lseek(r->input.fd, 0, SEEK_CUR) == 0)
		return open_file(r, "-", &st, err);
	return open_pipe(r, "-", err);
}

int reader_open(struct reader *r, struct recording *recording, const char *path,
		const struct source_options *options, struct error *err)
{
	struct stat st;
	int ret;

	*r = (struct reader){.recording = recording};
	perfdata_input_init(&r->input, recording, options);
	unpacker_init(&r->unpacker, &r->input, &r->sink);
	recording->facts.path = strdup(path);
	if (!recording->facts.path)
		return error_nomem(err);
	if (!strcmp(path, "-") && options->opened_fd <= 0) {
		ret = open_stdin(r, err);
	} else {
		ret = open_path(path, options->opened_fd, options, &st, &r->input.fd, err);
		if (!ret)
			ret = S_ISDIR(st.st_mode) ? open_directory(r, path, err)
						  : open_any(r, path, &st, err);
	}
	if (ret)
		reader_close(r);
	return ret;
}

void reader_close(struct reader *r)
{
	unpacker_deinit(&r->unpacker);
	perfdata_input_deinit(&r->input);
}

int reader_for_each_feature(struct reader *r,
			    int (*fn)(void *ctx, unsigned int bit, struct bytes bytes), void *ctx)
{
	const struct span *sp = &r->input.spans.v[0];

	if (r->recording->pipe)
		return 0;
	return header_for_each_feature(r->recording, sp->data, sp->len, &r->layout, fn, ctx);
}

static void note_end(struct reader *r)
{
	const struct perfdata_layout *l = &r->layout;
	struct source_damage *damage = &r->recording->facts.damage;

	if (r->recording->pipe || r->input.stopped)
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

	r->sink.take = fn;
	r->sink.ctx = ctx;
	if (!r->recording->pipe)
		ret = take_span(r, &r->input.spans.v[0], r->layout.data_start, r->layout.data_end);
	else if (r->input.spans.v[0].mapped)
		ret = take_span(r, &r->input.spans.v[0], PERFDATA_PIPE_HEADER_SIZE,
				r->input.spans.v[0].len);
	else
		ret = read_pipe(r);
	unpacker_finish_stream(&r->unpacker);
	if (!ret && r->directory)
		ret = read_directory(r, err);
	unpacker_stop(&r->unpacker);
	perfdata_input_note_cut(&r->input);
	note_end(r);
	if (ret == -ENOMEM)
		return error_nomem(err);
	if (ret == -ECANCELED)
		return ret;
	if (ret < 0 && err && !err->code)
		return error_set_errno(err, -ret, "cannot read '%s'", r->recording->facts.path);
	return ret;
}
