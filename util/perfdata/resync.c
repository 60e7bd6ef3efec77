// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/format.h"
#include "util/perfdata/reader_internal.h"

/* Records that must follow one another before we believe to be in step again. */
#define RESYNC_RECORDS 4

/* Recorders write these at any size, and what follows them at any alignment. */
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

bool resync_believable(const struct reader *r, const struct record *record, uint64_t left)
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

static int find(struct reader *r, const uint8_t *data, uint64_t left, uint64_t *ret_skip)
{
	uint64_t step = r->recording->compressed_mmap_len ? 1 : 4, tell = READER_TELL_BYTES;

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
			tell += READER_TELL_BYTES;
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

int resync_step_over(struct reader *r, const uint8_t *data, uint64_t left, uint64_t pos,
		     bool at_end, uint64_t *ret_skip)
{
	struct source_damage *damage = &r->recording->facts.damage;
	struct record rec;
	uint64_t skip;
	int ret;

	/* zeroes where the file was cut are no damage of their own */
	reader_note_cut(r);
	ret = find(r, data, left, &skip);
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
