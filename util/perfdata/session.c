// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/perfdata/feature.h"
#include "util/perfdata/session_internal.h"

/* Records are fetched into the cache so many ahead. */
#define PREFETCH_RECORDS 16 /* a power of two */

/* Bytes of a pipe, or unpacked, that may wait for their place in time. */
#define HELD_BYTES_DEFAULT (256ull << 20)

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

static int drain_and_drop(struct session *s)
{
	int ret = session_drain(s);

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

static int take_round(struct session *s)
{
	int ret;

	if (s->reader.directory)
		return 0; /* rounds of one file say nothing about the others */
	ret = order_round(&s->order);
	if (ret < 0)
		return ret;
	drop(s);
	return 0;
}

static int take_record(void *ctx, const struct record *rec)
{
	struct session *s = ctx;

	switch (rec->type) {
	case PERF_RECORD_SAMPLE:
		return take_sample(s, rec);
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
		return take_task(s, rec);
	case PERF_RECORD_FINISHED_ROUND:
		return take_round(s);
	default:
		return session_take_about(s, rec);
	}
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
		ret = session_hand_tracing_data(
			s, s->tracing_section.pos, bytes_left(&s->tracing_section),
			(uint64_t)(s->tracing_section.pos - s->reader.input.v[0].data));
	if (!ret)
		ret = reader_read(&s->reader, take_record, s, err);
	/* stopped: what was read still goes out, but not what is behind a gap */
	if (!ret || (ret == -ECANCELED && !s->progress.in_hand))
		ret = order_flush(&s->order);
	ret = read_progress_finish(&s->progress, &s->reader, ret);
	if (s->delivery) {
		int delivered = session_drain(s);

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
