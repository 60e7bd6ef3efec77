// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "util/base/thread.h"
#include "util/perfdata/format.h"
#include "util/perfdata/reader_internal.h"
#include "util/perfdata/unpack_queue.h"

/* How far to look for what can be unpacked next, bytes. */
#define LOOK_AHEAD (8u << 20)

/* What one COMPRESSED record may unpack to: a bomb of 64 KiB stays at this. */
#define UNPACK_MAX (64ull << 20)

#define ZSTD_FRAME_MAGIC 0xfd2fb528

/* Where the next unpacked byte will stand. */
static uint64_t unpacked_end(const struct reader *r)
{
	const struct span *sp = r->unpacked.nr ? &r->unpacked.v[r->unpacked.nr - 1] : NULL;

	return sp && sp->start + sp->len > r->unpacked_pos ? sp->start + sp->len : r->unpacked_pos;
}

static bool is_packed(const struct record *rec)
{
	return rec->type == PERF_RECORD_COMPRESSED || rec->type == PERF_RECORD_COMPRESSED2;
}

/* Whole records among the unpacked bytes; a tail waits for more. */
static int take_unpacked(struct reader *r)
{
	/* the last span keeps its place in memory while fn drops those before it */
	const struct span span = r->unpacked.v[r->unpacked.nr - 1];

	while (r->unpacked_pos < span.start + span.len) {
		const uint8_t *data = span.data + (r->unpacked_pos - span.start);
		uint64_t left = span.start + span.len - r->unpacked_pos;
		struct record rec;
		enum record_status status = record_peek(data, left, r->recording->swap, &rec);
		uint64_t skip;
		int ret;

		/* what a recorder packs is at most 64 KiB large */
		if (status == RECORD_SHORT && rec.total <= UINT16_MAX)
			return 0;
		if (status != RECORD_OK || is_packed(&rec) || !resync_believable(r, &rec, left)) {
			ret = resync_step_over(r, data, left, r->unpacked_pos, false, &skip);
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

/* Forget a tail without its rest; what comes next starts at a place of its own. */
static void drop_tail(struct reader *r)
{
	r->unpacked_pos = (unpacked_end(r) + 7) & ~7ull;
	if (r->unpack)
		unpack_queue_reset(r->unpack);
	r->queued_pos = 0;
}

/* The pieces of a stream after a broken one mean nothing until a frame starts anew. */
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

/* The stream's bytes in a COMPRESSED record. False: it says that there are more than it has. */
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
 * Queue the record, and those that follow, as many as the queue wants.  Only as far as the reader
 * will surely come to the same ones: it may step over bytes where something makes no sense.
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

/* The bytes that were just unpacked go behind those that are there. */
static int append_unpacked(struct reader *r, const struct unpacked *u)
{
	struct span *sp;

	if (!u->len)
		return 0;
	if (u->block) {
		int ret = spans_add_block(&r->unpacked, r->unpacked_pos, u->block, UNPACK_HEAD,
					  UNPACK_ROOM, &sp);

		if (ret) {
			/* its thread may be writing there */
			reader_unpack_close(r);
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
		/* another record's would be our mistake: as damage it makes no wrong figures */
		if (ret || u.pos != rec->pos)
			return stream_broke(r, rec, "a compressed record cannot be unpacked");
		if (u.len > budget)
			return stream_broke(r, rec,
					    "a compressed record unpacks to more than it may");
		budget -= u.len;
		ret = reader_bound_held(r);
		if (!ret && u.len)
			ret = take_unpacked(r);
		if (ret < 0)
			return ret;
	} while (!u.last);
	return 0;
}

/* Ahead of the reader only in what is mapped: a pipe's bytes come when they come. */
static int open_queue(struct reader *r)
{
	if (r->unpack)
		return 0;
	return unpack_queue_new(&r->unpack, &r->unpacked,
				r->mapped_end && thread_wanted(r->options.jobs));
}

int reader_unpack(struct reader *r, const struct record *rec)
{
	struct error err = ERROR_INIT;
	const uint8_t *in;
	size_t left;
	int ret;

	r->compressed_pos = rec->pos;
	if (!packed_bytes(rec, r->recording->swap, &in, &left))
		return stream_broke(r, rec, "a compressed record is larger than it is");
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

void reader_unpack_end(struct reader *r)
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

void reader_unpack_close(struct reader *r)
{
	unpack_queue_free(r->unpack);
	r->unpack = NULL;
}
