// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/session_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/tracepoint/tracing_data.h"

static void skip_bad(struct session *s, const struct record *rec)
{
	recording_damage(&s->recording, reader_where(&s->reader, rec->pos),
			 "a %s record is too small for its fields", record_type_name(rec->type));
	s->recording.facts.damage.nr_skipped_records++;
	s->recording.facts.damage.nr_skipped_bytes += rec->size;
}

int session_hand_tracing_data(struct session *s, const uint8_t *data, size_t size, uint64_t pos)
{
	struct tracing_data formats;
	int ret;

	if (s->tracing_done || !s->sink->formats)
		return 0;
	s->tracing_done = true;
	s->recording.facts.formats_pos = pos;
	ret = tracing_data_parse(&formats, data, size, s->err);
	if (ret)
		return error_prefix(s->err, "'%s', tracing data at offset 0x%" PRIx64,
				    s->recording.facts.path, pos);
	ret = s->sink->formats(s->ctx, &formats, s->err);
	tracing_data_deinit(&formats);
	return ret;
}

/* u64 id, u64 lost */
static int take_lost(struct session *s, const struct record *rec)
{
	struct recorded_event *ev =
		recording_event_by_id(&s->recording, load_u64(rec->data + 8, s->recording.swap));

	if (!ev && s->recording.facts.nr_events)
		ev = recording_event(&s->recording, 0);
	if (ev)
		ev->nr_lost_records += load_u64(rec->data + 16, s->recording.swap);
	return 0;
}

/* u64 lost; whose is in the tail */
static int take_lost_samples(struct session *s, const struct record *rec)
{
	struct recorded_event *ev;

	if (rec->misc & PERF_RECORD_MISC_LOST_SAMPLES_BPF)
		return 0; /* filtered, not lost */
	ev = event_finder_other(&s->finder, &s->recording, rec);
	if (ev)
		ev->nr_lost_samples += load_u64(rec->data + 8, s->recording.swap);
	s->recording.facts.knows_lost_events |= ev && ev->nr_lost_samples;
	return 0;
}

/*
 * u32 pid, u32 tid, u64 addr, u64 len, u64 pgoff, filename; MMAP2 has more before the name, but
 * the kernel itself is told by MMAP: its pgoff is the address of the symbol in its name.
 */
static int take_mmap(struct session *s, const struct record *rec)
{
	static const char prefix[] = "[kernel.kallsyms]";
	struct recording *r = &s->recording;
	struct bytes b = bytes_make(rec->data + 16, rec->size - 16, r->swap);
	uint64_t pgoff;
	const char *name;

	if ((rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL)
		return 0;
	bytes_take(&b, 16);
	pgoff = bytes_u64(&b);
	name = bytes_cstr(&b);
	if (!name || strncmp(name, prefix, sizeof(prefix) - 1) || !name[sizeof(prefix) - 1])
		return 0;
	name += sizeof(prefix) - 1;
	if (strlen(name) >= sizeof(r->facts.kernel_text_symbol))
		return 0;
	memcpy(r->facts.kernel_text_symbol, name, strlen(name) + 1);
	r->facts.kernel_text = pgoff;
	return 0;
}

/* In a pipe: an event and its ids. */
static int take_attr(struct session *s, const struct record *rec)
{
	struct recording *r = &s->recording;
	struct bytes b = bytes_make(rec->data + 8, rec->size - 8, r->swap);
	struct event_attr attr;

	if (!r->pipe)
		return 0;
	if (r->facts.nr_events >= UINT16_MAX ||
	    attr_parse(&b, 0, r->facts.big_endian, &attr, NULL)) {
		skip_bad(s, rec);
		return 0;
	}
	if (!recording_add_event(r, &attr))
		return -ENOMEM;
	while (bytes_left(&b) >= 8) {
		int ret = recording_add_id(r, bytes_u64(&b), (uint32_t)r->facts.nr_events - 1);

		if (ret)
			return ret;
	}
	return 0;
}

static int take_tracing_data(struct session *s, const struct record *rec)
{
	return session_hand_tracing_data(s, rec->data + rec->size,
					 load_u32(rec->data + 8, s->recording.swap),
					 rec->pos + rec->size);
}

/* Ours: a tracing data section in pieces, for pipes and files that were never finished. */
static int take_early(struct session *s, const struct record *rec)
{
	struct bytes b = bytes_make(rec->data + 8, rec->size - 8, s->recording.swap);
	uint64_t magic = bytes_u64(&b);
	uint32_t kind = bytes_u32(&b), offset = bytes_u32(&b), total = bytes_u32(&b);
	uint32_t size = bytes_u32(&b);
	const void *piece = bytes_take(&b, size);

	if (!piece || magic != PERFDATA_EARLY_MAGIC)
		return 0;
	if (kind == HEADER_RECORDING_INFO && s->recording.pipe)
		return feature_read(&s->recording, kind,
				    bytes_make(piece, size, s->recording.swap));
	if (kind != HEADER_TRACING_DATA || s->tracing_done || offset != s->early.len)
		return 0;
	if (strbuf_add(&s->early, piece, size))
		return -ENOMEM;
	if (s->early.len < total)
		return 0;
	return session_hand_tracing_data(s, (const uint8_t *)s->early.buf, s->early.len,
					 s->reader.layout.data_start);
}

/* In a pipe: u64 feature, then its bytes. */
static int take_feature(struct session *s, const struct record *rec)
{
	struct bytes b = bytes_make(rec->data + 8, rec->size - 8, s->recording.swap);
	uint64_t bit = bytes_u64(&b);

	if (bit >= PERFDATA_FEATURE_BITS)
		return 0;
	return feature_read(&s->recording, (unsigned int)bit, b);
}

static int take_build_id(struct session *s, const struct record *rec)
{
	return feature_read(&s->recording, HEADER_BUILD_ID,
			    bytes_make(rec->data, rec->size, s->recording.swap));
}

/* The records that mean something to us; all others are stepped over. */
static int (*const handlers[])(struct session *s, const struct record *rec) = {
	[PERF_RECORD_MMAP] = take_mmap,
	[PERF_RECORD_LOST] = take_lost,
	[PERF_RECORD_LOST_SAMPLES] = take_lost_samples,
	[PERF_RECORD_HEADER_ATTR] = take_attr,
	[PERF_RECORD_HEADER_EVENT_TYPE] = take_early,
	[PERF_RECORD_HEADER_TRACING_DATA] = take_tracing_data,
	[PERF_RECORD_HEADER_BUILD_ID] = take_build_id,
	[PERF_RECORD_HEADER_FEATURE] = take_feature,
};

int session_take_about(struct session *s, const struct record *rec)
{
	if (rec->type < sizeof(handlers) / sizeof(handlers[0]) && handlers[rec->type])
		return handlers[rec->type](s, rec);
	if (!record_type_known(rec->type))
		s->recording.facts.damage.nr_unknown_records++;
	return 0;
}
