// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/session/unpacker.h"

#include <errno.h>
#include <stdlib.h>

#include "util/base/thread.h"
#include "util/session/resync.h"
#include "util/session/unpack_queue.h"

/* Distance to look ahead for records to unpack, bytes. */
#define LOOK_AHEAD (8u << 20)

/* Limit for the unpacked size of one COMPRESSED record, against decompression bombs. */
#define UNPACK_MAX (64ull << 20)

#define ZSTD_FRAME_MAGIC 0xfd2fb528

void unpacker_init(struct unpacker *p, struct perfdata_input *input, const struct record_sink *sink)
{
	*p = (struct unpacker){
		.input = input,
		.sink = sink,
		.pos = UNPACKED_START,
		.spans = {.next_start = UNPACKED_START},
	};
}

void unpacker_deinit(struct unpacker *p)
{
	unpacker_stop(p);
	spans_deinit(&p->spans);
}

void unpacker_stop(struct unpacker *p)
{
	unpack_queue_free(p->queue);
	p->queue = NULL;
}

/* Position of the next unpacked byte. */
static uint64_t unpacked_end(const struct unpacker *p)
{
	const struct span *sp = p->spans.nr ? &p->spans.v[p->spans.nr - 1] : NULL;

	return sp && sp->start + sp->len > p->pos ? sp->start + sp->len : p->pos;
}

/* Take the whole records among the unpacked bytes; an incomplete one stays until the rest comes. */
static int take_unpacked(struct unpacker *p)
{
	/* a copy: the sink may drop earlier spans, but the bytes of the last one do not move */
	const struct span span = p->spans.v[p->spans.nr - 1];
	const struct record_sink sink = *p->sink;
	const bool swap = p->input->recording->swap;

	while (p->pos < span.start + span.len) {
		const uint8_t *data = span.data + (p->pos - span.start);
		uint64_t left = span.start + span.len - p->pos, skip;
		enum record_status status;
		struct record rec;
		int ret;

		skip = sink.take_samples(sink.ctx, data, p->pos, left, left);
		p->pos += skip;
		if (skip)
			continue;
		status = record_peek(data, left, swap, &rec);

		/* recorders pack records of at most 64 KiB */
		if (status == RECORD_SHORT && rec.total <= UINT16_MAX)
			return 0;
		if (status != RECORD_OK || record_is_packed(&rec) ||
		    !record_is_believable(p->input->recording, &rec, left)) {
			ret = record_skip(p->input, data, left, p->packed_pos, false, &skip);
			if (ret)
				return ret;
			p->pos += skip;
			continue;
		}
		rec.pos = p->pos;
		p->pos += rec.total;
		ret = sink.take(sink.ctx, &rec);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* Forget an incomplete record; a new sequence starts. */
static void drop_tail(struct unpacker *p)
{
	p->pos = (unpacked_end(p) + 7) & ~7ull;
	if (p->queue)
		unpack_queue_reset(p->queue);
	p->queued_pos = 0;
}

/* After the stream broke, its pieces are useless until a new frame starts. */
static int stream_broke(struct unpacker *p, const struct record *rec, const char *what)
{
	perfdata_input_note_cut(p->input);
	recording_damage(p->input->recording, rec->pos, "%s", what);
	p->input->recording->facts.damage.nr_skipped_records++;
	p->input->recording->facts.damage.nr_skipped_bytes += rec->size;
	p->broken = true;
	drop_tail(p);
	return 0;
}

/* Called when all records together have unpacked to more than a real recording would. */
static int note_spent(struct unpacker *p, const struct record *rec)
{
	stream_broke(p, rec, "compressed records unpack to far more than the size of the file");
	p->input->recording->facts.damage.truncated = true;
	p->spent = true;
	return 0;
}

static bool starts_frame(const uint8_t *in, size_t left)
{
	return left >= 4 &&
	       load_u32(in, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) == ZSTD_FRAME_MAGIC;
}

/* The stream's bytes in a COMPRESSED record. Returns false if the record is shorter than they would
 * be. */
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
 * Queue the record and following ones, as many as the queue wants. Stops where the reader might not
 * reach the same records, because it may skip bytes that make no sense.
 */
static void queue_ahead(struct unpacker *p, const struct record *rec, uint64_t mapped_end)
{
	uint64_t pos = p->queued_pos > rec->pos ? p->queued_pos : rec->pos;
	uint64_t end = mapped_end ? mapped_end : rec->pos + rec->total;
	unsigned int wants = unpack_queue_wants(p->queue);

	while (wants && pos < end && pos - rec->pos < LOOK_AHEAD) {
		struct record next;
		const uint8_t *in;
		size_t left;

		if (record_peek(rec->data + (pos - rec->pos), end - pos, p->input->recording->swap,
				&next) != RECORD_OK ||
		    !record_type_known(next.type))
			break;
		if (record_is_packed(&next)) {
			if (!packed_bytes(&next, p->input->recording->swap, &in, &left))
				break;
			unpack_queue_add(p->queue, pos, in, left);
			wants--;
		}
		pos += next.total;
	}
	p->queued_pos = pos;
}

/* Append the unpacked bytes to the previous ones. */
static int append_unpacked(struct unpacker *p, const struct unpacked *u)
{
	struct span *sp;

	if (!u->len)
		return 0;
	if (u->block) {
		int ret =
			spans_add_block(&p->spans, p->pos, u->block, UNPACK_HEAD, UNPACK_ROOM, &sp);

		if (ret) {
			/* the thread may be writing to the blocks */
			unpacker_stop(p);
			free(u->block);
			return ret;
		}
	} else {
		sp = &p->spans.v[p->spans.nr - 1];
	}
	sp->len = (size_t)(u->data + u->len - sp->data);
	return 0;
}

static int unpack(struct unpacker *p, const struct record *rec)
{
	uint64_t budget = p->input->recording->compressed_mmap_len;
	struct unpacked u;

	if (!budget || budget > UNPACK_MAX)
		budget = UNPACK_MAX;
	budget += UINT16_MAX;
	do {
		int ret = unpack_queue_take(p->queue, &u);

		if (!ret)
			ret = append_unpacked(p, &u);
		if (ret == -ENOMEM)
			return ret;
		/* bytes of another record would be a bug here: treat them as damage, so that no
		 * figure is wrong */
		if (ret || u.pos != rec->pos)
			return stream_broke(p, rec, "a compressed record cannot be unpacked");
		if (u.len > budget)
			return stream_broke(p, rec,
					    "a compressed record unpacks to more than allowed");
		budget -= u.len;
		p->unpacked_bytes += u.len;
		if (p->unpacked_bytes > unpacked_bytes_max(perfdata_input_stored(p->input)))
			return note_spent(p, rec);
		ret = unpacker_bound_held(p);
		if (!ret && u.len)
			ret = take_unpacked(p);
		if (ret < 0)
			return ret;
	} while (!u.last);
	return 0;
}

/* Use the thread only for mapped input: records of a pipe cannot be read ahead. */
static int open_queue(struct unpacker *p, uint64_t mapped_end)
{
	if (p->queue)
		return 0;
	return unpack_queue_new(&p->queue, &p->spans,
				mapped_end && thread_wanted(p->input->options.jobs));
}

int unpacker_take(struct unpacker *p, const struct record *rec, uint64_t mapped_end)
{
	struct error err = ERROR_INIT;
	const uint8_t *in;
	size_t left;
	int ret;

	p->packed_pos = rec->pos;
	if (!packed_bytes(rec, p->input->recording->swap, &in, &left))
		return stream_broke(p, rec, "a compressed record claims to be larger than it is");
	if (p->spent || (p->broken && !starts_frame(in, left))) {
		p->input->recording->facts.damage.nr_skipped_records++;
		p->input->recording->facts.damage.nr_skipped_bytes += rec->size;
		return 0;
	}
	p->broken = false;
	ret = open_queue(p, mapped_end);
	if (ret)
		return ret;
	ret = unpack_queue_open(p->queue, &err);
	if (ret == -ENOMEM)
		return ret;
	if (ret)
		return stream_broke(p, rec, err.msg);
	queue_ahead(p, rec, mapped_end);
	return unpack(p, rec);
}

void unpacker_finish_stream(struct unpacker *p)
{
	uint64_t tail = unpacked_end(p) - p->pos;

	if (tail && !p->input->stopped) {
		p->input->recording->facts.damage.truncated = true;
		p->input->recording->facts.damage.nr_skipped_bytes += tail;
		recording_damage(p->input->recording, p->packed_pos,
				 "the compressed data ends inside a record");
	}
	drop_tail(p);
	p->broken = false;
}
