// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/sample_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/bytes.h"
#include "util/perfdata/format.h"
#include "util/perfdata/pack.h"
#include "util/perfdata/unpack.h"

struct id_row {
	uint64_t id;
	uint64_t evsel;
};

/* The fixed part of our samples, as evlist.c's sample_type asks for it. */
struct sample_head {
	struct perf_event_header header;
	uint64_t id;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
};

int sample_scan_init(struct sample_scan *s, const struct evlist *l, struct error *err)
{
	*s = (struct sample_scan){.evlist = l, .first_ns = UINT64_MAX};
	table_init(&s->ids, sizeof(struct id_row), sizeof(uint64_t));
	table_init(&s->addresses, sizeof(uint64_t), sizeof(uint64_t));
	s->samples = calloc(l->nr, sizeof(*s->samples));
	if (!s->samples)
		goto nomem;
	for (size_t i = 0; i < l->nr; i++)
		for (size_t j = 0; j < l->evsels[i].nr_fds; j++) {
			struct id_row *row = table_insert(&s->ids, &l->evsels[i].fds[j].id);

			if (!row)
				goto nomem;
			row->evsel = i;
		}
	return 0;
nomem:
	sample_scan_deinit(s);
	return error_nomem(err);
}

void sample_scan_deinit(struct sample_scan *s)
{
	table_deinit(&s->ids);
	table_deinit(&s->addresses);
	free(s->samples);
	*s = (struct sample_scan){0};
}

static int add_address(struct sample_scan *s, uint64_t addr)
{
	/* Zero, user space and the PERF_CONTEXT_ markers are no kernel text. */
	if (addr == s->last_address || !(addr >> 63) || addr >= PERF_CONTEXT_MAX)
		return 0;
	s->last_address = addr;
	return table_insert(&s->addresses, &addr) ? 0 : -ENOMEM;
}

static int scan_callchain(struct sample_scan *s, struct bytes *b)
{
	uint64_t nr = bytes_u64(b);
	bool kernel = true;

	if (nr > bytes_left(b) / 8)
		b->failed = true;
	for (uint64_t i = 0; i < nr && !b->failed; i++) {
		uint64_t ip = bytes_u64(b);

		if (ip >= PERF_CONTEXT_MAX)
			kernel = ip == (uint64_t)PERF_CONTEXT_KERNEL;
		else if (kernel && add_address(s, ip))
			return -ENOMEM;
	}
	return 0;
}

static int scan_sample(struct sample_scan *s, const uint8_t *record, size_t size)
{
	struct bytes b = bytes_make(record, size, false), raw;
	const void *fixed = bytes_take(&b, sizeof(struct sample_head));
	const struct id_row *row;
	const struct evsel *e;
	struct sample_head head;

	if (!fixed)
		return 0;
	memcpy(&head, fixed, sizeof(head));
	row = table_find(&s->ids, &head.id);
	if (!row)
		return 0;
	s->samples[row->evsel]++;
	s->nr_samples++;
	if (head.time < s->first_ns)
		s->first_ns = head.time;
	if (head.time > s->last_ns)
		s->last_ns = head.time;
	e = &s->evlist->evsels[row->evsel];
	if ((e->attr.sample_type & PERF_SAMPLE_CALLCHAIN) && scan_callchain(s, &b))
		return -ENOMEM;
	raw = bytes_sub(&b, bytes_u32(&b));
	if (e->call_site_size == 8 && bytes_take(&raw, e->call_site_offset)) {
		uint64_t addr = bytes_u64(&raw);

		if (!raw.failed && add_address(s, addr))
			return -ENOMEM;
	}
	return 0;
}

int sample_scan_feed(struct sample_scan *s, const void *records, uint64_t len, uint64_t *ret_taken)
{
	const uint8_t *p = records, *end = p + len;

	while ((size_t)(end - p) >= sizeof(struct perf_event_header)) {
		struct perf_event_header h;

		memcpy(&h, p, sizeof(h));
		if (h.size < sizeof(h) || h.size > (size_t)(end - p))
			break;
		if (h.type == PERF_RECORD_SAMPLE && scan_sample(s, p, h.size))
			return -ENOMEM;
		p += h.size;
	}
	*ret_taken = (uint64_t)(p - (const uint8_t *)records);
	return 0;
}

/* What COMPRESSED records unpack to, with a record's beginning carried to the next one. */
struct unpacked {
	struct unpacker *unpacker;
	uint8_t *buf;
	size_t len;
};

#define UNPACKED_SIZE (PACKER_CHUNK + 65536)

static int scan_compressed(struct sample_scan *s, struct unpacked *u, const uint8_t *in, size_t len,
			   struct error *err)
{
	size_t written = 0;

	do {
		uint64_t taken;
		int ret = unpacker_feed(u->unpacker, &in, &len, u->buf + u->len,
					UNPACKED_SIZE - u->len, &written);

		if (ret)
			return error_set(err, -ret, "what was written cannot be unpacked again");
		u->len += written;
		if (sample_scan_feed(s, u->buf, u->len, &taken))
			return error_nomem(err);
		u->len -= taken;
		memmove(u->buf, u->buf + taken, u->len);
	} while (len || written);
	return 0;
}

int sample_scan_data(struct sample_scan *s, const void *data, uint64_t len, struct error *err)
{
	const uint8_t *p = data, *end = p + len;
	struct unpacked u = {0};
	uint64_t taken;
	int ret = 0;

	while (!ret && (size_t)(end - p) >= sizeof(struct perf_event_header)) {
		struct perf_event_header h;

		memcpy(&h, p, sizeof(h));
		if (h.type != PERF_RECORD_COMPRESSED) {
			if (!u.unpacker) {
				/* Not a packed file: all of it at once. */
				ret = sample_scan_feed(s, p, (uint64_t)(end - p), &taken);
				ret = ret ? error_nomem(err) : 0;
				break;
			}
		} else if (h.size < sizeof(h) || h.size > (size_t)(end - p)) {
			break;
		} else {
			if (!u.unpacker)
				ret = unpacker_new(&u.unpacker, err);
			if (!ret && !u.buf && !(u.buf = malloc(UNPACKED_SIZE)))
				ret = error_nomem(err);
			if (!ret)
				ret = scan_compressed(s, &u, p + sizeof(h), h.size - sizeof(h),
						      err);
		}
		p += h.size;
	}
	unpacker_free(u.unpacker);
	free(u.buf);
	return ret;
}
