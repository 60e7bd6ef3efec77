// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/session/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/session/event_finder.h"
#include "util/session/feature.h"
#include "util/session/order.h"
#include "util/session/read_progress.h"
#include "util/session/task_record.h"
#include "util/tracepoint/tracing_data.h"

/* Distance of prefetches in file order, bytes. The processor does not prefetch by itself if records
 * span several cache lines. */
#define FETCH_AHEAD 1024

/* Distance of prefetches in time order, records. */
#define PREFETCH_RECORDS 32

/* Number of samples delivered at once. */
#define BATCH 32

/* Number of records between two updates of the progress. */
#define HAND_RECORDS 512

/*
 * Limit for bytes from a pipe, or unpacked, that wait to be put in order. It must hold two rounds:
 * twice the buffers of all CPUs, if these were full when the recorder ran. Our recorder's buffers
 * take a 64th of the memory, and unpacked samples are three times as large as packed ones.
 */
#define HELD_BYTES_MIN (256ull << 20)
#define HELD_BYTES_MAX (2048ull << 20)
#define HELD_PART      8 /* of the machine's memory */

/* Limit for formats and symbols before the samples; those of a kernel take about 20 MiB. */
#define EARLY_BYTES_MAX (96ull << 20)

struct session {
	struct event_source source;
	struct recording recording;
	struct reader reader;
	struct order order;
	struct event_finder finder;
	struct read_progress progress;
	struct bytes tracing_section; /* files only */
	struct strbuf early;	      /* pieces of the tracing data collected so far */
	bool tracing_done;	      /* passed to the sink */
	char no_formats[96];	      /* of a file that was cut */
	struct sample batch[BATCH];
	bool rare[BATCH]; /* the sample may have fields that few samples have */
	struct {
		uint64_t nr, bytes;
		uint64_t first_pos;
	} bad; /* samples too small for their fields */
	const struct event_sink *sink;
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

static uint64_t held_bytes_default(void)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	struct rlimit limit;

	if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur < memory)
		memory = limit.rlim_cur;
	memory /= HELD_PART;
	return memory < HELD_BYTES_MIN	 ? HELD_BYTES_MIN
	       : memory > HELD_BYTES_MAX ? HELD_BYTES_MAX
					 : memory;
}

static struct session *session_of(struct event_source *source)
{
	return (struct session *)source;
}

static void free_source(struct event_source *source)
{
	struct session *s = session_of(source);

	order_deinit(&s->order);
	strbuf_deinit(&s->early);
	reader_close(&s->reader);
	recording_deinit(&s->recording);
	free(s);
}

/* Formats are a feature, behind the data, or in a pipe a record. */
static void set_no_formats(struct session *s)
{
	const struct perfdata_layout *l = &s->reader.layout;
	const char *reason = "it has no feature 1 according to its header at offset 0x48";

	if (s->recording.pipe)
		reason = "it has none among its first records, from offset 0x10 on";
	else if (l->unfinished)
		reason = "it was never finished";
	s->recording.facts.no_formats = reason;
	if (s->recording.pipe || l->data_size_said <= l->data_end - l->data_start)
		return;
	snprintf(s->no_formats, sizeof(s->no_formats),
		 "it was cut at offset 0x%" PRIx64 " and had at least %" PRIu64 " bytes",
		 l->data_end, l->data_start + l->data_size_said);
	s->recording.facts.no_formats = s->no_formats;
}

static int open_source(const char *path, const struct source_options *options,
		       struct event_source **ret_source, struct error *err)
{
	struct source_options with_default = *options;
	struct session *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return error_nomem(err);
	s->source = (struct event_source){&event_source_perfdata, &s->recording.facts};
	recording_init(&s->recording);
	s->recording.keeps_details = options->sample_details;
	strbuf_init(&s->early);
	read_progress_init(&s->progress, &s->order, &with_default);
	if (!with_default.held_bytes_max)
		with_default.held_bytes_max = held_bytes_default();
	ret = reader_open(&s->reader, &s->recording, path, &with_default, err);
	if (!ret && reader_for_each_feature(&s->reader, read_feature, s))
		ret = error_nomem(err);
	if (ret) {
		free_source(&s->source);
		return ret;
	}
	set_no_formats(s);
	*ret_source = &s->source;
	return 0;
}

/* ---- records that have a time ---- */

/* Tag of entries that are not samples; greater than any event's index. */
#define TAG_TASK UINT16_MAX

static void count_bad(struct session *s, uint64_t pos, uint16_t size)
{
	if (!s->bad.nr++)
		s->bad.first_pos = pos;
	s->bad.bytes += size;
}

static void count_sample(struct session *s, const struct sample *sample)
{
	s->recording.facts.nr_disordered += sample->time_ns < s->recording.facts.last_ns;
	source_facts_count(&s->recording.facts, sample->event, sample->time_ns);
}

/* Part of deliver_sample(), inlined with a constant swap. */
static inline __attribute__((always_inline)) int deliver_sample_of(struct session *s,
								   const uint8_t *data,
								   struct recorded_event *ev,
								   uint64_t pos, const bool swap)
{
	uint16_t size = load_u16(data + 6, swap);
	struct sample sample;

	if (sample_parse(&ev->layout, data, size, swap, &sample)) {
		count_bad(s, pos, size);
		return 0;
	}
	sample.event = &ev->event;
	count_sample(s, &sample);
	return s->sink->sample(s->ctx, &sample, s->err);
}

static int deliver_sample(struct session *s, const uint8_t *data, struct recorded_event *ev,
			  uint64_t pos)
{
	return s->recording.swap ? deliver_sample_of(s, data, ev, pos, true)
				 : deliver_sample_of(s, data, ev, pos, false);
}

/* ev: NULL for records about tasks. */
static int deliver(struct session *s, const uint8_t *data, struct recorded_event *ev, uint64_t pos)
{
	int ret = ev ? deliver_sample(s, data, ev, pos)
		     : task_record_hand(data, s->recording.swap, s->sink, s->ctx);

	return ret < 0 ? ret : 0;
}

/* Whether the record was cut off because its file has shrunk; then it ends in zeroes. */
static bool is_cut_off(struct session *s, const uint8_t *data, uint64_t pos)
{
	uint16_t size = load_u16(data + 6, s->recording.swap);

	if (reader_still_has(&s->reader, pos, size))
		return false;
	count_bad(s, pos, size);
	return true;
}

/* The records in one span; those of an order's entries are usually in the same one as before. */
struct view {
	uint64_t start, size; /* positions */
	const uint8_t *data;
};

static inline const uint8_t *view_at(struct view *v, struct reader *r, uint64_t pos)
{
	if (__builtin_expect(pos - v->start >= v->size, false)) {
		const struct span *sp = reader_span(r, pos);

		*v = (struct view){sp->start, sp->cap, sp->data};
	}
	return v->data + (pos - v->start);
}

/* Samples span three cache lines or more. */
static inline void prefetch(const uint8_t *record)
{
	__builtin_prefetch(record);
	__builtin_prefetch(record + 64);
	__builtin_prefetch(record + 128);
}

/* Entries that are being delivered, in time order. */
struct delivery {
	const struct order_entry *at, *end;
	const struct order_entry *fetched; /* records before it were prefetched */
	struct view near, far;		   /* of the records at `at` and `fetched` */
	bool cut;			   /* a file has shrunk */
};

static inline void fetch_next(struct session *s, struct delivery *d)
{
	if (d->fetched < d->end)
		prefetch(view_at(&d->far, &s->reader, order_entry_pos(d->fetched++)));
}

static inline int parse_into_batch(struct session *s, const struct sample_layout *layout,
				   const uint8_t *data, size_t i)
{
	const uint16_t size = load_u16(data + 6, false);
	struct sample *sample = &s->batch[i];

	if (!layout->is_usual) {
		s->rare[i] = true;
		return sample_parse(layout, data, size, false, sample);
	}
	if (s->rare[i])
		sample_clear_rare(sample);
	s->rare[i] = layout->sample_type & PERF_SAMPLE_CALLCHAIN;
	return sample_parse_usual(layout, data, size, sample);
}

/* Parse the next samples into s->batch. Stops at a record about a task, and at a broken sample.
 * Returns their number. */
static size_t collect(struct session *s, struct delivery *d)
{
	const size_t left = (size_t)(d->end - d->at), max = left < BATCH ? left : BATCH;
	size_t nr = 0;

	if (!s->sink->samples || d->cut || s->recording.swap)
		return 0;
	for (; nr < max; nr++) {
		const struct order_entry *e = &d->at[nr];
		const uint8_t *data = view_at(&d->near, &s->reader, order_entry_pos(e));
		uint16_t tag = order_entry_tag(e);
		struct recorded_event *ev;

		if (tag == TAG_TASK)
			break;
		ev = recording_event(&s->recording, tag);
		if (parse_into_batch(s, &ev->layout, data, nr))
			break;
		s->batch[nr].event = &ev->event;
		fetch_next(s, d);
	}
	return nr;
}

/* count_sample() for samples in time order. */
static void count_batch(struct source_facts *f, const struct sample *samples, size_t nr)
{
	for (size_t i = 0; i < nr && samples[i].time_ns < f->last_ns; i++)
		f->nr_disordered++;
	source_facts_count(f, samples[0].event, samples[0].time_ns);
	for (size_t i = 1; i < nr; i++)
		samples[i].event->nr_samples++;
	f->nr_samples += nr - 1;
	if (samples[nr - 1].time_ns > f->last_ns)
		f->last_ns = samples[nr - 1].time_ns;
}

static int deliver_batch(struct session *s, struct delivery *d)
{
	size_t nr = collect(s, d);
	int taken = nr ? s->sink->samples(s->ctx, s->batch, nr, s->err) : 0;

	if (taken > 0) {
		count_batch(&s->recording.facts, s->batch, (size_t)taken);
		d->at += taken;
	}
	return taken;
}

/* A record that cannot be delivered in a batch. */
static int deliver_one(struct session *s, struct delivery *d)
{
	const struct order_entry *e = d->at++;
	const uint8_t *data = view_at(&d->near, &s->reader, order_entry_pos(e));
	uint16_t tag = order_entry_tag(e);

	fetch_next(s, d);
	if (d->cut && is_cut_off(s, data, order_entry_pos(e)))
		return 0;
	return deliver(s, data, tag == TAG_TASK ? NULL : recording_event(&s->recording, tag),
		       order_entry_pos(e));
}

static int deliver_ordered(void *ctx, const struct order_entry *entries, size_t nr)
{
	struct delivery d = {.at = entries, .end = entries + nr, .fetched = entries};
	const struct order_entry *told = entries;
	struct session *s = ctx;
	int ret = 0;

	perfdata_input_note_cut(&s->reader.input);
	d.cut = s->reader.input.cut;
	for (size_t i = 0; i < PREFETCH_RECORDS; i++)
		fetch_next(s, &d);
	while (d.at < d.end && ret >= 0) {
		ret = deliver_batch(s, &d);
		if (!ret)
			ret = deliver_one(s, &d);
		if (ret < 0 || (d.at < d.end && d.at - told < HAND_RECORDS))
			continue;
		ret = read_progress_handed(&s->progress, &s->reader, (size_t)(d.at - told),
					   (size_t)(d.end - d.at));
		told = d.at;
	}
	return ret < 0 ? ret : 0;
}

/* Release the bytes of delivered records. */
static void drop(struct session *s)
{
	uint64_t input = s->reader.input.pos, unpacked = s->reader.unpacker.pos;

	order_min_pos(&s->order, UNPACKED_START, &input, &unpacked);
	reader_drop_before(&s->reader, input, unpacked);
}

static uint64_t kept(void *ctx)
{
	const struct session *s = ctx;

	return order_bytes(&s->order);
}

/* Limits memory if rounds never end, in a pipe or in unpacked data. */
static int relieve(void *ctx)
{
	struct session *s = ctx;
	int ret = order_shed(&s->order);

	if (ret)
		return ret;
	drop(s);
	if (!unpacker_holds_too_much(&s->reader.unpacker, 2))
		return 0;
	ret = order_flush(&s->order);
	drop(s);
	return ret;
}

/* Deliver a sample without a time at once. Kept out of line because few recordings have such
 * samples. */
static __attribute__((noinline)) int take_untimed(struct session *s, const struct record *rec,
						  struct recorded_event *ev)
{
	return deliver(s, rec->data, ev, rec->pos);
}

static int take_sample(struct session *s, const struct record *rec)
{
	struct recorded_event *ev = event_finder_sample(&s->finder, &s->recording, rec);
	uint64_t time_ns;

	if (!ev) {
		s->recording.facts.nr_unknown_ids++;
		return 0;
	}
	time_ns = sample_time(&ev->layout, rec->data, rec->size, s->recording.swap, UINT64_MAX);
	if (time_ns == UINT64_MAX)
		return take_untimed(s, rec, ev);
	return order_add(&s->order, time_ns, rec->pos, (uint16_t)ev->event.index);
}

/*
 * The fast path of nearly all records, as declared in struct record_sink: samples whose event was
 * seen before, and whose time follows that of the previous sample of their CPU.
 */
static uint64_t take_samples(void *ctx, const uint8_t *data, uint64_t pos, uint64_t until,
			     uint64_t size)
{
	struct session *s = ctx;
	const struct event_finder *f = &s->finder;
	struct order_run_end end = order_run_end(&s->order);
	const uint16_t id_at = f->places[0];
	uint64_t from = 0;

	if (!event_finder_is_quick(f, &s->recording) || s->recording.swap)
		return 0;
	while (from < until && size - from >= RECORD_HEADER_SIZE) {
		const uint8_t *record = data + from;
		const uint16_t len = load_u16(record + 6, false);
		const struct recorded_event *ev;
		uint64_t time_ns;

		if (load_u32(record, false) != PERF_RECORD_SAMPLE || len > size - from ||
		    len < id_at + 8)
			break;
		__builtin_prefetch(record + FETCH_AHEAD);
		__builtin_prefetch(record + FETCH_AHEAD + 64);
		ev = event_finder_recent(f, load_u64(record + id_at, false));
		if (!ev || len < ev->layout.time + 8)
			break; /* also if it has no time */
		time_ns = load_u64(record + ev->layout.time, false);
		if (time_ns == UINT64_MAX ||
		    !order_extend_run(&end, time_ns, pos + from, (uint16_t)ev->event.index))
			break;
		from += len;
	}
	order_set_run_end(&s->order, &end);
	return from;
}

/* Records valid from their time on: the name of a task or control group, an address space. */
static int take_task(struct session *s, const struct record *rec)
{
	const struct recording *r = &s->recording;
	uint64_t time_ns = UINT64_MAX;

	if (!task_record_wanted(s->sink, rec->type))
		return 0;
	if (r->facts.nr_events)
		time_ns = sample_tail_time(&recording_event(r, 0)->layout, rec->data, rec->size,
					   r->swap, UINT64_MAX);
	if (time_ns == UINT64_MAX)
		return deliver(s, rec->data, NULL, rec->pos);
	return order_add(&s->order, time_ns, rec->pos, TAG_TASK);
}

static int take_round(struct session *s)
{
	int ret;

	if (s->reader.directory)
		return 0; /* rounds are per file, and do not order several files */
	ret = order_round(&s->order);
	if (ret < 0)
		return ret;
	drop(s);
	return 0;
}

/* ---- records about the recording itself ---- */

static void skip_bad(struct session *s, const struct record *rec)
{
	recording_damage(&s->recording, reader_where(&s->reader, rec->pos),
			 "a %s record is too small for its fields", record_type_name(rec->type));
	s->recording.facts.damage.nr_skipped_records++;
	s->recording.facts.damage.nr_skipped_bytes += rec->size;
}

/* Called once, before the first sample. pos: position of the bytes in the recording. */
static int hand_tracing_data(struct session *s, const uint8_t *data, size_t size, uint64_t pos)
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

/* u64 lost; the tail contains the event's id. */
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

static int take_tracing_data(struct session *s, const struct record *rec)
{
	return hand_tracing_data(s, rec->data + rec->size,
				 load_u32(rec->data + 8, s->recording.swap), rec->pos + rec->size);
}

/* A record of our own: struct perfdata_early. */
static int take_early(struct session *s, const struct record *rec)
{
	struct bytes b = bytes_make(rec->data + 8, rec->size - 8, s->recording.swap);
	uint64_t magic = bytes_u64(&b);
	uint32_t kind, offset, total, size;
	const void *piece;

	if (magic != PERFDATA_EARLY_MAGIC)
		return 0;
	if (rec->type == PERF_RECORD_EVENT_UPDATE)
		bytes_take(&b, sizeof(uint64_t)); /* event */
	kind = bytes_u32(&b);
	offset = bytes_u32(&b);
	total = bytes_u32(&b);
	size = bytes_u32(&b);
	piece = bytes_take(&b, size);
	if (!piece)
		return 0;
	if (kind == HEADER_RECORDING_INFO || kind == HEADER_MODULES)
		return feature_read(&s->recording, kind,
				    bytes_make(piece, size, s->recording.swap));
	if (kind != HEADER_TRACING_DATA || s->tracing_done || offset != s->early.len)
		return 0;
	if (s->early.len + size > EARLY_BYTES_MAX)
		return 0;
	if (strbuf_add(&s->early, piece, size))
		return -ENOMEM;
	if (s->early.len < total)
		return 0;
	return hand_tracing_data(s, (const uint8_t *)s->early.buf, s->early.len,
				 s->reader.layout.data_start);
}

/* Records that do more than fill the facts. */
static int (*const handlers[])(struct session *s, const struct record *rec) = {
	[PERF_RECORD_LOST_SAMPLES] = take_lost_samples,
	[PERF_RECORD_HEADER_EVENT_TYPE] = take_early,
	[PERF_RECORD_HEADER_TRACING_DATA] = take_tracing_data,
	[PERF_RECORD_EVENT_UPDATE] = take_early,
};

/* Records without a time: they describe the recording. */
static int take_about(struct session *s, const struct record *rec)
{
	int ret;

	if (rec->type < sizeof(handlers) / sizeof(handlers[0]) && handlers[rec->type])
		return handlers[rec->type](s, rec);
	if (!record_type_known(rec->type))
		s->recording.facts.damage.nr_unknown_records++;
	ret = about_record_note(&s->recording, rec);
	if (ret == -EBADMSG) {
		skip_bad(s, rec);
		ret = 0;
	}
	return ret;
}

static bool is_of_user(const struct record *rec)
{
	return (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
}

/* ---- reading ---- */

/* Kept out of line so that the sample path stays small. */
static __attribute__((noinline)) int take_other(struct session *s, const struct record *rec)
{
	switch (rec->type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_CGROUP:
		return take_task(s, rec);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return is_of_user(rec) ? take_task(s, rec) : take_about(s, rec);
	case PERF_RECORD_FINISHED_ROUND:
		return take_round(s);
	default:
		return take_about(s, rec);
	}
}

static int take_record(void *ctx, const struct record *rec)
{
	return rec->type == PERF_RECORD_SAMPLE ? take_sample(ctx, rec) : take_other(ctx, rec);
}

static void note_bad_samples(struct session *s)
{
	if (!s->bad.nr)
		return;
	recording_damage(&s->recording, reader_where(&s->reader, s->bad.first_pos),
			 "a SAMPLE record is too small for its fields");
	s->recording.facts.damage.nr_skipped_records += s->bad.nr;
	s->recording.facts.damage.nr_skipped_bytes += s->bad.bytes;
}

static int read_source(struct event_source *source, const struct event_sink *sink, void *ctx,
		       struct error *err)
{
	struct session *s = session_of(source);
	int ret = 0;

	s->sink = sink;
	s->ctx = ctx;
	s->err = err;
	s->reader.sink.take_samples = take_samples;
	s->reader.sink.relieve = relieve;
	s->reader.sink.kept = kept;
	order_init(&s->order, 0, deliver_ordered, s);
	if (s->tracing_section.pos)
		ret = hand_tracing_data(
			s, s->tracing_section.pos, bytes_left(&s->tracing_section),
			(uint64_t)(s->tracing_section.pos - s->reader.input.spans.v[0].data));
	if (!ret)
		ret = reader_read(&s->reader, take_record, s, err);
	/* after a stop, deliver what was read, unless a round was stopped midway, which leaves a
	 * gap */
	if (!ret || (ret == -ECANCELED && !s->progress.in_hand))
		ret = order_flush(&s->order);
	perfdata_input_note_cut(&s->reader.input);
	ret = read_progress_finish(&s->progress, &s->reader, ret);
	note_bad_samples(s);
	/* if the sink ends early it returns an error, so 0 means that all was read */
	recording_settle(&s->recording, !ret && !s->recording.facts.stop.stopped);
	if (s->order.nr_shed && s->order.nr_out_of_order)
		log_warn("'%s': too many records to put in order at once (rounds without end); "
			 "%" PRIu64 " records came too late to be put in order",
			 s->recording.facts.path, s->order.nr_out_of_order);
	else if (s->order.nr_out_of_order)
		log_info("%" PRIu64 " records came too late to be put in order",
			 s->order.nr_out_of_order);
	if (ret == -ENOMEM)
		return error_nomem(err);
	return ret;
}

/* A tracefs, or a copy of it, is a directory, too. */
static bool is_tracefs(const char *path)
{
	_cleanup_free_ char *per_cpu = NULL;

	if (asprintf(&per_cpu, "%s/per_cpu", path) < 0)
		per_cpu = NULL;
	return per_cpu && !access(per_cpu, F_OK);
}

static bool probe(const struct source_input *input)
{
	return header_is_perfdata(input->head, input->head_size) ||
	       (input->is_directory && !is_tracefs(input->path));
}

_Static_assert(offsetof(struct session, source) == 0, "a session is its source");
_Static_assert(ORDER_POS_BITS >= SPAN_POS_BITS, "an entry has any position");

const struct event_attr *session_event_attr(const struct event_source *source, size_t event)
{
	const struct session *s = (const struct session *)source;

	return source->ops == &event_source_perfdata ? &recording_event(&s->recording, event)->attr
						     : NULL;
}

const struct event_source_ops event_source_perfdata = {
	.name = "perf.data",
	.is_default = true,
	.probe = probe,
	.open = open_source,
	.read = read_source,
	.free = free_source,
};
