// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/trace/kmem_event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	CALL_SITE,
	PTR,
	BYTES_REQ,
	BYTES_ALLOC,
	GFP_FLAGS,
	NODE,
	PFN,
	PAGE,
	ORDER,
	MIGRATETYPE,
	ACCOUNTED,
	ALLOC_ORDER,
	ALLOC_MIGRATETYPE,
	FALLBACK_ORDER,
	FALLBACK_MIGRATETYPE,
	CHANGE_OWNERSHIP,
	PERCPU_REFILL,
	FIELD_NR
};

/* A new field is one line here and one in struct kmem_event. */
static const struct {
	const char *name;
	uint16_t place; /* of the uint64_t in struct kmem_event */
} fields[FIELD_NR] = {
	[CALL_SITE] = {"call_site", offsetof(struct kmem_event, call_site)},
	[PTR] = {"ptr", offsetof(struct kmem_event, ptr)},
	[BYTES_REQ] = {"bytes_req", offsetof(struct kmem_event, bytes_req)},
	[BYTES_ALLOC] = {"bytes_alloc", offsetof(struct kmem_event, bytes_alloc)},
	[GFP_FLAGS] = {"gfp_flags", offsetof(struct kmem_event, gfp_flags)},
	[NODE] = {"node", offsetof(struct kmem_event, node)},
	[PFN] = {"pfn", offsetof(struct kmem_event, pfn)},
	[PAGE] = {"page", offsetof(struct kmem_event, page)},
	[ORDER] = {"order", offsetof(struct kmem_event, order)},
	[MIGRATETYPE] = {"migratetype", offsetof(struct kmem_event, migratetype)},
	[ACCOUNTED] = {"accounted", offsetof(struct kmem_event, accounted)},
	[ALLOC_ORDER] = {"alloc_order", offsetof(struct kmem_event, order)},
	[ALLOC_MIGRATETYPE] = {"alloc_migratetype", offsetof(struct kmem_event, migratetype)},
	[FALLBACK_ORDER] = {"fallback_order", offsetof(struct kmem_event, fallback_order)},
	[FALLBACK_MIGRATETYPE] = {"fallback_migratetype",
				  offsetof(struct kmem_event, fallback_migratetype)},
	[CHANGE_OWNERSHIP] = {"change_ownership", offsetof(struct kmem_event, change_ownership)},
	[PERCPU_REFILL] = {"percpu_refill", offsetof(struct kmem_event, percpu_refill)},
};

#define NEED(field) (1u << (field))
#define SLAB_ALLOC  (NEED(CALL_SITE) | NEED(PTR) | NEED(BYTES_REQ) | NEED(BYTES_ALLOC))
#define SLAB_FREE   (NEED(PTR))
#define PAGE_ALLOC  (NEED(ORDER) | NEED(GFP_FLAGS) | NEED(MIGRATETYPE))
#define PAGE_FREE   (NEED(ORDER))
#define EXTFRAG                                                                                    \
	(NEED(ALLOC_ORDER) | NEED(ALLOC_MIGRATETYPE) | NEED(FALLBACK_ORDER) |                      \
	 NEED(FALLBACK_MIGRATETYPE))

/* A new tracepoint is one line here. */
static const struct {
	const char *name;
	enum kmem_kind kind;
	unsigned int needed; /* fields without which it means nothing */
} tracepoints[] = {
	{"kmalloc", KMEM_SLAB_ALLOC, SLAB_ALLOC},
	{"kmalloc_node", KMEM_SLAB_ALLOC, SLAB_ALLOC}, /* until 6.1, "mm/slub: drop kmalloc_node" */
	{"kmem_cache_alloc", KMEM_SLAB_ALLOC, SLAB_ALLOC},
	{"kmem_cache_alloc_node", KMEM_SLAB_ALLOC, SLAB_ALLOC}, /* likewise */
	{"kfree", KMEM_SLAB_FREE, SLAB_FREE},
	{"kmem_cache_free", KMEM_SLAB_FREE, SLAB_FREE},
	{"mm_page_alloc", KMEM_PAGE_ALLOC, PAGE_ALLOC},
	{"mm_page_free", KMEM_PAGE_FREE, PAGE_FREE},
	{"mm_page_free_direct", KMEM_PAGE_FREE, PAGE_FREE}, /* its name until 3.3 */
	{"mm_page_free_batched", KMEM_PAGE_FREE_BATCHED, 0},
	{"mm_pagevec_free", KMEM_PAGE_FREE_BATCHED, 0}, /* its name until 3.3 */
	{"mm_page_alloc_zone_locked", KMEM_PAGE_ZONE_LOCKED, NEED(ORDER)},
	{"mm_page_pcpu_drain", KMEM_PAGE_PCPU_DRAIN, NEED(ORDER)},
	{"mm_page_alloc_extfrag", KMEM_PAGE_EXTFRAG, EXTFRAG},
};

struct kmem_decoder {
	enum kmem_kind kind;
	bool swap;
	bool has_pfn;
	uint64_t pfn_none; /* what the kernel writes for it: -1UL */
	uint32_t raw_size_min;
	struct field_place cache; /* a string, of allocations */
	/* the plan; raw_size_min covers them all, so that a load need not be checked */
	struct kmem_event neutral; /* what the event is without its fields */
	size_t nr_plain, nr_loads;
	struct plain {
		uint16_t from, to;
	} plain[FIELD_NR]; /* u64 in our byte order: copied */
	struct load {
		struct field_place from;
		uint16_t to;
	} loads[FIELD_NR];
};

static int bind_fields(struct kmem_decoder *d, const struct tep_event *event, unsigned int needed,
		       struct error *err)
{
	for (int i = 0; i < FIELD_NR; i++) {
		struct field_place place = trace_field(event, fields[i].name);

		if (place.kind != FIELD_NUMBER) {
			if (needed & NEED(i))
				return error_set(
					err, EINVAL,
					"the recording's event 'kmem:%s' has no field '%s'",
					trace_event_name(event), fields[i].name);
			continue;
		}
		if (i == PFN) {
			d->has_pfn = true;
			d->pfn_none = place.size == 4 ? UINT32_MAX : UINT64_MAX;
		}
		if (place.size == 8 && !d->swap && place.offset <= UINT16_MAX)
			d->plain[d->nr_plain++] =
				(struct plain){(uint16_t)place.offset, fields[i].place};
		else
			d->loads[d->nr_loads++] = (struct load){place, fields[i].place};
		if (place.offset + place.size > d->raw_size_min)
			d->raw_size_min = place.offset + place.size;
	}
	return 0;
}

int kmem_decoder_new(const struct trace *trace, const struct tep_event *event,
		     struct kmem_decoder **ret_decoder, struct error *err)
{
	*ret_decoder = NULL;
	if (strcmp(trace_event_system(event), "kmem") != 0)
		return 0;
	for (size_t i = 0; i < sizeof(tracepoints) / sizeof(tracepoints[0]); i++) {
		struct kmem_decoder *d;
		int ret;

		if (strcmp(tracepoints[i].name, trace_event_name(event)) != 0)
			continue;
		d = calloc(1, sizeof(*d));
		if (!d)
			return error_nomem(err);
		d->kind = tracepoints[i].kind;
		d->swap = trace->swap;
		d->neutral.kind = d->kind;
		d->neutral.node = NUMA_NO_NODE;
		d->neutral.is_kmalloc =
			!strncmp(trace_event_name(event), "kmalloc", strlen("kmalloc"));
		if (d->kind == KMEM_SLAB_ALLOC)
			d->cache = trace_field(event, "name");
		if (d->cache.kind == FIELD_DATA_LOC)
			d->neutral.cache = &d->cache;
		ret = bind_fields(d, event, tracepoints[i].needed, err);
		if (ret) {
			free(d);
			return ret;
		}
		*ret_decoder = d;
		return 0;
	}
	return 0;
}

void kmem_decoder_free(struct kmem_decoder *d)
{
	free(d);
}

enum kmem_kind kmem_decoder_kind(const struct kmem_decoder *d)
{
	return d->kind;
}

bool kmem_decoder_has_pfn(const struct kmem_decoder *d)
{
	return d->has_pfn;
}

int kmem_decoder_decode(const struct kmem_decoder *d, const struct sample *sample,
			struct kmem_event *ret_event)
{
	struct kmem_event *ev = ret_event;

	if (!sample->raw || sample->raw_size < d->raw_size_min)
		return -EINVAL;
	*ev = d->neutral;
	ev->sample = sample;
	for (size_t i = 0; i < d->nr_plain; i++)
		memcpy((uint8_t *)ev + d->plain[i].to, sample->raw + d->plain[i].from, 8);
	for (size_t i = 0; i < d->nr_loads; i++) {
		uint64_t v = field_u64(&d->loads[i].from, sample->raw, sample->raw_size, d->swap);

		memcpy((uint8_t *)ev + d->loads[i].to, &v, sizeof(v));
	}
	if (d->has_pfn && ev->pfn == d->pfn_none)
		ev->pfn = PFN_NONE;
	return 0;
}

const char *kmem_event_cache(const struct kmem_event *ev)
{
	const struct sample *s = ev->sample;

	return ev->cache ? field_string(ev->cache, s->raw, s->raw_size, s->swap) : NULL;
}
