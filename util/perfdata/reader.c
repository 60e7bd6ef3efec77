// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/map_guard.h"
#include "util/base/thread.h"
#include "util/base/unlinked_file.h"
#include "util/perfdata/format.h"
#include "util/perfdata/unpack_queue.h"
#include "util/source/input.h"

/* The progress function is called after this many bytes of input. */
#define TELL_BYTES (1u << 20)

/* This many records must follow one another before we consider ourselves in step again. */
#define RESYNC_RECORDS 4

/* Bytes are fetched into the cache this far ahead; the processor does not by itself, if records are
 * of several cache lines each. */
#define FETCH_AHEAD 1024

/* How far to look ahead for records to unpack, bytes. */
#define LOOK_AHEAD (8u << 20)

/* What one COMPRESSED record may unpack to: the limit for a bomb of 64 KiB. */
#define UNPACK_MAX (64ull << 20)

#define ZSTD_FRAME_MAGIC 0xfd2fb528

#define PIPE_BUFFER (1u << 20)
#define SKIP_BUFFER (1u << 16)

/* A larger payload is not for us: it is skipped, not kept. */
#define PIPE_RECORD_MAX (64ull << 20)

/* While a pipe is silent, the progress function is called this often. */
#define TELL_MS 250

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
				 "the file became shorter while it was being read (%" PRIu64
				 " of %" PRIu64 " bytes are left)",
				 sp->left, sp->len);
		r->cut = true;
	} else if (lost_pages != r->lost_pages && !r->cut) {
		recording_damage(recording, r->input_pos,
				 "%u pages of the file cannot be read (a failing disk?)",
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

/* ---- damage: where the next record is ---- */

/* Recorders write these with any size, and what follows them has any alignment. */
static bool is_unaligned(uint32_t type)
{
	return type == PERF_RECORD_HEADER_TRACING_DATA || type == PERF_RECORD_HEADER_FEATURE ||
	       type == PERF_RECORD_COMPRESSED;
}

static bool plausible(const struct reader *r, const struct record *rec)
{
	const struct recording *recording = r->recording;
	uint64_t id;

	if (!record_type_known(rec->type) || (rec->size % 8 && !is_unaligned(rec->type)))
		return false;
	if (rec->type != PERF_RECORD_SAMPLE || !recording->facts.nr_events || !recording->ids.nr)
		return true;
	if (recording_event(recording, 0)->layout.id != RECORD_HEADER_SIZE)
		return true;
	if (rec->size < RECORD_HEADER_SIZE + 8)
		return false;
	id = load_u64(rec->data + RECORD_HEADER_SIZE, recording->swap);
	return !id || recording_event_by_id(recording, id);
}

/*
 * Is a record that can be read also likely to be one?  One of a type that we do not know is when
 * the records behind it make sense.
 */
static bool believable(const struct reader *r, const struct record *record, uint64_t left)
{
	uint64_t at = record->total;

	if (record_type_known(record->type))
		return true;
	if (record->size % 8)
		return false;
	for (int n = 0; n < RESYNC_RECORDS && left - at >= RECORD_HEADER_SIZE; n++) {
		struct record next;
		enum record_status status =
			record_peek(record->data + at, left - at, r->recording->swap, &next);

		if (status == RECORD_BAD)
			return false;
		if (record_type_known(next.type) || status == RECORD_SHORT)
			return status == RECORD_SHORT || plausible(r, &next);
		if (next.size % 8)
			return false;
		at += next.total;
	}
	return true;
}

static int find_record(struct reader *r, const uint8_t *data, uint64_t left, uint64_t *ret_skip)
{
	uint64_t step = r->recording->compressed_mmap_len ? 1 : 4, tell = TELL_BYTES;

	*ret_skip = left;
	for (uint64_t start = step; start + RECORD_HEADER_SIZE <= left; start += step) {
		uint64_t at = start;
		int n = 0;

		/* a hole may be larger than any disk */
		if (start >= tell) {
			int ret = reader_tell(r);

			if (ret)
				return ret;
			if (reader_note_cut(r))
				return 0;
			tell += TELL_BYTES;
		}

		while (n < RESYNC_RECORDS && at < left) {
			struct record rec;

			if (record_peek(data + at, left - at, r->recording->swap, &rec) !=
				    RECORD_OK ||
			    !plausible(r, &rec))
				break;
			at += rec.total;
			n++;
		}
		if (n == RESYNC_RECORDS || (n && at == left)) {
			*ret_skip = start;
			return 0;
		}
	}
	return 0;
}

/*
 * Note that no record starts at data (position pos).  *ret_skip: the bytes up to the next place
 * from which a sequence of records starts; all bytes left if there is none.  at_end: no more bytes
 * will follow these.  -ECANCELED: the progress function ended the search.
 */
static int step_over(struct reader *r, const uint8_t *data, uint64_t left, uint64_t pos,
		     bool at_end, uint64_t *ret_skip)
{
	struct source_damage *damage = &r->recording->facts.damage;
	struct record rec;
	uint64_t skip;
	int ret;

	/* zeroes where the file was cut are not damage of their own */
	reader_note_cut(r);
	ret = find_record(r, data, left, &skip);
	if (ret)
		return ret;

	record_peek(data, left, r->recording->swap, &rec);
	if (skip == left && at_end) {
		damage->truncated = true;
		recording_damage(r->recording, reader_where(r, pos),
				 "the data ends inside a record");
	} else {
		recording_damage(r->recording, reader_where(r, pos),
				 "no record can be read (type %u, size %u)", rec.type, rec.size);
		damage->nr_skipped_records++;
	}
	damage->nr_skipped_bytes += skip;
	*ret_skip = skip;
	return 0;
}

/* The record that starts at data; false: there is none that makes sense and is complete. */
static inline bool peek(const struct reader *r, const uint8_t *data, uint64_t left,
			struct record *ret_record)
{
	return record_peek(data, left, r->recording->swap, ret_record) == RECORD_OK &&
	       (ret_record->type == PERF_RECORD_SAMPLE || believable(r, ret_record, left));
}

/* ---- records inside of COMPRESSED ones ---- */

/* Called where more bytes are held than before, but never where a span must not be dropped. */
static inline int bound_held(struct reader *r)
{
	if (!r->relieve || reader_held_bytes(r) <= r->options.held_bytes_max)
		return 0;
	return r->relieve(r->ctx);
}

/* Nothing more will be unpacked; call it before the spans are freed. */
static void stop_unpacking(struct reader *r)
{
	unpack_queue_free(r->unpack);
	r->unpack = NULL;
}

/* The position of the next unpacked byte. */
static uint64_t unpacked_end(const struct reader *r)
{
	const struct span *sp = r->unpacked.nr ? &r->unpacked.v[r->unpacked.nr - 1] : NULL;

	return sp && sp->start + sp->len > r->unpacked_pos ? sp->start + sp->len : r->unpacked_pos;
}

static bool is_packed(const struct record *rec)
{
	return rec->type == PERF_RECORD_COMPRESSED || rec->type == PERF_RECORD_COMPRESSED2;
}

/* Whole records among the unpacked bytes; an incomplete one waits for the rest. */
static int take_unpacked(struct reader *r)
{
	/* the last span does not move in memory while fn drops those before it */
	const struct span span = r->unpacked.v[r->unpacked.nr - 1];

	while (r->unpacked_pos < span.start + span.len) {
		const uint8_t *data = span.data + (r->unpacked_pos - span.start);
		uint64_t left = span.start + span.len - r->unpacked_pos;
		struct record rec;
		enum record_status status = record_peek(data, left, r->recording->swap, &rec);
		uint64_t skip;
		int ret;

		/* what a recorder packs is at most 64 KiB in size */
		if (status == RECORD_SHORT && rec.total <= UINT16_MAX)
			return 0;
		if (status != RECORD_OK || is_packed(&rec) || !believable(r, &rec, left)) {
			ret = step_over(r, data, left, r->unpacked_pos, false, &skip);
			if (ret)
				return ret;
			r->unpacked_pos += skip;
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

/* Forget an incomplete record; what comes next starts a new sequence. */
static void drop_tail(struct reader *r)
{
	r->unpacked_pos = (unpacked_end(r) + 7) & ~7ull;
	if (r->unpack)
		unpack_queue_reset(r->unpack);
	r->queued_pos = 0;
}

/* After the stream broke, its pieces mean nothing until a new frame starts. */
static int stream_broke(struct reader *r, const struct record *rec, const char *what)
{
	reader_note_cut(r);
	recording_damage(r->recording, rec->pos, "%s", what);
	r->recording->facts.damage.nr_skipped_records++;
	r->recording->facts.damage.nr_skipped_bytes += rec->size;
	r->unpack_broken = true;
	drop_tail(r);
	return 0;
}

static bool starts_frame(const uint8_t *in, size_t left)
{
	return left >= 4 &&
	       load_u32(in, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) == ZSTD_FRAME_MAGIC;
}

/* The stream's bytes in a COMPRESSED record. False: it claims to have more than it has. */
static bool packed_bytes(const struct record *rec, bool swap, const uint8_t **in, size_t *left)
{
	bool sized = rec->type == PERF_RECORD_COMPRESSED2;
	size_t head = sized ? RECORD_HEADER_SIZE + 8 : RECORD_HEADER_SIZE;
	uint64_t size = rec->size - head;

	if (sized)
		size = load_u64(rec->data + RECORD_HEADER_SIZE, swap);
	*in = rec->data + head;
	*left = size;
	return size <= rec->size - head;
}

/*
 * Queue the record and those that follow, as many as the queue wants.  Only as far as the reader is
 * sure to reach the same ones: it may skip bytes where something makes no sense.
 */
static void queue_ahead(struct reader *r, const struct record *rec)
{
	uint64_t pos = r->queued_pos > rec->pos ? r->queued_pos : rec->pos;
	uint64_t end = r->mapped_end ? r->mapped_end : rec->pos + rec->total;
	unsigned int wants = unpack_queue_wants(r->unpack);

	while (wants && pos < end && pos - rec->pos < LOOK_AHEAD) {
		struct record next;
		const uint8_t *in;
		size_t left;

		if (record_peek(rec->data + (pos - rec->pos), end - pos, r->recording->swap,
				&next) != RECORD_OK ||
		    !record_type_known(next.type))
			break;
		if (is_packed(&next)) {
			if (!packed_bytes(&next, r->recording->swap, &in, &left))
				break;
			unpack_queue_add(r->unpack, pos, in, left);
			wants--;
		}
		pos += next.total;
	}
	r->queued_pos = pos;
}

/* Append the bytes just unpacked to those already there. */
static int append_unpacked(struct reader *r, const struct unpacked *u)
{
	struct span *sp;

	if (!u->len)
		return 0;
	if (u->block) {
		int ret = spans_add_block(&r->unpacked, r->unpacked_pos, u->block, UNPACK_HEAD,
					  UNPACK_ROOM, &sp);

		if (ret) {
			/* the thread may be writing to them */
			stop_unpacking(r);
			free(u->block);
			return ret;
		}
	} else {
		sp = &r->unpacked.v[r->unpacked.nr - 1];
	}
	sp->len = (size_t)(u->data + u->len - sp->data);
	return 0;
}

static int unpack(struct reader *r, const struct record *rec)
{
	uint64_t budget = r->recording->compressed_mmap_len;
	struct unpacked u;

	if (!budget || budget > UNPACK_MAX)
		budget = UNPACK_MAX;
	budget += UINT16_MAX;
	do {
		int ret = unpack_queue_take(r->unpack, &u);

		if (!ret)
			ret = append_unpacked(r, &u);
		if (ret == -ENOMEM)
			return ret;
		/* another record's bytes would be a bug of ours: treated as damage, they spoil no
		 * figures */
		if (ret || u.pos != rec->pos)
			return stream_broke(r, rec, "a compressed record cannot be unpacked");
		if (u.len > budget)
			return stream_broke(r, rec,
					    "a compressed record unpacks to more than allowed");
		budget -= u.len;
		ret = bound_held(r);
		if (!ret && u.len)
			ret = take_unpacked(r);
		if (ret < 0)
			return ret;
	} while (!u.last);
	return 0;
}

/* Work ahead only in mapped input: a pipe's bytes come when they come. */
static int open_queue(struct reader *r)
{
	if (r->unpack)
		return 0;
	return unpack_queue_new(&r->unpack, &r->unpacked,
				r->mapped_end && thread_wanted(r->options.jobs));
}

static int take_packed(struct reader *r, const struct record *rec)
{
	struct error err = ERROR_INIT;
	const uint8_t *in;
	size_t left;
	int ret;

	r->compressed_pos = rec->pos;
	if (!packed_bytes(rec, r->recording->swap, &in, &left))
		return stream_broke(r, rec, "a compressed record claims to be larger than it is");
	if (r->unpack_broken && !starts_frame(in, left)) {
		r->recording->facts.damage.nr_skipped_records++;
		r->recording->facts.damage.nr_skipped_bytes += rec->size;
		return 0;
	}
	r->unpack_broken = false;
	ret = open_queue(r);
	if (ret)
		return ret;
	ret = unpack_queue_open(r->unpack, &err);
	if (ret == -ENOMEM)
		return ret;
	if (ret)
		return stream_broke(r, rec, err.msg);
	queue_ahead(r, rec);
	return unpack(r, rec);
}

static void finish_stream(struct reader *r)
{
	uint64_t tail = unpacked_end(r) - r->unpacked_pos;

	if (tail && !r->stopped) {
		r->recording->facts.damage.truncated = true;
		r->recording->facts.damage.nr_skipped_bytes += tail;
		recording_damage(r->recording, r->compressed_pos,
				 "the compressed data ends inside a record");
	}
	drop_tail(r);
	r->unpack_broken = false;
}

/* A record of the input: pass it to the consumer, or to the unpacker. */
static inline int take(struct reader *r, const struct record *rec)
{
	return is_packed(rec) ? take_packed(r, rec) : r->fn(r->ctx, rec);
}

/* ---- a file, or a stream in a file ---- */

/* The records that start in [*from, until), of the bytes that end at `to`. */
static int take_records(struct reader *r, const uint8_t *data, uint64_t start, uint64_t *from_pos,
			uint64_t until, uint64_t to)
{
	uint64_t from = *from_pos;

	while (from < until) {
		uint64_t left = to - from, skip;
		struct record rec;
		int ret;

		if (!peek(r, data + from, left, &rec)) {
			bool end = rec.total > left || left < RECORD_HEADER_SIZE;

			ret = step_over(r, data + from, left, start + from, end, &skip);
			if (ret)
				return ret;
			from += skip;
			continue;
		}
		__builtin_prefetch(data + from + FETCH_AHEAD);
		__builtin_prefetch(data + from + FETCH_AHEAD + 64);
		rec.pos = start + from;
		from += rec.total;
		r->input_pos = start + from;
		ret = take(r, &rec);
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

/* All whole records of input that will not grow: [from, to) of the span. */
static int take_span(struct reader *r, const struct span *sp, uint64_t from, uint64_t to)
{
	/* fn may reallocate the array of spans */
	const uint8_t *data = sp->data;
	const uint64_t start = sp->start;

	r->mapped_end = start + to;
	for (;;) {
		uint64_t until = to - from > TELL_BYTES ? from + TELL_BYTES : to;
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

/* ---- a pipe ---- */

/* Until read() can return something: a blocking read() would ignore the caller's wishes. */
static int wait_for_input(struct reader *r)
{
	struct pollfd fd = {.fd = r->fd, .events = POLLIN};
	int ret;

	/* even if nobody is to be told: read() takes a FIFO without a writer for ended */
	do {
		ret = reader_tell(r);
		if (ret)
			return ret;
		ret = poll(&fd, 1, r->options.progress ? TELL_MS : -1);
	} while (!ret || (ret < 0 && errno == EINTR));
	return 0;
}

/* Make room for `want` bytes from position pos on in the last span; those that it has are kept. */
static int make_room(struct spans *spans, uint64_t pos, uint64_t want, struct span **ret_span)
{
	struct span *sp = spans->nr ? &spans->v[spans->nr - 1] : NULL;

	/* a gap before pos was skipped without being kept */
	if (!sp || sp->mapped || pos + want > sp->start + sp->cap || sp->len == sp->cap ||
	    sp->start + sp->len < pos) {
		uint64_t cap = want + RECORD_HEADER_SIZE;
		int ret = spans_add_heap(spans, pos, cap > PIPE_BUFFER ? cap : PIPE_BUFFER, &sp);

		if (ret)
			return ret;
	}
	*ret_span = sp;
	return 0;
}

/* Fill the last span until it has `want` bytes from pos on. 1: it has, 0: end. */
static int fill(struct reader *r, uint64_t pos, uint64_t want, struct span **ret_span)
{
	struct span *sp;
	int ret = make_room(&r->input, pos, want, &sp);

	if (ret)
		return -ENOMEM;
	*ret_span = sp;
	while (sp->start + sp->len < pos + want) {
		ssize_t n;

		ret = wait_for_input(r);
		if (ret)
			return ret;
		n = read(r->fd, sp->data + sp->len, sp->cap - sp->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		sp->len += (size_t)n;
	}
	return 1;
}

/* Enough bytes for a header. 1: they are there, 0: the pipe ended before, -ECANCELED: stopped. */
static int start_pipe(struct reader *r, struct span **ret_span)
{
	return fill(r, 0, PERFDATA_PIPE_HEADER_SIZE, ret_span);
}

/* Skip bytes without keeping them. 1: skipped, 0: the pipe ended before. */
static int skip_bytes(struct reader *r, uint64_t *pos, uint64_t bytes)
{
	const struct span *sp = &r->input.v[r->input.nr - 1];
	uint64_t have = sp->start + sp->len - *pos;
	_cleanup_free_ uint8_t *scratch = NULL;

	if (have > bytes)
		have = bytes;
	*pos += have;
	bytes -= have;
	scratch = malloc(SKIP_BUFFER);
	if (!scratch)
		return -ENOMEM;
	while (bytes) {
		int ret = wait_for_input(r);
		ssize_t n;

		if (ret)
			return ret;
		n = read(r->fd, scratch, bytes < SKIP_BUFFER ? bytes : SKIP_BUFFER);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		*pos += (size_t)n;
		bytes -= (size_t)n;
	}
	return 1;
}

/* AUX data, of any size: not for us. */
static int skip_auxtrace(struct reader *r, uint64_t *pos, uint64_t bytes)
{
	uint64_t start = *pos;
	int ret = skip_bytes(r, pos, bytes);

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
		int ret = bound_held(r);

		if (ret)
			return ret;
		/* the header, then the record, then what follows the record */
		do {
			ret = fill(r, pos, want, &sp);
			if (ret < 0)
				return ret;
			data = sp->data + (pos - sp->start);
			left = sp->start + sp->len - pos;
			status = record_peek(data, left, r->recording->swap, &rec);
			want = rec.total;
		} while (ret && status == RECORD_SHORT && want <= PIPE_RECORD_MAX);

		if (!left)
			return 0;
		if (status == RECORD_SHORT && ret && rec.type == PERF_RECORD_AUXTRACE) {
			ret = skip_auxtrace(r, &pos, rec.total);
			if (ret <= 0)
				return ret;
			continue;
		}
		if (status != RECORD_OK || !believable(r, &rec, left)) {
			ret = fill(r, pos, PIPE_BUFFER / 2, &sp);
			if (ret < 0)
				return ret;
			left = sp->start + sp->len - pos;
			ret = step_over(r, sp->data + (pos - sp->start), left, pos, ret == 0,
					&skip);
			if (ret)
				return ret;
			pos += skip;
			r->input_pos = pos;
			continue;
		}
		rec.pos = pos;
		pos += rec.total;
		r->input_pos = pos;
		ret = take(r, &rec);
		if (ret < 0)
			return ret;
	}
}

/*
 * All of a pipe into an unlinked file, which replaces r->fd.  When the progress function stops that
 * r->stopped is set, and what came by then is kept.
 */
static int spool_pipe(struct reader *r, struct error *err)
{
	_cleanup_close_ int fd = unlinked_file_open();
	const char *dir = unlinked_file_dir();
	uint64_t pos = 0;

	if (fd < 0)
		return error_set_errno(err, -fd,
				       "cannot make a temporary file in '%s' for a recording that "
				       "is not a stream (name it with -i)",
				       dir);
	for (;;) {
		struct span *sp;
		int more = fill(r, pos, PIPE_BUFFER / 2, &sp), ret;

		if (more == -ECANCELED)
			more = 0;
		if (more < 0)
			return error_set_errno(err, -more, "cannot read '%s'",
					       r->recording->facts.path);
		ret = unlinked_file_write(fd, sp->data + (pos - sp->start),
					  sp->start + sp->len - pos);
		if (ret)
			return error_set_errno(
				err, -ret,
				"cannot keep a recording that is not a stream in '%s' "
				"(name it with -i)",
				dir);
		pos = sp->start + sp->len;
		r->input_pos = pos;
		spans_drop_before(&r->input, pos);
		if (!more)
			break;
	}
	spans_deinit(&r->input);
	r->input_pos = 0;
	close(r->fd);
	r->fd = fd;
	fd = -1;
	return 0;
}

/* ---- a directory ---- */

/* What the path stands for, which may be open already. The caller closes *ret_fd. */
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

/* Which files data.N a directory has. */
struct numbers {
	unsigned int *v;
	size_t nr, cap;
};

static int by_number(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return x < y ? -1 : x > y;
}

static int add_part(struct numbers *n, unsigned int number)
{
	if (n->nr == n->cap) {
		size_t cap = n->cap ? n->cap * 2 : 64;
		unsigned int *v = reallocarray(n->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		n->v = v;
		n->cap = cap;
	}
	n->v[n->nr++] = number;
	return 0;
}

/* The N of each data.N, ascending; a missing one is no reason to stop. */
static int list_parts(const char *path, struct numbers *n)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int ret = 0;

	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir))) {
		unsigned int number;
		char rest;

		if (strlen(entry->d_name) < sizeof("data.4294967295") &&
		    sscanf(entry->d_name, "data.%9u%c", &number, &rest) == 1)
			ret = add_part(n, number);
	}
	closedir(dir);
	if (n->nr)
		qsort(n->v, n->nr, sizeof(*n->v), by_number);
	return ret;
}

/* What cannot be determined counts as nothing: this is only for the progress. */
static uint64_t directory_bytes(const char *path)
{
	struct numbers n = {0};
	uint64_t bytes = 0;

	if (list_parts(path, &n))
		n.nr = 0;
	for (size_t i = 0; i < n.nr; i++) {
		_cleanup_free_ char *part = NULL;
		struct stat st;

		if (asprintf(&part, "%s/data.%u", path, n.v[i]) < 0)
			part = NULL;
		else if (!stat(part, &st) && S_ISREG(st.st_mode))
			bytes += (uint64_t)st.st_size;
	}
	free(n.v);
	return bytes;
}

/* Records without a header of their own, in one zstd stream. A file that cannot be read is
 * damage. */
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
	recording->part_start = r->input.next_start;
	ret = open_path(path, 0, &r->options, &st, &fd, NULL);
	if (!ret && !S_ISREG(st.st_mode))
		ret = -EINVAL;
	if (!ret && !st.st_size)
		return 0;
	if (!ret)
		ret = spans_add_map(&r->input, fd, (uint64_t)st.st_size, &sp);
	if (ret == -ENOMEM)
		return error_nomem(err);
	if (ret) {
		recording_damage(recording, recording->part_start, "%s",
				 ret == -EINVAL ? "this is not a regular file" : strerror(-ret));
		recording->facts.damage.nr_skipped_records++;
		return 0;
	}
	ret = take_span(r, sp, 0, sp->len);
	finish_stream(r);
	return ret;
}

static int read_directory(struct reader *r, struct error *err)
{
	struct numbers n = {0};
	int ret = list_parts(r->recording->facts.path, &n);

	for (size_t i = 0; !ret && i < n.nr; i++)
		ret = read_part(r, n.v[i], err);
	free(n.v);
	r->recording->part[0] = '\0';
	r->recording->part_start = 0;
	return ret;
}

/* ---- in any form ---- */

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
	/* of a pipe's beginning, see spool_pipe() */
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
	int ret = start_pipe(r, &sp);

	if (ret == -ECANCELED)
		return error_set(err, ECANCELED, "'%s': stopped before any data came", path);
	if (ret < 0)
		return error_set_errno(err, -ret, "cannot read '%s'", path);
	if (ret && header_is_file(sp->data)) {
		ret = spool_pipe(r, err);
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
	ret = open_path(data, 0, &r->options, &st, &r->fd, err);
	if (ret == -ENOENT)
		error_set(err, ENOENT,
			  "'%s' is a directory without a recording: it has no file 'data'", path);
	if (!ret)
		ret = open_any(r, data, &st, err);
	r->directory = true;
	r->bytes_total += ret ? 0 : directory_bytes(path);
	return ret;
}

static int open_stdin(struct reader *r, struct error *err)
{
	struct stat st;

	r->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	if (r->fd < 0 || fstat(r->fd, &st))
		return error_set_errno(err, errno, "cannot read standard input");
	/* "< perf.data": a file read from its start is as good as its name */
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
	if (!strcmp(path, "-") && options->opened_fd <= 0) {
		ret = open_stdin(r, err);
	} else {
		ret = open_path(path, options->opened_fd, options, &st, &r->fd, err);
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
	stop_unpacking(r);
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
		ret = take_span(r, &r->input.v[0], r->layout.data_start, r->layout.data_end);
	else if (r->input.v[0].mapped)
		ret = take_span(r, &r->input.v[0], PERFDATA_PIPE_HEADER_SIZE, r->input.v[0].len);
	else
		ret = read_pipe(r);
	finish_stream(r);
	if (!ret && r->directory)
		ret = read_directory(r, err);
	stop_unpacking(r);
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
