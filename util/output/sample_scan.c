// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/output/sample_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/bytes.h"
#include "util/machine/callchain.h"

struct id_row {
	uint64_t id;
	uint64_t evsel;
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

void sample_scan_forget(struct sample_scan *s, size_t evsel, uint64_t nr)
{
	s->samples[evsel] -= nr;
	s->nr_samples -= nr;
}

int sample_scan_new_address(struct sample_scan *s, uint64_t addr)
{
	/* Zero, user space and the PERF_CONTEXT_ markers are not kernel text. */
	if (!(addr >> 63) || addr >= PERF_CONTEXT_MAX)
		return 0;
	s->seen[addr % SAMPLE_SCAN_SEEN] = addr;
	return table_insert(&s->addresses, &addr) ? 0 : -ENOMEM;
}

static int scan_callchain(struct sample_scan *s, struct bytes *b, uint64_t *from)
{
	uint64_t nr = bytes_u64(b), ip;
	const uint8_t *entries = nr <= bytes_left(b) / 8 ? bytes_take(b, nr * 8) : NULL;
	struct callchain c;

	if (!entries) {
		b->failed = true;
		return 0;
	}
	c = callchain_make(entries, nr, false);
	while (callchain_next(&c, &ip)) {
		if (c.context != CONTEXT_KERNEL)
			continue;
		*from = sample_from(*from, ip);
		if (sample_scan_address(s, ip))
			return -ENOMEM;
	}
	return 0;
}

size_t sample_scan_evsel(const struct sample_scan *s, const void *record, size_t size)
{
	const struct id_row *row = NULL;
	struct sample_head head;

	if (size < sizeof(head))
		return SAMPLE_SCAN_OTHER;
	memcpy(&head, record, sizeof(head));
	if (head.header.type == PERF_RECORD_SAMPLE)
		row = table_find(&s->ids, &head.id);
	return row ? row->evsel : SAMPLE_SCAN_OTHER;
}

int sample_scan_record(struct sample_scan *s, const void *record, size_t size,
		       struct sample_key *ret_key)
{
	struct bytes b = bytes_make(record, size, false), raw;
	const void *fixed = bytes_take(&b, sizeof(struct sample_head));
	size_t evsel = sample_scan_evsel(s, record, size);
	const struct evsel *e;
	struct sample_head head;

	*ret_key = (struct sample_key){.evsel = SAMPLE_SCAN_OTHER};
	if (!fixed || evsel == SAMPLE_SCAN_OTHER)
		return 0;
	memcpy(&head, fixed, sizeof(head));
	ret_key->evsel = evsel;
	sample_scan_count(s, evsel, head.time);
	if (sample_scan_address(s, head.ip))
		return -ENOMEM;
	e = &s->evlist->evsels[evsel];
	if ((e->attr.sample_type & PERF_SAMPLE_CALLCHAIN) && scan_callchain(s, &b, &ret_key->from))
		return -ENOMEM;
	raw = bytes_sub(&b, bytes_u32(&b));
	if (e->call_site_size == 8 && bytes_take(&raw, e->call_site_offset)) {
		uint64_t addr = bytes_u64(&raw);

		if (!raw.failed)
			ret_key->from = sample_from(ret_key->from, addr);
		if (!raw.failed && sample_scan_address(s, addr))
			return -ENOMEM;
	}
	return 0;
}
