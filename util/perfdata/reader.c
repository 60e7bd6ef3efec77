// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/map_guard.h"
#include "util/perfdata/format.h"
#include "util/perfdata/reader_internal.h"

int reader_tell(struct reader *r)
{
	const struct source_options *o = &r->options;

	if (!o->progress || !o->progress(o->progress_ctx, r->input_pos, r->bytes_total,
					 r->recording->facts.nr_samples))
		return 0;
	if (r->stopped)
		return 0;
	r->stopped = true;
	return -ECANCELED;
}

bool reader_note_cut(struct reader *r)
{
	unsigned int lost_pages = map_guard_pages();
	struct recording *recording = r->recording;
	const struct span *sp;

	if (spans_note_cuts(&r->input, &sp)) {
		recording->facts.damage.truncated = true;
		recording_damage(recording, sp->start + sp->left,
				 "the file became shorter while it was read (%" PRIu64
				 " of %" PRIu64 " bytes are left)",
				 sp->left, sp->len);
		r->cut = true;
	} else if (lost_pages != r->lost_pages && !r->cut) {
		recording_damage(recording, r->input_pos,
				 "%u pages of the file cannot be read (a disk that fails?)",
				 lost_pages - r->lost_pages);
	} else {
		return false;
	}
	r->lost_pages = lost_pages;
	return true;
}

bool reader_still_has(struct reader *r, uint64_t pos, uint64_t size)
{
	const struct span *sp = pos < READER_UNPACKED ? spans_find(&r->input, pos) : NULL;

	return !sp || !sp->mapped ||
	       (pos - sp->start <= sp->left && size <= sp->left - (pos - sp->start));
}

/* The records that start in [*from, until) of the bytes that end at `to`. */
static int take_records(struct reader *r, const uint8_t *data, uint64_t start, uint64_t *from_pos,
			uint64_t until, uint64_t to)
{
	uint64_t from = *from_pos;

	while (from < until) {
		uint64_t left = to - from, skip;
		struct record rec;
		int ret;

		if (!reader_peek(r, data + from, left, &rec)) {
			bool end = rec.total > left || left < RECORD_HEADER_SIZE;

			ret = resync_step_over(r, data + from, left, start + from, end, &skip);
			if (ret)
				return ret;
			from += skip;
			continue;
		}
		rec.pos = start + from;
		from += rec.total;
		r->input_pos = start + from;
		ret = reader_take(r, &rec);
		if (ret < 0)
			return ret;
	}
	*from_pos = from;
	return 0;
}

/* Of the span that begins there. */
static uint64_t bytes_left_of(struct reader *r, uint64_t start, uint64_t to)
{
	const struct span *sp = spans_find(&r->input, start);

	return sp->left < to ? sp->left : to;
}

int reader_take_span(struct reader *r, const struct span *sp, uint64_t from, uint64_t to)
{
	/* fn may make the array of spans another one */
	const uint8_t *data = sp->data;
	const uint64_t start = sp->start;

	r->mapped_end = start + to;
	for (;;) {
		uint64_t until = to - from > READER_TELL_BYTES ? from + READER_TELL_BYTES : to;
		int ret = take_records(r, data, start, &from, until, to);

		if (ret < 0 || from >= to)
			return ret;
		ret = reader_tell(r);
		if (ret)
			return ret;
		if (reader_note_cut(r))
			to = bytes_left_of(r, start, to);
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

int reader_open_path(const char *path, const struct source_options *options, struct stat *st,
		     int *ret_fd, struct error *err)
{
	/* a FIFO that nobody writes to must not keep us here, where no signal is seen */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

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
		return -EACCES;
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

static int open_file(struct reader *r, const char *path, const struct stat *st, struct error *err)
{
	struct span *sp;
	int ret;

	if (!st->st_size)
		return error_set(err, EINVAL, "'%s' is empty: the recorder wrote nothing", path);
	ret = spans_add_map(&r->input, r->fd, (uint64_t)st->st_size, &sp);
	if (ret)
		return error_set_errno(err, -ret, "cannot map '%s'", path);
	ret = header_parse(r->recording, sp->data, sp->len, sp->len, &r->layout, err);
	if (!ret && r->layout.pipe) {
		r->recording->pipe = true;
		r->bytes_total = sp->len;
		return 0;
	}
	if (!ret)
		ret = header_read_attrs(r->recording, sp->data, sp->len, err);
	if (ret)
		return error_prefix(err, "'%s'", path);
	r->bytes_total = r->layout.data_end;
	/* of a pipe's beginning, see reader_spool_pipe() */
	if (r->stopped)
		r->bytes_total = r->layout.data_size_said
					 ? r->layout.data_start + r->layout.data_size_said
					 : 0;
	return 0;
}

static int open_pipe(struct reader *r, const char *path, struct error *err)
{
	struct stat st;
	struct span *sp;
	int ret = reader_pipe_start(r, &sp);

	if (ret == -ECANCELED)
		return error_set(err, ECANCELED, "'%s': stopped before anything came", path);
	if (ret < 0)
		return error_set_errno(err, -ret, "cannot read '%s'", path);
	if (ret && header_is_file(sp->data)) {
		ret = reader_spool_pipe(r, err);
		if (ret)
			return ret;
		if (fstat(r->fd, &st))
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
	close(r->fd);
	r->fd = -1;
	ret = reader_open_path(data, &r->options, &st, &r->fd, err);
	if (!ret)
		ret = open_any(r, data, &st, err);
	r->directory = true;
	r->bytes_total += ret ? 0 : reader_directory_bytes(path);
	return ret;
}

static int open_stdin(struct reader *r, struct error *err)
{
	struct stat st;

	r->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	if (r->fd < 0 || fstat(r->fd, &st))
		return error_set_errno(err, errno, "cannot read standard input");
	/* "< perf.data": a file from its start is as good as its name */
	if (S_ISREG(st.st_mode) && lseek(r->fd, 0, SEEK_CUR) == 0)
		return open_file(r, "-", &st, err);
	return open_pipe(r, "-", err);
}

int reader_open(struct reader *r, struct recording *recording, const char *path,
		const struct source_options *options, struct error *err)
{
	struct stat st;
	int ret;

	*r = (struct reader){.recording = recording,
			     .fd = -1,
			     .lost_pages = map_guard_pages(),
			     .unpacked_pos = READER_UNPACKED,
			     .options = *options};
	r->unpacked.next_start = READER_UNPACKED;
	recording->facts.path = strdup(path);
	if (!recording->facts.path)
		return error_nomem(err);
	if (!strcmp(path, "-")) {
		ret = open_stdin(r, err);
	} else {
		ret = reader_open_path(path, options, &st, &r->fd, err);
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
	reader_unpack_close(r);
	spans_deinit(&r->input);
	spans_deinit(&r->unpacked);
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

static void note_end(struct reader *r)
{
	const struct perfdata_layout *l = &r->layout;
	struct source_damage *damage = &r->recording->facts.damage;

	if (r->recording->pipe || r->stopped)
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
		ret = reader_take_span(r, &r->input.v[0], r->layout.data_start, r->layout.data_end);
	else if (r->input.v[0].mapped)
		ret = reader_take_span(r, &r->input.v[0], PERFDATA_PIPE_HEADER_SIZE,
				       r->input.v[0].len);
	else
		ret = reader_read_pipe(r);
	reader_unpack_end(r);
	if (!ret && r->directory)
		ret = reader_read_directory(r, err);
	reader_unpack_close(r);
	reader_note_cut(r);
	note_end(r);
	if (ret == -ENOMEM)
		return error_nomem(err);
	if (ret == -ECANCELED)
		return ret;
	if (ret < 0 && err && !err->code)
		return error_set_errno(err, -ret, "cannot read '%s'", r->recording->facts.path);
	return ret;
}

uint64_t reader_where(const struct reader *r, uint64_t pos)
{
	return pos >= READER_UNPACKED ? r->compressed_pos : pos;
}

void reader_drop_before(struct reader *r, uint64_t input_pos, uint64_t unpacked_pos)
{
	if (!r->directory)
		spans_drop_before(&r->input, input_pos);
	spans_drop_before(&r->unpacked, unpacked_pos);
}
