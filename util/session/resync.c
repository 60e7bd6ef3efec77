// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/session/resync.h"

#include "util/perfdata/format.h"

/* Bytes between two calls of the progress function. */
#define PROGRESS_BYTES (1u << 20)

/* Number of consecutive records needed to be sure that we are in step again. */
#define RESYNC_RECORDS 4

/* Recorders write these with any size, so records after them may have any alignment. */
static bool is_unaligned(uint32_t type)
{
	return type == PERF_RECORD_HEADER_TRACING_DATA || type == PERF_RECORD_HEADER_FEATURE ||
	       type == PERF_RECORD_COMPRESSED;
}

static bool plausible(const struct recording *recording, const struct record *rec)
{
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

bool record_is_believable(const struct recording *recording, const struct record *record,
			  uint64_t left)
{
	uint64_t at = record->total;

	if (record_type_known(record->type))
		return true;
	if (record->size % 8)
		return false;
	for (int n = 0; n < RESYNC_RECORDS && left - at >= RECORD_HEADER_SIZE; n++) {
		struct record next;
		enum record_status status =
			record_peek(record->data + at, left - at, recording->swap, &next);

		if (status == RECORD_BAD)
			return false;
		if (record_type_known(next.type) || status == RECORD_SHORT)
			return status == RECORD_SHORT || plausible(recording, &next);
		if (next.size % 8)
			return false;
		at += next.total;
	}
	return true;
}

static int find_record(struct perfdata_input *in, const uint8_t *data, uint64_t left,
		       uint64_t *ret_skip)
{
	const struct recording *recording = in->recording;
	uint64_t step = recording->compressed_mmap_len ? 1 : 4, progress_at = PROGRESS_BYTES;

	*ret_skip = left;
	for (uint64_t start = step; start + RECORD_HEADER_SIZE <= left; start += step) {
		uint64_t at = start;
		int n = 0;

		/* a hole may be larger than any disk */
		if (start >= progress_at) {
			int ret = perfdata_input_tell(in);

			if (ret)
				return ret;
			if (perfdata_input_note_cut(in))
				return 0;
			spans_forget(&in->spans, data + progress_at - PROGRESS_BYTES,
				     PROGRESS_BYTES);
			progress_at += PROGRESS_BYTES;
		}

		while (n < RESYNC_RECORDS && at < left) {
			struct record rec;

			if (record_peek(data + at, left - at, recording->swap, &rec) != RECORD_OK ||
			    !plausible(recording, &rec))
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

int record_skip(struct perfdata_input *in, const uint8_t *data, uint64_t left, uint64_t pos,
		bool at_end, uint64_t *ret_skip)
{
	struct source_damage *damage = &in->recording->facts.damage;
	struct record rec;
	uint64_t skip;
	int ret;

	/* zeroes where a file has shrunk are not separate damage */
	perfdata_input_note_cut(in);
	ret = find_record(in, data, left, &skip);
	if (ret)
		return ret;

	record_peek(data, left, in->recording->swap, &rec);
	if (skip == left && at_end) {
		damage->truncated = true;
		recording_damage(in->recording, pos, "the data ends inside a record");
	} else {
		recording_damage(in->recording, pos, "no record can be read (%s (%u), size %u)",
				 record_type_name(rec.type), rec.type, rec.size);
		damage->nr_skipped_records++;
	}
	damage->nr_skipped_bytes += skip;
	*ret_skip = skip;
	return 0;
}
