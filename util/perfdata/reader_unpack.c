// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "util/perfdata/format.h"
#include "util/perfdata/reader_internal.h"
#include "util/perfdata/unpack.h"

#define UNPACK_BUFFER (1u << 20)

/* What one COMPRESSED record may unpack to: a bomb of 64 KiB stays at this. */
#define UNPACK_MAX (64ull << 20)

#define ZSTD_FRAME_MAGIC 0xfd2fb528

/* Where the next unpacked byte will stand. */
static uint64_t unpacked_end(const struct reader *r)
{
	const struct span *sp = r->unpacked.nr ? &r->unpacked.v[r->unpacked.nr - 1] : NULL;

	return sp && sp->start + sp->len > r->unpacked_pos ? sp->start + sp->len : r->unpacked_pos;
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
		int ret;

		/* what a recorder packs is at most 64 KiB large */
		if (status == RECORD_SHORT && rec.total <= UINT16_MAX)
			return 0;
		if (status != RECORD_OK || rec.type == PERF_RECORD_COMPRESSED ||
		    rec.type == PERF_RECORD_COMPRESSED2 || !resync_believable(r, &rec, left)) {
			r->unpacked_pos += resync_step_over(r, data, left, r->unpacked_pos, false);
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
	unpacker_free(r->unpacker);
	r->unpacker = NULL;
}

/* The pieces of a stream after a broken one mean nothing until a frame starts anew. */
static int stream_broke(struct reader *r, const struct record *rec, const char *what)
{
	recording_damage(r->recording, rec->pos, "%s", what);
	r->recording->damage.nr_skipped_records++;
	r->recording->damage.nr_skipped_bytes += rec->size;
	r->unpack_broken = true;
	drop_tail(r);
	return 0;
}

static bool starts_frame(const uint8_t *in, size_t left)
{
	return left >= 4 &&
	       load_u32(in, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) == ZSTD_FRAME_MAGIC;
}

static int unpack(struct reader *r, const struct record *rec, const uint8_t *in, size_t left)
{
	uint64_t budget = r->recording->compressed_mmap_len;
	bool full;

	if (!budget || budget > UNPACK_MAX)
		budget = UNPACK_MAX;
	budget += UINT16_MAX;
	do {
		struct span *sp;
		size_t written;
		int ret =
			reader_make_room(&r->unpacked, r->unpacked_pos,
					 unpacked_end(r) - r->unpacked_pos + 1, UNPACK_BUFFER, &sp);

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
		ret = take_unpacked(r);
		if (ret < 0)
			return ret;
	} while (left || full);
	return 0;
}

int reader_unpack(struct reader *r, const struct record *rec)
{
	bool sized = rec->type == PERF_RECORD_COMPRESSED2;
	size_t head = sized ? RECORD_HEADER_SIZE + 8 : RECORD_HEADER_SIZE;
	const uint8_t *in = rec->data + head;
	size_t left = rec->size - head;
	int ret;

	r->compressed_pos = rec->pos;
	if (sized) {
		uint64_t size = load_u64(rec->data + RECORD_HEADER_SIZE, r->recording->swap);

		if (size > left)
			return stream_broke(r, rec, "a compressed record is larger than it is");
		left = size;
	}
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

void reader_unpack_end(struct reader *r)
{
	uint64_t tail = unpacked_end(r) - r->unpacked_pos;

	if (tail && !r->stopped) {
		r->recording->damage.truncated = true;
		r->recording->damage.nr_skipped_bytes += tail;
		recording_damage(r->recording, r->compressed_pos,
				 "the compressed data ends inside a record");
	}
	drop_tail(r);
	r->unpack_broken = false;
}
