// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/capture/bpf_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What fields get; each kind has some of them. */
enum value {
	V_NONE,
	V_TID,
	V_CALL_SITE,
	V_OBJECT, /* ptr or pfn */
	V_BYTES_REQ,
	V_BYTES_ALLOC,
	V_GFP,
	V_NODE,
	V_ACCOUNTED,
	V_ORDER,
	V_MIGRATETYPE,
	V_PERCPU_REFILL,
	V_FALLBACK_ORDER,
	V_FALLBACK_MIGRATETYPE,
	V_CHANGE_OWNERSHIP,
	V_NR
};

static const struct {
	const char *field;
	enum value value;
} field_values[] = {
	{"common_pid", V_TID},
	{"call_site", V_CALL_SITE},
	{"ptr", V_OBJECT},
	{"pfn", V_OBJECT},
	{"bytes_req", V_BYTES_REQ},
	{"bytes_alloc", V_BYTES_ALLOC},
	{"gfp_flags", V_GFP},
	{"node", V_NODE},
	{"accounted", V_ACCOUNTED},
	{"order", V_ORDER},
	{"migratetype", V_MIGRATETYPE},
	{"percpu_refill", V_PERCPU_REFILL},
	{"alloc_order", V_ORDER},
	{"fallback_order", V_FALLBACK_ORDER},
	{"alloc_migratetype", V_MIGRATETYPE},
	{"fallback_migratetype", V_FALLBACK_MIGRATETYPE},
	{"change_ownership", V_CHANGE_OWNERSHIP},
};

#define ALL    (1U << V_TID | 1U << V_OBJECT)
#define SLAB   (ALL | 1U << V_CALL_SITE)
#define ALLOC  (SLAB | 1U << V_BYTES_REQ | 1U << V_BYTES_ALLOC | 1U << V_GFP | 1U << V_NODE)
#define PAGE   (ALL | 1U << V_ORDER)
#define COUNTS (PAGE | 1U << V_MIGRATETYPE)

static const struct {
	const char *event; /* of kmem; NULL: not a tracepoint of kmem */
	uint32_t values;   /* bits of enum value that values_of() sets */
	bool has_cache;
} kinds[BPF_KINDS] = {
	[BPF_KMALLOC] = {"kmalloc", ALLOC},
	[BPF_KMALLOC_NODE] = {"kmalloc_node", ALLOC},
	[BPF_CACHE_ALLOC] = {"kmem_cache_alloc", ALLOC | 1U << V_ACCOUNTED, true},
	[BPF_CACHE_ALLOC_NODE] = {"kmem_cache_alloc_node", ALLOC | 1U << V_ACCOUNTED, true},
	[BPF_KFREE] = {"kfree", SLAB},
	[BPF_CACHE_FREE] = {"kmem_cache_free", SLAB, true},
	[BPF_PAGE_ALLOC] = {"mm_page_alloc", COUNTS | 1U << V_GFP},
	[BPF_PAGE_FREE] = {"mm_page_free", PAGE},
	[BPF_PAGE_FREE_BATCHED] = {"mm_page_free_batched", PAGE},
	[BPF_ZONE_LOCKED] = {"mm_page_alloc_zone_locked", COUNTS | 1U << V_PERCPU_REFILL},
	[BPF_PCPU_DRAIN] = {"mm_page_pcpu_drain", COUNTS},
	[BPF_EXTFRAG] = {"mm_page_alloc_extfrag", COUNTS | 1U << V_FALLBACK_ORDER |
							  1U << V_FALLBACK_MIGRATETYPE |
							  1U << V_CHANGE_OWNERSHIP},
};

static const uint32_t body_sizes[BPF_KINDS] = BPF_BODY_SIZES;

enum bpf_kind bpf_plan_kind(const char *system, const char *name)
{
	enum bpf_kind kind = 0;

	if (strcmp(system, "kmem") != 0)
		return BPF_KINDS;
	while (kind < BPF_KINDS && (!kinds[kind].event || strcmp(kinds[kind].event, name) != 0))
		kind++;
	return kind;
}

/* ---- plans: from the text of a format ---- */

static enum value value_of(enum bpf_kind kind, const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(field_values) / sizeof(field_values[0]); i++)
		if (strlen(field_values[i].field) == len &&
		    !memcmp(field_values[i].field, name, len))
			return kinds[kind].values >> field_values[i].value & 1
				       ? field_values[i].value
				       : V_NONE;
	return V_NONE;
}

/* A line "field:TYPE NAME; offset:N; size:N; signed:N;". False: another one. */
static bool parse_field(const char *line, const char **ret_name, size_t *ret_len, uint32_t *ret_at,
			uint32_t *ret_size)
{
	const char *end = strchr(line, ';'), *name = end;
	unsigned int at, size;

	line += strspn(line, "\t ");
	if (!end || strncmp(line, "field:", 6) != 0 ||
	    sscanf(end, "; offset:%u; size:%u;", &at, &size) != 2 || at > 1024 || size > 1024)
		return false;
	while (name > line && (name[-1] == '_' || (name[-1] >= '0' && name[-1] <= '9') ||
			       ((name[-1] | 0x20) >= 'a' && (name[-1] | 0x20) <= 'z')))
		name--;
	*ret_name = name;
	*ret_len = (size_t)(end - name);
	*ret_at = at;
	*ret_size = size;
	return true;
}

static int add_field(struct bpf_plan *p, enum value value, uint32_t at, uint32_t size)
{
	bool is_u32 = size == sizeof(uint32_t), is_u64 = size == sizeof(uint64_t);

	if (value == V_NONE)
		return 0;
	if (value == V_TID) {
		p->tid_at = (uint16_t)at;
		return is_u32 ? 0 : -E2BIG;
	}
	if (value == V_OBJECT) {
		p->object_at = (uint16_t)at;
		p->object_is_u64 = is_u64;
		return is_u32 || is_u64 ? 0 : -E2BIG;
	}
	if (p->nr_fields == BPF_PLAN_FIELDS || size > sizeof(uint64_t))
		return -E2BIG;
	p->fields[p->nr_fields++] = (struct bpf_plan_field){
		.value = (uint8_t)value, .at = (uint16_t)at, .size = (uint8_t)size};
	p->nr_u64 += is_u64;
	p->nr_u32 += is_u32;
	return 0;
}

static int larger_first(const void *a, const void *b)
{
	const struct bpf_plan_field *x = a, *y = b;

	return y->size - x->size;
}

static int plan_fields(struct bpf_plan *p, enum bpf_kind kind, const struct evsel *e,
		       struct error *err)
{
	const char *line = e->format.buf, *name;
	uint32_t at, size, end = 0;
	int ret = 0;
	size_t len;

	for (; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		if (!parse_field(line, &name, &len, &at, &size))
			continue;
		if (at + size > end)
			end = at + size;
		if (kinds[kind].has_cache && len == 4 && !memcmp(name, "name", len) && size == 4)
			p->name_at = (uint16_t)at;
		else if (!ret)
			ret = add_field(p, value_of(kind, name, len), at, size);
	}
	if (!end)
		return error_set(err, EINVAL, "the format of '%s:%s' has no fields", e->system,
				 e->name);
	if (ret || end > BPF_FIXED_MAX)
		return error_set(err, E2BIG, "'%s:%s' has too many fields", e->system, e->name);
	p->fixed_bytes = (uint16_t)end;
	p->has_likes = !p->callchain && !p->cgroup && p->tid_at && p->object_is_u64 &&
		       p->object_at >= p->tid_at + sizeof(uint32_t);
	p->body_words = (uint8_t)(body_sizes[kind] / sizeof(uint64_t));
	qsort(p->fields, p->nr_fields, sizeof(p->fields[0]), larger_first);
	return 0;
}

int bpf_plan_init(struct bpf_plan *p, enum bpf_kind kind, const struct evsel *e, struct error *err)
{
	*p = (struct bpf_plan){
		.wanted = true,
		.callchain = e->attr.sample_type & PERF_SAMPLE_CALLCHAIN,
		.cgroup = e->attr.sample_type & PERF_SAMPLE_CGROUP,
		.id = e->fds[0].id,
		.type = e->attr.config,
	};
	return plan_fields(p, kind, e, err);
}

/* ---- values ---- */

/* The values that kinds[].values names, but for the task and the object. */
static void values_of(const struct bpf_event *ev, uint64_t v[V_NR])
{
	v[V_CALL_SITE] = ev->call_site;
	switch (ev->kind) {
	case BPF_KMALLOC:
	case BPF_KMALLOC_NODE:
		v[V_BYTES_REQ] = ev->kmalloc.bytes_req;
		v[V_BYTES_ALLOC] = ev->kmalloc.bytes_alloc;
		v[V_GFP] = ev->kmalloc.gfp;
		v[V_NODE] = (uint64_t)(int64_t)ev->kmalloc.node;
		break;
	case BPF_CACHE_ALLOC:
	case BPF_CACHE_ALLOC_NODE:
		v[V_BYTES_REQ] = ev->cache_alloc.bytes_req;
		v[V_BYTES_ALLOC] = ev->cache_alloc.bytes_alloc;
		v[V_GFP] = ev->cache_alloc.gfp;
		v[V_NODE] = (uint64_t)(int64_t)ev->cache_alloc.node;
		v[V_ACCOUNTED] = ev->cache_alloc.account;
		break;
	case BPF_PAGE_ALLOC:
		v[V_ORDER] = ev->page_alloc.order;
		v[V_GFP] = ev->page_alloc.gfp;
		v[V_MIGRATETYPE] = (uint64_t)(int64_t)ev->page_alloc.migratetype;
		break;
	case BPF_PAGE_FREE:
	case BPF_PAGE_FREE_BATCHED:
		v[V_ORDER] = ev->page_free.order;
		break;
	case BPF_ZONE_LOCKED:
	case BPF_PCPU_DRAIN:
		v[V_ORDER] = ev->zone_locked.order;
		v[V_MIGRATETYPE] = (uint64_t)(int64_t)ev->zone_locked.migratetype;
		v[V_PERCPU_REFILL] = (uint64_t)(int64_t)ev->zone_locked.percpu_refill;
		break;
	case BPF_EXTFRAG:
		v[V_ORDER] = (uint64_t)(int64_t)ev->extfrag.alloc_order;
		v[V_MIGRATETYPE] = (uint64_t)(int64_t)ev->extfrag.alloc_migratetype;
		v[V_FALLBACK_ORDER] = (uint64_t)(int64_t)ev->extfrag.fallback_order;
		v[V_FALLBACK_MIGRATETYPE] = (uint64_t)(int64_t)ev->extfrag.fallback_migratetype;
		v[V_CHANGE_OWNERSHIP] = (uint64_t)(int64_t)ev->extfrag.change_ownership;
		break;
	default:
		break;
	}
}

/* The fields of a plan, by their size, so that none has to be asked for it. */
void bpf_plan_store(const struct bpf_plan *p, const struct bpf_event *ev, uint8_t *raw)
{
	uint64_t v[V_NR];
	const struct bpf_plan_field *f = p->fields, *u64_end = f + p->nr_u64,
				    *u32_end = u64_end + p->nr_u32, *end = f + p->nr_fields;

	values_of(ev, v);
	for (; f < u64_end; f++)
		memcpy(raw + f->at, &v[f->value], sizeof(uint64_t));
	for (; f < u32_end; f++) {
		uint32_t u32 = (uint32_t)v[f->value];

		memcpy(raw + f->at, &u32, sizeof(u32));
	}
	for (; f < end; f++) {
		uint16_t u16 = (uint16_t)v[f->value];

		if (f->size == sizeof(u16))
			memcpy(raw + f->at, &u16, sizeof(u16));
		else
			raw[f->at] = (uint8_t)u16;
	}
}
