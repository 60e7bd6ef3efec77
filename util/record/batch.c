// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_MAX 65536 /* its size is u16 */

int batch_init(struct batch *b, struct sample_scan *scan, bool grouped, struct error *err)
{
	*b = (struct batch){.scan = scan, .grouped = grouped};
	b->nr_groups = grouped ? 1 + scan->evlist->nr * BATCH_EVENT_GROUPS : 1;
	b->groups = calloc(b->nr_groups, sizeof(*b->groups));
	b->pieces = calloc(b->nr_groups, sizeof(*b->pieces));
	b->across = malloc(RECORD_MAX);
	b->samples = calloc(scan->evlist->nr, sizeof(*b->samples));
	if (!b->groups || !b->pieces || !b->across || !b->samples) {
		b->nr_groups = 0;
		batch_deinit(b);
		return error_nomem(err);
	}
	for (size_t i = 0; i < b->nr_groups; i++)
		strbuf_init(&b->groups[i]);
	return 0;
}

void batch_deinit(struct batch *b)
{
	for (size_t i = 0; i < b->nr_groups; i++)
		strbuf_deinit(&b->groups[i]);
	free(b->groups);
	free(b->pieces);
	free(b->across);
	free(b->samples);
	*b = (struct batch){0};
}

/* One or two pieces, treated as one. */
struct span {
	const uint8_t *first;
	uint64_t first_len;
	const uint8_t *second;
	uint64_t len;
};

static struct span make_span(const struct iovec *pieces, int nr)
{
	struct span s = {0};

	if (nr) {
		s.first = pieces[0].iov_base;
		s.len = s.first_len = pieces[0].iov_len;
		s.second = s.first + s.first_len; /* it may be empty */
	}
	if (nr > 1) {
		s.second = pieces[1].iov_base;
		s.len += pieces[1].iov_len;
	}
	return s;
}

/* The record at this place; NULL: not a whole record. Headers (8 bytes, aligned) never wrap. */
static const uint8_t *record_at(struct batch *b, const struct span *s, uint64_t at,
				uint16_t *ret_size)
{
	const uint8_t *p = at < s->first_len ? s->first + at : s->second + (at - s->first_len);
	struct perf_event_header h;

	if (s->len - at < sizeof(h))
		return NULL;
	memcpy(&h, p, sizeof(h));
	if (h.size < sizeof(h) || h.size > s->len - at)
		return NULL;
	*ret_size = h.size;
	if (at < s->first_len && at + h.size > s->first_len) {
		size_t part = s->first_len - at;

		memcpy(b->across, p, part);
		memcpy(b->across + part, s->second, h.size - part);
		return b->across;
	}
	return p;
}

static int add(struct batch *b, const uint8_t *record, uint16_t size)
{
	struct strbuf *sb = b->groups;
	struct sample_key key;
	bool grouped;

	if (sample_scan_record(b->scan, record, size, &key))
		return -ENOMEM;
	if (key.evsel != SAMPLE_SCAN_OTHER)
		b->samples[key.evsel]++;
	grouped = b->grouped && key.evsel != SAMPLE_SCAN_OTHER;
	if (grouped)
		sb += batch_group(key.evsel, key.call_site);
	if (strbuf_add(sb, record, size))
		return -ENOMEM;
	b->bytes += size;
	if (grouped) {
		char *time = sb->buf + sb->len - size + offsetof(struct sample_head, time);
		uint64_t ns;

		memcpy(&ns, time, sizeof(ns));
		ns = batch_time(b, ns);
		memcpy(time, &ns, sizeof(ns));
	}
	return 0;
}

void batch_begin(struct batch *b)
{
	for (size_t i = 0; i < b->nr_groups; i++)
		strbuf_reset(&b->groups[i]);
	memset(b->samples, 0, b->scan->evlist->nr * sizeof(*b->samples));
	b->bytes = 0;
}

uint8_t *batch_grow(struct batch *b, struct strbuf *group, size_t size)
{
	return strbuf_grow(group, size + BATCH_SLACK) ? NULL : batch_room(b, group, size);
}

int batch_end(struct batch *b)
{
	int nr = 0;

	for (size_t i = 0; i < b->nr_groups; i++)
		if (b->groups[i].len)
			b->pieces[nr++] = (struct iovec){b->groups[i].buf, b->groups[i].len};
	return nr;
}

int batch_fill(struct batch *b, const struct iovec *pieces, int nr, uint64_t *at)
{
	const struct span s = make_span(pieces, nr);

	batch_begin(b);
	while (*at < s.len && b->bytes < BATCH_BYTES) {
		uint16_t size;
		const uint8_t *record = record_at(b, &s, *at, &size);

		if (!record) {
			/* The kernel never writes this; avoid an endless loop. */
			*at = s.len;
			break;
		}
		if (add(b, record, size))
			return -ENOMEM;
		*at += size;
	}
	return batch_end(b);
}

void batch_unwritten(struct batch *b, int nr_pieces, uint64_t bytes_written)
{
	for (int i = 0; i < nr_pieces && bytes_written; i++) {
		uint64_t len = b->pieces[i].iov_len, at = 0;

		if (len > bytes_written)
			len = bytes_written;
		for (bytes_written -= len; at < len;) {
			const uint8_t *record = (const uint8_t *)b->pieces[i].iov_base + at;
			size_t evsel = sample_scan_evsel(b->scan, record, len - at);
			struct perf_event_header h;

			memcpy(&h, record, sizeof(h));
			if (evsel != SAMPLE_SCAN_OTHER)
				b->samples[evsel]--;
			at += h.size;
		}
	}
	for (size_t i = 0; i < b->scan->evlist->nr; i++)
		sample_scan_forget(b->scan, i, b->samples[i]);
}
