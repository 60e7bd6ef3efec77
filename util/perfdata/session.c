// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/perfdata/delivery.h"
#include "util/perfdata/event_finder.h"
#include "util/perfdata/feature.h"
#include "util/perfdata/order.h"
#include "util/perfdata/read_progress.h"

/* Records are fetched into the cache so many ahead. */
#define PREFETCH_RECORDS 16 /* a power of two */

/* Bytes of a pipe, or unpacked, that may wait for their place in time. */
#define HELD_BYTES_DEFAULT (256ull << 20)

struct session {
	struct recording recording;
	struct reader reader;
	struct order order;
	struct event_finder finder;
	struct read_progress progress;
	struct bytes tracing_section; /* in a file */
	struct strbuf early;	      /* tracing data ahead of the samples, while it is collected */
	bool tracing_done;	      /* the consumer has it */
	struct delivery *delivery;
	struct {
		uint64_t nr, bytes;
		uint64_t first_pos;
	} bad; /* samples too small for their fields */
	struct pending_drop {
		uint64_t added;		  /* entries that must be delivered before */
		uint64_t input, unpacked; /* the drop */
	} drop;
	const struct session_ops *ops;
	void *ctx;
	struct error *err;
};

static int read_feature(void *ctx, unsigned int bit, struct bytes bytes)
{
	struct session *s = ctx;

	if (bit == HEADER_TRACING_DATA) {
		s->tracing_section = bytes;
		return 0;
	}
	return feature_read(&s->recording, bit, bytes);
}

int session_open(const char *path, const struct reader_options *options,
		 struct session **ret_session, struct error *err)
{
	struct reader_options with_default = *options;
	struct session *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return error_nomem(err);
	recording_init(&s->recording);
	strbuf_init(&s->early);
	read_progress_init(&s->progress, &s->order, &with_default);
	if (!with_default.held_bytes_max)
		with_default.held_bytes_max = HELD_BYTES_DEFAULT;
	ret = reader_open(&s->reader, &s->recording, path, &with_default, err);
	if (!ret && reader_for_each_feature(&s->reader, read_feature, s))
		ret = error_nomem(err);
	if (ret) {
		session_free(s);
		return ret;
	}
	*ret_session = s;
	return 0;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	delivery_free(s->delivery);
	order_deinit(&s->order);
	strbuf_deinit(&s->early);
	reader_close(&s->reader);
	recording_deinit(&s->recording);
	free(s);
}

const struct recording *session_recording(const struct session *s)
{
	return &s->recording;
}

static int hand_tracing_data(struct session *s, const uint8_t *data, size_t size, uint64_t pos)
{
	int ret;

	if (s->tracing_done || !s->ops->tracing_data)
		return 0;
	s->tracing_done = true;
	ret = delivery_drain(s->delivery, s->err);
	if (ret)
		return ret;
	s->recording.tracing_pos = pos;
	return s->ops->tracing_data(s->ctx, data, size, s->err);
}

static void skip_bad(struct session *s, const struct record *rec)
{
	recording_damage(&s->recording, reader_where(&s->reader, rec->pos),
			 "a %s record is too small for its fields", record_type_name(rec->type));
	s->recording.damage.nr_skipped_records++;
	s->recording.damage.nr_skipped_bytes += rec->size;
}

/* The tag of entries that are no samples; an event's index is smaller. */
#define TAG_TASK UINT16_MAX

/* An error is the consumer's, about an earlier record; its message comes with the drain. */
static int hand_over(struct session *s, size_t nr)
{
	int ret = delivery_add(s->delivery, nr);

	return ret < 0 ? delivery_drain(s->delivery, s->err) : 0;
}

/* A record becomes the consumer's sample, or (event NULL) task. False: it is broken. */
static bool make_sample(struct session *s, const uint8_t *data, struct recorded_event *ev,
			uint64_t pos, struct sample *ret_sample)
{
	struct recording *r = &s->recording;
	uint16_t size = load_u16(data + 6, r->swap);

	if (!ev) {
		*ret_sample = (struct sample){.swap = r->swap, .raw = data, .raw_size = size};
		return true;
	}
	if (sample_parse(&ev->layout, data, size, r->swap, ret_sample)) {
		if (!s->bad.nr++)
			s->bad.first_pos = pos;
		s->bad.bytes += size;
		return false;
	}
	ret_sample->event = ev;
	if (!r->nr_samples++ || ret_sample->time_ns < r->first_ns)
		r->first_ns = ret_sample->time_ns;
	if (ret_sample->time_ns > r->last_ns)
		r->last_ns = ret_sample->time_ns;
	ev->nr_samples++;
	return true;
}

/* Find a record ahead of its turn; samples have two cache lines and more. */
static const uint8_t *fetch(struct session *s, const struct order_entry *entry)
{
	const uint8_t *data = reader_at(&s->reader, entry->pos);

	__builtin_prefetch(data);
	__builtin_prefetch(data + 64);
	return data;
}

static int deliver_ordered(void *ctx, const struct order_entry *entries, size_t nr)
{
	const uint8_t *ahead[PREFETCH_RECORDS];
	struct session *s = ctx;

	for (size_t i = 0; i < nr && i < PREFETCH_RECORDS; i++)
		ahead[i] = fetch(s, &entries[i]);
	for (size_t i = 0; i < nr;) {
		size_t room, used = 0;
		struct sample *to = delivery_room(s->delivery, &room);
		int ret;

		for (; i < nr && used < room; i++) {
			const struct order_entry *e = &entries[i];
			const uint8_t *data = ahead[i % PREFETCH_RECORDS];
			struct recorded_event *ev =
				e->tag == TAG_TASK ? NULL : s->recording.events[e->tag];

			if (i + PREFETCH_RECORDS < nr)
				ahead[i % PREFETCH_RECORDS] = fetch(s, e + PREFETCH_RECORDS);
			used += make_sample(s, data, ev, e->pos, &to[used]);
		}
		ret = hand_over(s, used);
		if (!ret)
			ret = read_progress_handed(&s->progress, &s->reader, used, nr - i);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/*
 * Give back what nobody wants any more: that is known now, but what is on its way to the consumer
 * is wanted until it is delivered, so it is given back a round later.
 */
static void drop(struct session *s)
{
	struct pending_drop *p = &s->drop;

	if (delivery_done(s->delivery) < p->added)
		return;
	reader_drop_before(&s->reader, p->input, p->unpacked);
	p->added = delivery_added(s->delivery);
	p->input = order_min_pos(&s->order, 0, s->reader.input_pos);
	p->unpacked = order_min_pos(&s->order, READER_UNPACKED, s->reader.unpacked_pos);
}

/* Before anything changes that the consumer may be looking at. */
static int drain(struct session *s)
{
	return delivery_drain(s->delivery, s->err);
}

static int drain_and_drop(struct session *s)
{
	int ret = drain(s);

	drop(s); /* what was pending */
	drop(s); /* what is delivered by now */
	return ret;
}

/* Rounds that never end, in a pipe or unpacked, would fill the memory. */
static int relieve(struct session *s)
{
	int ret = order_shed(&s->order);

	if (!ret)
		ret = drain_and_drop(s);
	if (ret || reader_held_bytes(&s->reader) <= s->reader.options.held_bytes_max / 2)
		return ret;
	ret = order_flush(&s->order);
	return ret ? ret : drain_and_drop(s);
}

/* A record without a time: behind what was handed out so far. */
static int deliver_now(struct session *s, struct recorded_event *ev, const struct record *rec)
{
	size_t room;
	struct sample *to = delivery_room(s->delivery, &room);

	return make_sample(s, rec->data, ev, rec->pos, to) ? hand_over(s, 1) : 0;
}

static int take_sample(struct session *s, const struct record *rec)
{
	struct recorded_event *ev = event_finder_sample(&s->finder, &s->recording, rec);
	uint64_t time_ns;

	if (!ev) {
		s->recording.nr_unknown_ids++;
		return 0;
	}
	time_ns = sample_time(&ev->layout, rec->data, rec->size, s->recording.swap, UINT64_MAX);
	if (time_ns == UINT64_MAX)
		return deliver_now(s, ev, rec);
	if (reader_held_bytes(&s->reader) > s->reader.options.held_bytes_max) {
		int ret = relieve(s);

		if (ret)
			return ret;
	}
	return order_add(&s->order, time_ns, rec->pos, (uint16_t)ev->index);
}

static int take_task(struct session *s, const struct record *rec)
{
	const struct recording *r = &s->recording;
	uint64_t time_ns = UINT64_MAX;

	if (!s->ops->comm || !s->ops->fork)
		return 0;
	if (r->nr_events)
		time_ns = sample_tail_time(&r->events[0]->layout, rec->data, rec->size, r->swap,
					   UINT64_MAX);
	if (time_ns == UINT64_MAX)
		return deliver_now(s, NULL, rec);
	return order_add(&s->order, time_ns, rec->pos, TAG_TASK);
}

static int take_round(struct session *s, const struct record *rec)
{
	int ret;

	(void)rec;
	if (s->reader.directory)
		return 0; /* rounds of one file say nothing about the others */
	ret = order_round(&s->order);
	if (ret < 0)
		return ret;
	drop(s);
	return 0;
}

/* u64 id, u64 lost */
static int take_lost(struct session *s, const struct record *rec)
{
	struct recorded_event *ev =
		recording_event_by_id(&s->recording, load_u64(rec->data + 8, s->recording.swap));

	if (!ev && s->recording.nr_events)
		ev = s->recording.events[0];
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
	int ret;

	if ((rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL)
		return 0;
	bytes_take(&b, 16);
	pgoff = bytes_u64(&b);
	name = bytes_cstr(&b);
	if (!name || strncmp(name, prefix, sizeof(prefix) - 1) || !name[sizeof(prefix) - 1])
		return 0;
	name += sizeof(prefix) - 1;
	if (strlen(name) >= sizeof(r->kernel_text_symbol))
		return 0;
	ret = drain(s);
	memcpy(r->kernel_text_symbol, name, strlen(name) + 1);
	r->kernel_text = pgoff;
	return ret;
}

/* In a pipe: an event and its ids. */
static int take_attr(struct session *s, const struct record *rec)
{
	struct recording *r = &s->recording;
	struct bytes b = bytes_make(rec->data + 8, rec->size - 8, r->swap);
	struct event_attr attr;
	int ret;

	if (!r->pipe)
		return 0;
	if (r->nr_events >= UINT16_MAX || attr_parse(&b, 0, r->big_endian, &attr, NULL)) {
		skip_bad(s, rec);
		return 0;
	}
	ret = drain(s);
	if (ret)
		return ret;
	if (!recording_add_event(r, &attr))
		return -ENOMEM;
	while (bytes_left(&b) >= 8) {
		ret = recording_add_id(r, bytes_u64(&b), (uint32_t)r->nr_events - 1);
		if (ret)
			return ret;
	}
	return 0;
}

static int take_tracing_data(struct session *s, const struct record *rec)
{
	return hand_tracing_data(s, rec->data + rec->size,
				 load_u32(rec->data + 8, s->recording.swap), rec->pos + rec->size);
}

/* Ours: a tracing data section in pieces, for files that were never finished. */
static int take_early(struct session *s, const struct record *rec)
{
	struct bytes b = bytes_make(rec->data + 8, rec->size - 8, s->recording.swap);
	uint64_t magic = bytes_u64(&b);
	uint32_t kind = bytes_u32(&b), offset = bytes_u32(&b), total = bytes_u32(&b);
	uint32_t size = bytes_u32(&b);
	const void *piece = bytes_take(&b, size);

	if (!piece || magic != PERFDATA_EARLY_MAGIC || kind != HEADER_TRACING_DATA ||
	    s->tracing_done || offset != s->early.len)
		return 0;
	if (strbuf_add(&s->early, piece, size))
		return -ENOMEM;
	if (s->early.len < total)
		return 0;
	return hand_tracing_data(s, (const uint8_t *)s->early.buf, s->early.len,
				 s->reader.layout.data_start);
}

/* In a pipe: u64 feature, then its bytes. */
static int take_feature(struct session *s, const struct record *rec)
{
	struct bytes b = bytes_make(rec->data + 8, rec->size - 8, s->recording.swap);
	uint64_t bit = bytes_u64(&b);
	int ret = drain(s);

	if (ret || bit >= PERFDATA_FEATURE_BITS)
		return ret;
	return feature_read(&s->recording, (unsigned int)bit, b);
}

static int take_build_id(struct session *s, const struct record *rec)
{
	int ret = drain(s);

	return ret ? ret
		   : feature_read(&s->recording, HEADER_BUILD_ID,
				  bytes_make(rec->data, rec->size, s->recording.swap));
}

/* The records that mean something to us; all others are stepped over. */
static int (*const handlers[])(struct session *s, const struct record *rec) = {
	[PERF_RECORD_MMAP] = take_mmap,
	[PERF_RECORD_LOST] = take_lost,
	[PERF_RECORD_COMM] = take_task,
	[PERF_RECORD_FORK] = take_task,
	[PERF_RECORD_SAMPLE] = take_sample,
	[PERF_RECORD_LOST_SAMPLES] = take_lost_samples,
	[PERF_RECORD_HEADER_ATTR] = take_attr,
	[PERF_RECORD_HEADER_EVENT_TYPE] = take_early,
	[PERF_RECORD_HEADER_TRACING_DATA] = take_tracing_data,
	[PERF_RECORD_HEADER_BUILD_ID] = take_build_id,
	[PERF_RECORD_FINISHED_ROUND] = take_round,
	[PERF_RECORD_HEADER_FEATURE] = take_feature,
};

static int take_record(void *ctx, const struct record *rec)
{
	struct session *s = ctx;

	if (rec->type < sizeof(handlers) / sizeof(handlers[0]) && handlers[rec->type])
		return handlers[rec->type](s, rec);
	if (!record_type_known(rec->type))
		s->recording.damage.nr_unknown_records++;
	return 0;
}

static void note_bad_samples(struct session *s)
{
	if (!s->bad.nr)
		return;
	recording_damage(&s->recording, reader_where(&s->reader, s->bad.first_pos),
			 "a SAMPLE record is too small for its fields");
	s->recording.damage.nr_skipped_records += s->bad.nr;
	s->recording.damage.nr_skipped_bytes += s->bad.bytes;
}

int session_read(struct session *s, const struct session_ops *ops, void *ctx, struct error *err)
{
	int ret = 0;

	s->ops = ops;
	s->ctx = ctx;
	s->err = err;
	order_init(&s->order, 0, deliver_ordered, s);
	ret = delivery_new(&s->delivery, ops, ctx, delivery_threaded(s->reader.options.jobs));
	if (!ret && s->tracing_section.pos)
		ret = hand_tracing_data(
			s, s->tracing_section.pos, bytes_left(&s->tracing_section),
			(uint64_t)(s->tracing_section.pos - s->reader.input.v[0].data));
	if (!ret)
		ret = reader_read(&s->reader, take_record, s, err);
	/* stopped: what was read still goes out, but not what is behind a gap */
	if (!ret || (ret == -ECANCELED && !s->progress.in_hand))
		ret = order_flush(&s->order);
	ret = read_progress_finish(&s->progress, &s->reader, ret);
	if (s->delivery) {
		int delivered = drain(s);

		ret = ret ? ret : delivered;
		note_bad_samples(s);
	}
	if (s->order.nr_shed)
		log_warn("'%s': too much to put in order at once (the rounds do not end); %" PRIu64
			 " records came too late for their place in time",
			 s->recording.path, s->order.nr_out_of_order);
	else if (s->order.nr_out_of_order)
		log_info("%" PRIu64 " records came too late for their place in time",
			 s->order.nr_out_of_order);
	if (ret == -ENOMEM)
		return error_nomem(err);
	return ret;
}
