// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/bpf_samples.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/record/synthesize.h"

/* What fields get; each kind has some of them. */
enum value {
	V_ZERO,
	V_TYPE,
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
	{"common_type", V_TYPE},
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

#define ALL    (1U << V_ZERO | 1U << V_TYPE | 1U << V_TID | 1U << V_OBJECT)
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

enum bpf_kind bpf_samples_kind(const char *system, const char *name)
{
	enum bpf_kind kind = 0;

	if (strcmp(system, "kmem") != 0)
		return BPF_KINDS;
	while (kind < BPF_KINDS && (!kinds[kind].event || strcmp(kinds[kind].event, name) != 0))
		kind++;
	return kind;
}

/* ---- plans: from the text of a format ---- */

static uint64_t mask_of(uint32_t size)
{
	return size >= sizeof(uint64_t) ? UINT64_MAX : (1ULL << size * 8) - 1;
}

static int add_field(struct bpf_plan *p, enum value value, uint32_t at, uint32_t size)
{
	size_t i = p->nr_fields;

	if (i == BPF_PLAN_FIELDS)
		return -E2BIG;
	/* Stores are 8 bytes wide, so a later field must be stored later. */
	for (; i && p->fields[i - 1].at > at; i--)
		p->fields[i] = p->fields[i - 1];
	p->fields[i] = (struct bpf_plan_field){
		.value = (uint16_t)value, .at = (uint16_t)at, .mask = mask_of(size)};
	p->nr_fields++;
	return 0;
}

static enum value value_of(enum bpf_kind kind, const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(field_values) / sizeof(field_values[0]); i++)
		if (strlen(field_values[i].field) == len &&
		    !memcmp(field_values[i].field, name, len))
			return kinds[kind].values >> field_values[i].value & 1
				       ? field_values[i].value
				       : V_ZERO;
	return V_ZERO;
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

static int plan_fields(struct bpf_plan *p, enum bpf_kind kind, const struct evsel *e,
		       struct error *err)
{
	const char *line = e->format.buf, *name;
	uint32_t at, size;
	size_t len;

	for (; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		enum value value;

		if (!parse_field(line, &name, &len, &at, &size))
			continue;
		if (at + size > p->fixed_bytes)
			p->fixed_bytes = (uint16_t)(at + size);
		value = value_of(kind, name, len);
		if (kinds[kind].has_cache && len == 4 && !memcmp(name, "name", len) && size == 4)
			p->name_at = (uint16_t)at;
		else if (add_field(p, value, at, size))
			return error_set(err, E2BIG, "'%s:%s' has too many fields", e->system,
					 e->name);
	}
	if (!p->fixed_bytes)
		return error_set(err, EINVAL, "the format of '%s:%s' has no fields", e->system,
				 e->name);
	return 0;
}

int bpf_samples_init(struct bpf_samples *s, const struct evlist *l, bpf_cache_fn find_cache,
		     void *find_cache_ctx, struct error *err)
{
	*s = (struct bpf_samples){.find_cache = find_cache, .find_cache_ctx = find_cache_ctx};
	s->task_id = l->evsels[0].fds[0].id;
	for (size_t i = 0; i < l->nr; i++) {
		const struct evsel *e = &l->evsels[i];
		enum bpf_kind kind = bpf_samples_kind(e->system, e->name);
		struct bpf_plan *p = &s->plans[kind < BPF_KINDS ? kind : 0];
		int ret;

		if (kind == BPF_KINDS)
			return error_set(err, ENOTSUP, "there is no program for '%s:%s'", e->system,
					 e->name);
		*p = (struct bpf_plan){
			.wanted = true,
			.callchain = e->attr.sample_type & PERF_SAMPLE_CALLCHAIN,
			.cgroup = e->attr.sample_type & PERF_SAMPLE_CGROUP,
			.evsel = (uint32_t)i,
			.id = e->fds[0].id,
			.type = e->attr.config,
		};
		ret = plan_fields(p, kind, e, err);
		if (ret)
			return ret;
	}
	return 0;
}

/* ---- samples ---- */

/* The values that kinds[].values names. */
static inline void values_of(const struct bpf_event *ev, uint64_t v[V_NR])
{
	v[V_TID] = ev->tid;
	v[V_CALL_SITE] = ev->call_site;
	v[V_OBJECT] = ev->ptr;
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

static const struct bpf_name *learn_name(struct bpf_samples *s, struct bpf_name *n, uint64_t cache,
					 const struct bpf_event *ev)
{
	const struct bpf_cache *c = s->find_cache(s->find_cache_ctx, ev);

	n->cache = cache;
	n->name = c && c->name ? c->name : "";
	n->len = (uint32_t)strnlen(n->name, 255) + 1;
	memset(n->begin, 0, sizeof(n->begin));
	memcpy(n->begin, n->name, n->len - 1 < sizeof(n->begin) ? n->len - 1 : sizeof(n->begin));
	return n;
}

static inline const struct bpf_name *name_of(struct bpf_samples *s, const struct bpf_event *ev)
{
	uint64_t cache = ev->kind == BPF_CACHE_FREE ? ev->cache_free.cache : ev->cache_alloc.cache;
	struct bpf_name *n = &s->names[(cache * 0x9e3779b97f4a7c15ULL >> 32) % BPF_SAMPLES_NAMES];

	return n->len && n->cache == cache ? n : learn_name(s, n, cache, ev);
}

static inline void store_u32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void store_u64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

/* Writes up to BATCH_SLACK bytes more than it says; they are overwritten by what follows. */
static inline void put_raw(const struct bpf_plan *p, const struct bpf_name *name,
			   const uint64_t v[V_NR], uint8_t *raw, size_t raw_bytes)
{
	store_u64(raw + raw_bytes - sizeof(uint64_t), 0); /* padding */
	for (unsigned int i = 0; i < p->nr_fields; i++) {
		const struct bpf_plan_field *f = &p->fields[i];

		store_u64(raw + f->at, v[f->value] & f->mask);
	}
	if (!name)
		return;
	store_u32(raw + p->name_at, name->len << 16 | p->fixed_bytes);
	if (name->len <= sizeof(name->begin))
		memcpy(raw + p->fixed_bytes, name->begin, sizeof(name->begin));
	else
		memcpy(raw + p->fixed_bytes, name->name, name->len - 1);
}

static int put_callchain(struct batch *b, const struct bpf_extra *extra, uint8_t *at)
{
	store_u64(at, extra->nr_frames + 1);
	store_u64(at + 8, PERF_CONTEXT_KERNEL);
	memcpy(at + 16, extra->frames, extra->nr_frames * sizeof(uint64_t));
	for (size_t i = 0; i < extra->nr_frames; i++)
		if (sample_scan_address(b->scan, extra->frames[i]))
			return -ENOMEM;
	return 0;
}

static int add_sample(struct bpf_samples *s, const struct bpf_plan *p, struct batch *b, int cpu,
		      const struct bpf_event *ev, const struct bpf_extra *extra)
{
	const struct bpf_name *name = p->name_at ? name_of(s, ev) : NULL;
	size_t raw_bytes = p->fixed_bytes + (name ? name->len : 0);
	size_t chain_bytes = p->callchain ? (extra->nr_frames + 2) * sizeof(uint64_t) : 0;
	uint64_t v[V_NR];
	size_t size;
	uint8_t *at;

	raw_bytes = (sizeof(uint32_t) + raw_bytes + 7) / 8 * 8 - sizeof(uint32_t);
	size = sizeof(struct sample_head) + chain_bytes + sizeof(uint32_t) + raw_bytes +
	       (p->cgroup ? sizeof(uint64_t) : 0);
	at = batch_sample_room(b, p->evsel, ev->call_site, size);
	if (!at)
		return -ENOMEM;
	sample_scan_count(b->scan, p->evsel, ev->time_ns);
	*(struct sample_head *)at = (struct sample_head){
		.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, (uint16_t)size},
		.id = p->id,
		.ip = extra->nr_frames ? extra->frames[0] : ev->call_site,
		.pid = ev->pid,
		.tid = ev->tid,
		.time = batch_time(b, ev->time_ns),
		.cpu = (uint32_t)cpu,
	};
	at += sizeof(struct sample_head);
	if (chain_bytes && put_callchain(b, extra, at))
		return -ENOMEM;
	at += chain_bytes;
	store_u32(at, (uint32_t)raw_bytes);
	v[V_ZERO] = 0;
	v[V_TYPE] = p->type;
	values_of(ev, v);
	put_raw(p, name, v, at + sizeof(uint32_t), raw_bytes);
	if (p->cgroup)
		store_u64(at + sizeof(uint32_t) + raw_bytes, extra->cgroup);
	return ev->call_site ? sample_scan_address(b->scan, ev->call_site) : 0;
}

/* ---- tasks ---- */

static int add_task(const struct bpf_samples *s, struct batch *b, int cpu,
		    const struct bpf_event *ev)
{
	_cleanup_(strbuf_deinit) struct strbuf record = STRBUF_INIT;
	const struct sample_id id = {ev->pid, ev->tid, ev->time_ns, (uint32_t)cpu, 0, s->task_id};
	char comm[BPF_COMM_LEN + 1] = "";
	uint8_t *at;

	switch (ev->kind) {
	case BPF_TASK_NEW:
		synthesize_fork(&record, ev->task_new.pid, ev->task_new.tid, &id);
		break;
	case BPF_TASK_COMM:
		memcpy(comm, ev->task_comm.comm, BPF_COMM_LEN);
		synthesize_comm(&record, ev->task_comm.pid, ev->task_comm.tid, comm, &id);
		break;
	case BPF_TASK_EXIT:
		synthesize_exit(&record, &id);
		break;
	default:
		return 0;
	}
	at = record.failed ? NULL : batch_other_room(b, record.len);
	if (!at)
		return -ENOMEM;
	memcpy(at, record.buf, record.len);
	return 0;
}

int bpf_samples_add(struct bpf_samples *s, struct batch *b, int cpu, const struct bpf_event *ev,
		    const struct bpf_extra *extra)
{
	if (ev->kind >= BPF_KINDS)
		return 0;
	if (s->plans[ev->kind].wanted)
		return add_sample(s, &s->plans[ev->kind], b, cpu, ev, extra);
	return add_task(s, b, cpu, ev);
}
