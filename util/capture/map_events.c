// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/capture/map_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"

/* A process start takes 2 KiB; hundreds of them fit between two drains. */
#define BUFFER_BYTES (512u << 10)

int map_events_init(struct map_events *m, const struct open_target *target, int32_t clockid,
		    struct error *err)
{
	int ret;

	*m = (struct map_events){.evlist = {.evsels = calloc(1, sizeof(struct evsel)), .nr = 1}};
	if (!m->evlist.evsels) {
		m->evlist.nr = 0;
		return error_nomem(err);
	}
	m->evlist.evsels[0] = (struct evsel){
		.system = strdup("software"),
		.name = strdup("dummy"),
		.format = STRBUF_INIT,
		.attr =
			{
				.type = PERF_TYPE_SOFTWARE,
				.size = sizeof(struct perf_event_attr),
				.config = PERF_COUNT_SW_DUMMY,
				.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
					       PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
				.disabled = 1,
				.inherit = target->nr_tids > 0,
				.mmap = 1,
				.mmap2 = 1,
				.build_id = 1,
				.comm = 1, /* for processes that exec */
				.comm_exec = 1,
				.sample_id_all = 1,
				.use_clockid = 1,
				.clockid = clockid,
			},
	};
	if (!m->evlist.evsels[0].system || !m->evlist.evsels[0].name)
		return error_nomem(err);
	ret = evlist_open(&m->evlist, target, err);
	if (!ret)
		ret = rings_init(&m->rings, &m->evlist, target->cpus,
				 rings_bytes(BUFFER_BYTES, target->cpus->nr), true, false, err);
	return ret ? ret : evlist_enable(&m->evlist, err);
}

void map_events_deinit(struct map_events *m)
{
	rings_deinit(&m->rings);
	evlist_deinit(&m->evlist);
}

static void copy_from(const struct iovec pieces[2], size_t at, uint8_t *to, size_t size)
{
	size_t first = at < pieces[0].iov_len ? pieces[0].iov_len - at : 0;

	if (first > size)
		first = size;
	if (first)
		memcpy(to, (const uint8_t *)pieces[0].iov_base + at, first);
	if (size > first)
		memcpy(to + first,
		       (const uint8_t *)pieces[1].iov_base + (at + first - pieces[0].iov_len),
		       size - first);
}

static bool is_wanted(const struct perf_event_header *h)
{
	return h->type == PERF_RECORD_MMAP2 ||
	       (h->type == PERF_RECORD_COMM && h->misc & PERF_RECORD_MISC_COMM_EXEC);
}

bool map_events_drain(struct map_events *m, size_t i, uint64_t id, struct batch *b)
{
	struct ring_buffer *rb = &m->rings.v[i].rb;
	struct iovec pieces[2] = {{NULL, 0}, {NULL, 0}};
	uint64_t len, at = 0;
	int nr;

	len = ring_buffer_take(rb, pieces, &nr);
	while (len - at >= sizeof(struct perf_event_header) && !batch_full(b)) {
		struct perf_event_header h;
		uint8_t *record;

		copy_from(pieces, at, (uint8_t *)&h, sizeof(h));
		if (h.size < sizeof(h) + sizeof(id) || h.size > len - at)
			break;
		if (h.type == PERF_RECORD_LOST)
			log_warn("some mappings of processes were not recorded: user stacks in "
				 "them have no names");
		if (is_wanted(&h)) {
			record = batch_reserve(b, BATCH_OTHER, h.size);
			copy_from(pieces, at, record, h.size);
			/* readers only know the ids of recorded events */
			memcpy(record + h.size - sizeof(id), &id, sizeof(id));
		}
		at += h.size;
	}
	ring_buffer_release(rb, at);
	return at < len && batch_full(b);
}
