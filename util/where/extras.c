// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/where/extras.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/units.h"
#include "util/where/balance.h"
#include "util/where/scan.h"

/* Takes over *who. */
static void add(struct extras *e, const char *id, const char *label, const char *in, int64_t bytes,
		uint64_t nr, struct strbuf *who)
{
	if (bytes > 0 && e->nr < EXTRAS_MAX) {
		e->v[e->nr++] = (struct where_extra){
			.id = id,
			.label = label,
			.in = in,
			.bytes = bytes,
			.nr = nr,
			.who = who->len ? strbuf_detach(who) : NULL,
		};
	}
	e->failed |= who->failed;
	strbuf_deinit(who);
}

/* net/ipv4/proc.c: "TCP: inuse 1 orphan 0 tw 0 alloc 1 mem 93", in pages. */
static void add_sockets(struct extras *e, const struct where_texts *texts,
			const struct holders *holders)
{
	const struct strbuf *text = &texts->v[WHERE_SOCKSTAT].text;
	const int64_t page = texts->facts.page_size;
	struct strbuf who = STRBUF_INIT;
	int64_t bytes = 0;
	struct scan s;

	scan_init(&s, text->buf, text->len);
	while (scan_next(&s)) {
		const char *at = strstr(s.line, " mem ");
		int64_t pages;

		if (!at)
			continue;
		at += strlen(" mem ");
		if (scan_number(&at, &pages) && pages <= SCAN_NUMBER_MAX / page)
			bytes = balance_sum(bytes, pages * page);
	}
	holders_add_largest(holders, HOLDER_NR_sockets, &who);
	add(e, "sockets", "TCP and UDP buffers", "slab, unaccounted", bytes, 0, &who);
}

/* Append "conns 17 of pid 812 (1.2 MiB)". */
static void add_object(struct strbuf *who, const struct holder *h)
{
	char text[UNITS_BUF];

	strbuf_addf(who, "%s%s", who->len ? ", " : "", *h->name ? h->name : "unnamed");
	if (h->v[HOLDER_NR_id])
		strbuf_addf(who, " %" PRId64, h->v[HOLDER_NR_id]);
	if (h->v[HOLDER_NR_pid])
		strbuf_addf(who, " of pid %" PRId64, h->v[HOLDER_NR_pid]);
	strbuf_addf(who, " (%s)", units_bytes(text, sizeof(text), (uint64_t)h->v[HOLDER_NR_bytes]));
}

static void add_kind(struct extras *e, const struct holders *holders, enum holder_kind kind,
		     const char *id, const char *label, const char *in)
{
	const struct holder *largest[HOLDERS_LARGEST], *h;
	const size_t nr_largest = holders_find_largest(holders, kind, HOLDER_NR_bytes, largest);
	struct strbuf who = STRBUF_INIT;
	int64_t bytes = 0;
	uint64_t nr = 0;
	size_t at = 0;

	while ((h = holders_next(holders, kind, &at))) {
		bytes = balance_sum(bytes, h->v[HOLDER_NR_bytes]);
		nr++;
	}
	for (size_t i = 0; i < nr_largest; i++)
		add_object(&who, largest[i]);
	add(e, id, label, in, bytes, nr, &who);
}

/* kernel/bpf/ringbuf.c maps pages that it allocates itself, which no counter has. */
static bool has_ring_buffer(const struct holders *holders)
{
	const struct holder *h;
	size_t at = 0;

	while ((h = holders_next(holders, HOLDER_bpf_map, &at)))
		if (!strncmp(h->name, "ringbuf", strlen("ringbuf")))
			return true;
	return false;
}

void extras_init(struct extras *e, const struct meminfo *m, const struct where_texts *texts,
		 const struct holders *holders)
{
	struct strbuf none = STRBUF_INIT;

	*e = (struct extras){.nr = 0};
	add_kind(e, holders, HOLDER_deleted, "deleted", "open files without a name, in memory",
		 "shmem");
	add_sockets(e, texts, holders);
	add_kind(e, holders, HOLDER_bpf_map, "bpf_maps", "BPF maps",
		 has_ring_buffer(holders) ? "vmalloc, slab, percpu, unaccounted"
					  : "vmalloc, slab, percpu");
	add_kind(e, holders, HOLDER_bpf_prog, "bpf_programs", "BPF programs", "vmalloc, slab");
	add_kind(e, holders, HOLDER_trace_buffer, "trace_buffers", "trace buffers", "unaccounted");
	add_kind(e, holders, HOLDER_dma_buf, "dma_bufs", "dma-bufs", "shmem, unaccounted");
	add_kind(e, holders, HOLDER_cma, "cma", "CMA, allocated for devices", "unaccounted");
	add(e, "cma_free", "CMA, free", "free", meminfo_bytes(m->cma_free), 0, &none);
	add(e, "balloon", "balloon, returned to the host", "unaccounted", meminfo_bytes(m->balloon),
	    0, &none);
}

void extras_deinit(struct extras *e)
{
	for (size_t i = 0; i < e->nr; i++)
		free(e->v[i].who);
}
