// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/decode/kmem_decoder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/known_events.h"

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
	ADDR,
	VA_START,
	SIZE,
	FAILED,
	NR_LAZY,
	NR_PURGED,
	FIELD_NR
};

#define MEMBER(member)                                                                             \
	offsetof(struct kmem_event, member), sizeof(((struct kmem_event *)NULL)->member)

/* A new field is a line here and one in struct kmem_event. */
static const struct {
	const char *name;
	uint16_t place, size; /* offset in struct kmem_event */
} fields[FIELD_NR] = {
	[CALL_SITE] = {"call_site", MEMBER(call_site)},
	[PTR] = {"ptr", MEMBER(ptr)},
	[BYTES_REQ] = {"bytes_req", MEMBER(bytes_req)},
	[BYTES_ALLOC] = {"bytes_alloc", MEMBER(bytes_alloc)},
	[GFP_FLAGS] = {"gfp_flags", MEMBER(gfp_flags)},
	[NODE] = {"node", MEMBER(node)},
	[PFN] = {"pfn", MEMBER(page)},
	[PAGE] = {"page", MEMBER(page)}, /* struct page *, only before 4.1 */
	[ORDER] = {"order", MEMBER(order)},
	[MIGRATETYPE] = {"migratetype", MEMBER(migratetype)},
	[ACCOUNTED] = {"accounted", MEMBER(accounted)},
	[ALLOC_ORDER] = {"alloc_order", MEMBER(order)},
	[ALLOC_MIGRATETYPE] = {"alloc_migratetype", MEMBER(migratetype)},
	[FALLBACK_ORDER] = {"fallback_order", MEMBER(fallback_order)},
	[FALLBACK_MIGRATETYPE] = {"fallback_migratetype", MEMBER(fallback_migratetype)},
	[CHANGE_OWNERSHIP] = {"change_ownership", MEMBER(change_ownership)},
	[PERCPU_REFILL] = {"percpu_refill", MEMBER(percpu_refill)},
	[ADDR] = {"addr", MEMBER(ptr)},
	[VA_START] = {"va_start", MEMBER(ptr)},
	[SIZE] = {"size", MEMBER(bytes_req)},
	[FAILED] = {"failed", MEMBER(failed)},
	[NR_LAZY] = {"nr_lazy", MEMBER(bytes_alloc)},
	[NR_PURGED] = {"npurged", MEMBER(bytes_alloc)},
};

#define BIT(field) (1u << (field))
#define PAGE_BITS  (BIT(PFN) | BIT(PAGE))

/* For each kind: the required fields, and the optional ones. */
static const struct kind_fields {
	unsigned int needed, optional;
} kind_fields[] = {
	[KMEM_SLAB_ALLOC] = {BIT(CALL_SITE) | BIT(PTR) | BIT(BYTES_REQ) | BIT(BYTES_ALLOC),
			     BIT(GFP_FLAGS) | BIT(NODE) | BIT(ACCOUNTED)},
	[KMEM_SLAB_FREE] = {BIT(PTR), 0},
	[KMEM_SLAB_FREE_RCU] = {BIT(PTR), 0},
	[KMEM_PAGE_ALLOC] = {BIT(ORDER) | BIT(GFP_FLAGS) | BIT(MIGRATETYPE), PAGE_BITS},
	[KMEM_PAGE_FREE] = {BIT(ORDER), PAGE_BITS},
	[KMEM_PAGE_FREE_BATCHED] = {0, PAGE_BITS},
	[KMEM_PAGE_ZONE_LOCKED] = {BIT(ORDER), PAGE_BITS | BIT(PERCPU_REFILL)},
	[KMEM_PAGE_PCPU_DRAIN] = {BIT(ORDER), PAGE_BITS},
	[KMEM_PAGE_EXTFRAG] = {BIT(ALLOC_ORDER) | BIT(ALLOC_MIGRATETYPE) | BIT(FALLBACK_ORDER) |
				       BIT(FALLBACK_MIGRATETYPE),
			       BIT(CHANGE_OWNERSHIP)},
	[KMEM_VMALLOC_ALLOC] = {BIT(ADDR) | BIT(SIZE) | BIT(FAILED), 0},
	[KMEM_VMALLOC_FREE] = {BIT(VA_START) | BIT(NR_LAZY), 0},
	[KMEM_VMALLOC_PURGE] = {BIT(NR_PURGED), 0},
	/* a failure has only the size; call_site, bytes_alloc and gfp_flags exist since 5.19 */
	[KMEM_PERCPU_ALLOC] = {BIT(SIZE),
			       BIT(PTR) | BIT(CALL_SITE) | BIT(BYTES_ALLOC) | BIT(GFP_FLAGS)},
	[KMEM_PERCPU_FREE] = {BIT(PTR), 0},
	[KMEM_PERCPU_CREATE] = {0, 0},
	[KMEM_PERCPU_DESTROY] = {0, 0},
};

/* The number of fields of the most frequent events. */
#define NR_LONGS 4
#define NR_WORDS 3
#define NR_BYTES 1

struct kmem_decoder {
	bool swap;
	bool has_pfn;
	uint64_t pfn_none; /* the kernel's value for no page: -1UL */
	uint32_t raw_size_min;
	struct field_place cache; /* a string, in slab events */
	/* the plan; raw_size_min covers it, so that loads need no check */
	struct kmem_event neutral; /* the event before its fields are set */
	/*
	 * For fields in our byte order, at least as wide as the member: always copy this number,
	 * because a branch on the number of fields is often mispredicted. Unused copies fill
	 * time_ns, which is then set from the sample.
	 */
	struct copy {
		uint16_t from, to;
	} longs[NR_LONGS], words[NR_WORDS], bytes[NR_BYTES];
	size_t nr_longs, nr_words, nr_bytes;
	/* all other fields */
	size_t nr_loads;
	struct load {
		struct field_place from;
		uint16_t to, size;
	} loads[FIELD_NR];
};

static bool bind_copy(struct kmem_decoder *d, struct field_place from, uint16_t to, uint16_t size)
{
	/* position of the low bytes */
	uint32_t at = from.offset;

	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		at += from.size - size;
	if (d->swap || from.size < size || from.offset + from.size > UINT16_MAX)
		return false;
	if (size == 8 && d->nr_longs < NR_LONGS)
		d->longs[d->nr_longs++] = (struct copy){(uint16_t)at, to};
	else if (size == 4 && d->nr_words < NR_WORDS)
		d->words[d->nr_words++] = (struct copy){(uint16_t)at, to};
	else if (size == 1 && d->nr_bytes < NR_BYTES)
		d->bytes[d->nr_bytes++] = (struct copy){(uint16_t)at, to};
	else
		return false;
	return true;
}

static void bind_place(struct kmem_decoder *d, struct field_place from, uint16_t to, uint16_t size)
{
	if (!bind_copy(d, from, to, size))
		d->loads[d->nr_loads++] = (struct load){from, to, size};
	if (from.offset + from.size > d->raw_size_min)
		d->raw_size_min = from.offset + from.size;
}

static void bind_field(struct kmem_decoder *d, int field, struct field_place from)
{
	if (field == PFN) {
		d->has_pfn = true;
		d->pfn_none = from.size == 4 ? UINT32_MAX : UINT64_MAX;
	}
	d->neutral.by_address |= field == PAGE;
	d->neutral.has_accounted |= field == ACCOUNTED;
	bind_place(d, from, fields[field].place, fields[field].size);
}

static int error_no_field(const struct tep_event *event, const char *field, struct error *err)
{
	return error_set(err, EINVAL, "the recording's event '%s:%s' has no field '%s'",
			 trace_event_system(event), trace_event_name(event), field);
}

static int bind_fields(struct kmem_decoder *d, const struct tep_event *event, struct error *err)
{
	const struct kind_fields *wanted = &kind_fields[d->neutral.kind];

	for (int i = 0; i < FIELD_NR; i++) {
		struct field_place from = trace_field(event, fields[i].name);

		if (!((wanted->needed | wanted->optional) & BIT(i)) || (i == PAGE && d->has_pfn))
			continue;
		if (from.kind == FIELD_NUMBER)
			bind_field(d, i, from);
		else if (wanted->needed & BIT(i))
			return error_no_field(event, fields[i].name, err);
	}
	return 0;
}

static struct kmem_decoder *new_decoder(const struct trace *trace, const struct kmem_event *neutral)
{
	struct kmem_decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->swap = trace->swap;
	d->raw_size_min = sizeof(uint64_t); /* the common fields */
	d->neutral = *neutral;
	return d;
}

int kmem_decoder_new(const struct trace *trace, const struct tep_event *event,
		     struct kmem_decoder **ret_decoder, struct error *err)
{
	const char *name = trace_event_name(event);
	const struct known_event *known =
		known_event_find(trace_event_system(event), name, strlen(name));
	struct kmem_decoder *d;
	int ret;

	*ret_decoder = NULL;
	if (!known)
		return 0;
	d = new_decoder(trace, &known->neutral);
	if (!d)
		return error_nomem(err);
	if (kmem_kind_is_slab(known->neutral.kind))
		d->cache = trace_field(event, "name");
	ret = bind_fields(d, event, err);
	if (ret)
		free(d);
	else
		*ret_decoder = d;
	return ret;
}

int kmem_decoder_new_own(const struct trace *trace, const struct tep_event *event,
			 const struct kmem_tracepoint *tracepoint, unsigned int kind,
			 unsigned int own, struct kmem_decoder **ret_decoder, struct error *err)
{
	const struct kmem_event neutral = {
		.node = NUMA_NO_NODE,
		.kind = (uint8_t)kind,
		.own = (uint8_t)own,
		.in_window = true,
	};
	struct kmem_decoder *d = new_decoder(trace, &neutral);

	*ret_decoder = NULL;
	if (!d)
		return error_nomem(err);
	for (unsigned int i = 0; i < OWN_FIELDS && tracepoint->fields[i]; i++) {
		struct field_place from = trace_field(event, tracepoint->fields[i]);

		if (from.kind == FIELD_NUMBER) {
			bind_place(d, from,
				   (uint16_t)(offsetof(struct kmem_event, values) +
					      i * sizeof(uint64_t)),
				   sizeof(uint64_t));
		} else if (i < tracepoint->nr_needed) {
			free(d);
			return error_no_field(event, tracepoint->fields[i], err);
		}
	}
	*ret_decoder = d;
	return 0;
}

void kmem_decoder_free(struct kmem_decoder *d)
{
	free(d);
}

unsigned int kmem_decoder_kind(const struct kmem_decoder *d)
{
	return d->neutral.kind;
}

bool kmem_decoder_has_pfn(const struct kmem_decoder *d)
{
	return d->has_pfn;
}

static void store(struct kmem_event *ev, const struct load *load, uint64_t v)
{
	uint8_t *to = (uint8_t *)ev + load->to;
	uint32_t word = (uint32_t)v;

	switch (load->size) {
	case 8:
		memcpy(to, &v, sizeof(v));
		break;
	case 4:
		memcpy(to, &word, sizeof(word));
		break;
	default:
		*to = (uint8_t)v;
	}
}

static inline void copy(struct kmem_event *ev, const uint8_t *raw, struct copy c, size_t size)
{
	memcpy((uint8_t *)ev + c.to, raw + c.from, size);
}

_Static_assert(offsetof(struct kmem_event, time_ns) == 0, "unused copies fill it");

static uint32_t cache_id(const struct kmem_decoder *d, const struct sample *sample)
{
	uint32_t len, id;
	const char *name =
		field_bytes(&d->cache, sample->raw, sample->raw_size, sample->swap, &len);

	/* usually other fields precede it */
	if (name && (size_t)(name - (const char *)sample->raw) + len >= CACHE_ID_TAIL)
		id = cache_id_ending(name + len, len);
	else
		id = cache_id_of(name, len);
	return id == CACHE_ID_OWN ? d->neutral.cache_id : id;
}

int kmem_decoder_decode(const struct kmem_decoder *d, const struct sample *sample,
			struct kmem_event *ret_event)
{
	struct kmem_event *ev = ret_event;
	const uint8_t *raw = sample->raw;

	if (sample->raw_size < d->raw_size_min)
		return -EINVAL;
	*ev = d->neutral;
	copy(ev, raw, d->longs[0], 8);
	copy(ev, raw, d->longs[1], 8);
	copy(ev, raw, d->longs[2], 8);
	copy(ev, raw, d->longs[3], 8);
	copy(ev, raw, d->words[0], 4);
	copy(ev, raw, d->words[1], 4);
	copy(ev, raw, d->words[2], 4);
	copy(ev, raw, d->bytes[0], 1);
	for (size_t i = 0; __builtin_expect(i < d->nr_loads, false); i++)
		store(ev, &d->loads[i],
		      field_u64(&d->loads[i].from, raw, sample->raw_size, d->swap));
	ev->time_ns = sample->time_ns;
	ev->pid = sample->pid;
	ev->tid = sample->tid;
	ev->cpu = sample->cpu;
	if (d->has_pfn && ev->page == d->pfn_none)
		ev->page = PFN_NONE;
	if (d->cache.kind == FIELD_DATA_LOC)
		ev->cache_id = cache_id(d, sample);
	return kmem_event_is_sound(ev) ? 0 : -EINVAL;
}

const char *kmem_decoder_cache(const struct kmem_decoder *d, const struct sample *sample)
{
	const char *name;

	if (d->cache.kind != FIELD_DATA_LOC)
		return NULL;
	name = field_string(&d->cache, sample->raw, sample->raw_size, sample->swap);
	/* large kmallocs have no cache; their names are made from their size */
	return d->neutral.is_kmalloc && name && !*name ? NULL : name;
}
