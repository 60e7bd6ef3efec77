// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/capture/bpf_samples.h"

#include <errno.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/output/synthesize.h"

_Static_assert(sizeof(struct bpf_kmalloc) <= BPF_FORM_BODY * sizeof(uint64_t) &&
		       sizeof(struct bpf_cache_alloc) <= BPF_FORM_BODY * sizeof(uint64_t) &&
		       sizeof(struct bpf_extfrag) <= BPF_FORM_BODY * sizeof(uint64_t),
	       "a form has room for the largest body");

int bpf_samples_init(struct bpf_samples *s, const struct evlist *l, bpf_cache_fn find_cache,
		     void *find_cache_ctx, struct error *err)
{
	*s = (struct bpf_samples){.find_cache = find_cache, .find_cache_ctx = find_cache_ctx};
	s->task_id = l->evsels[0].fds[0].id;
	for (size_t i = 0; i < l->nr; i++) {
		const struct evsel *e = &l->evsels[i];
		enum bpf_kind kind = bpf_plan_kind(e->system, e->name);
		struct bpf_plan *p = &s->plans[kind < BPF_KINDS ? kind : 0];
		int ret;

		if (kind == BPF_KINDS)
			return error_set(err, ENOTSUP, "there is no program for '%s:%s'", e->system,
					 e->name);
		ret = bpf_plan_init(p, kind, e, err);
		if (ret)
			return ret;
		p->evsel = (uint32_t)i;
	}
	return 0;
}

static inline void store_u16(uint8_t *p, uint16_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void store_u32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void store_u64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void store_own(const struct bpf_plan *p, const struct bpf_event *ev, uint8_t *raw)
{
	if (p->tid_at)
		store_u32(raw + p->tid_at, ev->tid);
	if (p->object_is_u64)
		store_u64(raw + p->object_at, ev->ptr);
	else if (p->object_at)
		store_u32(raw + p->object_at, (uint32_t)ev->ptr);
}

/* ---- forms ---- */

static inline uint8_t *raw_of(struct bpf_form *f)
{
	return f->bytes + sizeof(struct sample_head) + sizeof(uint32_t);
}

static inline const uint64_t *body_of(const struct bpf_event *ev)
{
	return (const void *)((const uint8_t *)ev + BPF_EVENT_HEAD);
}

static inline bool has_values_of(const struct bpf_form *f, const struct bpf_plan *p,
				 const struct bpf_event *ev)
{
	const uint64_t *body = body_of(ev);
	uint64_t differ = 0;

	for (size_t i = 0; i < p->body_words; i++)
		differ |= f->body[i] ^ body[i];
	return !differ;
}

/* Whether a form has room for the body; events with larger ones are rare. */
static inline bool is_reused(const struct bpf_plan *p)
{
	return p->body_words <= BPF_FORM_BODY;
}

static void set_values(struct bpf_form *f, const struct bpf_plan *p, const struct bpf_event *ev)
{
	bpf_plan_store(p, ev, raw_of(f));
	memcpy(f->body, body_of(ev), p->body_words * sizeof(uint64_t));
	f->batch = 0;
}

/* Valid until the next call. */
static const char *text_of(const struct bpf_samples *s, const struct bpf_event *ev)
{
	const struct bpf_cache *c;

	if (!bpf_kind_has_cache(ev->kind))
		return ev->mark_victim.comm;
	c = s->find_cache(s->find_cache_ctx, ev);
	return c && c->name ? c->name : "";
}

static struct bpf_form *make_form(struct bpf_samples *s, const struct bpf_plan *p,
				  struct bpf_form *f, uint64_t cache, const struct bpf_event *ev)
{
	const char *name = p->name_at ? text_of(s, ev) : "";
	size_t name_bytes = p->name_at ? strnlen(name, BPF_CACHE_NAME_MAX - 1) + 1 : 0;
	/* the size field is part of the aligned data */
	size_t raw_bytes =
		(sizeof(uint32_t) + p->fixed_bytes + name_bytes + 7) / 8 * 8 - sizeof(uint32_t);
	size_t size = sizeof(struct sample_head) + sizeof(uint32_t) + raw_bytes;
	uint8_t *raw = raw_of(f);

	*f = (struct bpf_form){
		.cache = cache,
		.call_site = ev->call_site,
		.kind = ev->kind,
		.size = (uint16_t)size,
	};
	*(struct sample_head *)(void *)f->bytes = (struct sample_head){
		.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, (uint16_t)size},
		.id = p->id,
	};
	store_u32(raw - sizeof(uint32_t), (uint32_t)raw_bytes);
	store_u16(raw, (uint16_t)p->type); /* common_type is the first field of all formats */
	if (p->name_at) {
		store_u32(raw + p->name_at, (uint32_t)name_bytes << 16 | p->fixed_bytes);
		memcpy(raw + p->fixed_bytes, name, name_bytes - 1);
	}
	if (is_reused(p))
		set_values(f, p, ev);
	else
		bpf_plan_store(p, ev, raw);
	return f;
}

static inline struct bpf_form *form_of(struct bpf_samples *s, const struct bpf_plan *p,
				       const struct bpf_event *ev)
{
	uint64_t cache = 0;
	struct bpf_form *f;

	if (p->name_at && is_reused(p))
		cache = bpf_event_cache(ev);
	f = &s->forms[((cache ^ ev->call_site << 8 ^ ev->kind) * 0x9e3779b97f4a7c15ULL >> 32) %
		      BPF_SAMPLES_FORMS];
	if (!f->size || f->cache != cache || f->call_site != ev->call_site || f->kind != ev->kind ||
	    !is_reused(p))
		return make_form(s, p, f, cache, ev);
	if (!has_values_of(f, p, ev))
		set_values(f, p, ev);
	return f;
}

/* ---- samples ---- */

/* Copies whole words of 32 bytes: the bytes after the end are overwritten later. */
static inline void copy_form(uint8_t *to, const uint8_t *from, size_t size)
{
	for (size_t i = 0; i < size; i += 32)
		memcpy(to + i, from + i, 32);
}

/* Number of entries of a callchain: kernel and user frames, each preceded by a context marker. */
static inline size_t chain_entries(const struct bpf_extra *extra)
{
	return 1 + extra->nr_frames + (extra->nr_user_frames ? 1 + extra->nr_user_frames : 0);
}

static int put_callchain(struct batch *b, const struct bpf_extra *extra, uint8_t *at)
{
	uint8_t *user = at + 16 + extra->nr_frames * sizeof(uint64_t);

	store_u64(at, chain_entries(extra));
	store_u64(at + 8, PERF_CONTEXT_KERNEL);
	memcpy(at + 16, extra->frames, extra->nr_frames * sizeof(uint64_t));
	if (extra->nr_user_frames) {
		store_u64(user, PERF_CONTEXT_USER);
		memcpy(user + 8, extra->user_frames, extra->nr_user_frames * sizeof(uint64_t));
	}
	for (size_t i = 0; i < extra->nr_frames; i++)
		if (sample_scan_address(b->scan, extra->frames[i]))
			return -ENOMEM;
	return 0;
}

static inline uint64_t likeness_of(const struct bpf_plan *p, const struct bpf_event *ev,
				   const struct bpf_extra *extra)
{
	uint64_t from = ev->call_site;

	for (size_t i = 0; i < extra->nr_frames; i++)
		from = sample_from(from, extra->frames[i]);
	return batch_likeness(p->evsel, from);
}

static inline bool has_sample(const struct bpf_form *f, const struct batch *b, int cpu)
{
	return f->batch == b->number && f->cpu == cpu;
}

static void add_like(const struct bpf_plan *p, struct batch *b, const struct bpf_form *f,
		     const struct bpf_event *ev)
{
	const uint16_t raw_at = sizeof(struct sample_head) + sizeof(uint32_t);

	batch_add_like(b, f->group, f->size,
		       &(struct record_like){
			       .at = f->sample_at,
			       .tid_at = (uint16_t)(raw_at + p->tid_at),
			       .object_at = (uint16_t)(raw_at + p->object_at),
			       .pid = ev->pid,
			       .tid = ev->tid,
			       .time = batch_time(b, f->group, ev->time_ns),
			       .object = ev->ptr,
		       });
	sample_scan_count(b->scan, p->evsel, ev->time_ns);
}

static int add_whole_sample(const struct bpf_plan *p, struct batch *b, int cpu,
			    struct bpf_form *form, const struct bpf_event *ev,
			    const struct bpf_extra *extra)
{
	size_t chain_bytes = p->callchain ? (1 + chain_entries(extra)) * sizeof(uint64_t) : 0;
	size_t size = form->size + chain_bytes + (p->cgroup ? sizeof(uint64_t) : 0);
	uint32_t group = b->grouped ? batch_group(b, likeness_of(p, ev, extra)) : BATCH_OTHER;
	uint8_t *at = batch_reserve(b, group, size);
	struct sample_head *head = (void *)at;
	uint8_t *raw = at + sizeof(*head);

	if (p->has_likes && b->grouped) {
		form->batch = b->number;
		form->group = group;
		form->sample_at = (uint32_t)(at - b->records);
		form->cpu = cpu;
	}
	if (chain_bytes) {
		memcpy(at, form->bytes, sizeof(*head));
		if (put_callchain(b, extra, raw))
			return -ENOMEM;
		raw += chain_bytes;
		copy_form(raw, form->bytes + sizeof(*head), form->size - sizeof(*head));
	} else {
		copy_form(at, form->bytes, form->size);
	}
	raw += sizeof(uint32_t);
	head->header.size = (uint16_t)size;
	head->ip = extra->nr_frames ? extra->frames[0] : ev->call_site;
	head->pid = ev->pid;
	head->tid = ev->tid;
	head->time = batch_time(b, group, ev->time_ns);
	head->cpu = (uint32_t)cpu;
	store_own(p, ev, raw);
	if (p->cgroup)
		store_u64(at + size - sizeof(uint64_t), extra->cgroup);
	sample_scan_count(b->scan, p->evsel, ev->time_ns);
	return ev->call_site ? sample_scan_address(b->scan, ev->call_site) : 0;
}

static int add_sample(struct bpf_samples *s, const struct bpf_plan *p, struct batch *b, int cpu,
		      const struct bpf_event *ev, const struct bpf_extra *extra)
{
	struct bpf_form *form = form_of(s, p, ev);

	if (has_sample(form, b, cpu)) {
		add_like(p, b, form, ev);
		return 0;
	}
	return add_whole_sample(p, b, cpu, form, ev, extra);
}

/* ---- tasks ---- */

/* Append the record to the batch and clear it. */
static int put_record(struct batch *b, struct strbuf *record)
{
	if (record->failed)
		return -ENOMEM;
	memcpy(batch_reserve(b, BATCH_OTHER, record->len), record->buf, record->len);
	strbuf_reset(record);
	return 0;
}

static int put_comm(struct batch *b, struct strbuf *record, uint32_t pid, uint32_t tid,
		    const char name[BPF_COMM_LEN], const struct sample_id *id)
{
	char comm[BPF_COMM_LEN + 1] = "";

	memcpy(comm, name, BPF_COMM_LEN);
	synthesize_comm(record, pid, tid, comm, id);
	return put_record(b, record);
}

static int add_task(const struct bpf_samples *s, struct batch *b, int cpu,
		    const struct bpf_event *ev)
{
	_cleanup_(strbuf_deinit) struct strbuf record = STRBUF_INIT;
	const struct bpf_task_new *child = &ev->task_new;
	const struct sample_id id = {
		.pid = ev->pid,
		.tid = ev->tid,
		.time = batch_time(b, BATCH_OTHER, ev->time_ns),
		.cpu = (uint32_t)cpu,
		.id = s->task_id,
	};
	int ret;

	switch (ev->kind) {
	case BPF_TASK_NEW:
		synthesize_fork(&record, child->pid, child->tid, &id);
		ret = put_record(b, &record);
		return ret || !child->comm[0]
			       ? ret
			       : put_comm(b, &record, child->pid, child->tid, child->comm, &id);
	case BPF_TASK_COMM:
		return put_comm(b, &record, ev->task_comm.pid, ev->task_comm.tid,
				ev->task_comm.comm, &id);
	case BPF_TASK_EXIT:
		synthesize_exit(&record, &id);
		return put_record(b, &record);
	default:
		return 0;
	}
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
