// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bpf/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#ifdef HAVE_LIBBPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <string.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/bpf/attached.h"
#include "util/bpf/facts.h"
#include "util/bpf/filter.h"
#include "util/bpf/libbpf.h"
#include "util/bpf/programs.h"
#include "util/bpf/ring.h"
#include "util/bpf/unwind.h"
#include "util/bpf/kmem.skel.h"

#define ONLINE_CPUS	"/sys/devices/system/cpu/online"
#define RING_BYTES_MAX	(64u << 20)
#define MEMORY_PART	32 /* fraction of memory for all rings together, by default */
#define GIVE_BACK_BYTES 65536

static const uint32_t with_pfn = 1u << BPF_PAGE_ALLOC | 1u << BPF_PAGE_FREE |
				 1u << BPF_PAGE_FREE_BATCHED | 1u << BPF_ZONE_LOCKED |
				 1u << BPF_PCPU_DRAIN;

static const uint32_t body_sizes[BPF_KINDS] = BPF_BODY_SIZES;

struct bpf_capture {
	struct kmem_bpf *skel;
	struct bpf_facts facts;
	struct bpf_filter filter;
	struct bpf_rings rings;
	uint32_t record_bytes[BPF_KINDS];
	uint8_t frames[BPF_KINDS], user_frames[BPF_KINDS]; /* capacity */
	struct bpf_attached attached;
	uint64_t delivered[BPF_KINDS];
	bool cgroup_ids, has_pages, find_caches;
};

/* ---- loading --------------------------------------------------------------------------------- */

static uint64_t default_ring_bytes(size_t nr_cpus)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t each = memory / MEMORY_PART / (nr_cpus ? nr_cpus : 1) / 2 + 1;

	return each < RING_BYTES_MAX ? each : RING_BYTES_MAX;
}

static int make_rings(struct bpf_capture *c, const struct bpf_capture_options *o, struct error *err)
{
	_cleanup_(cpulist_deinit) struct cpulist online = CPULIST_INIT;
	const struct cpulist *cpus = o->cpus && o->cpus->nr ? o->cpus : &online;
	int ret = cpus == &online ? cpulist_read_file(&online, ONLINE_CPUS, err) : 0;
	uint32_t longest = 0;

	for (int kind = 0; kind < BPF_KINDS; kind++)
		if (c->record_bytes[kind] > longest)
			longest = c->record_bytes[kind];
	return ret ? ret
		   : bpf_rings_init(&c->rings, cpus,
				    o->ring_bytes ? o->ring_bytes : default_ring_bytes(cpus->nr),
				    longest, err);
}

static uint8_t at_most(uint8_t frames)
{
	return frames < BPF_STACK_MAX ? frames : BPF_STACK_MAX;
}

static void choose_sizes(struct bpf_capture *c, const struct bpf_capture_options *o)
{
	for (int kind = 0; kind < BPF_KINDS; kind++) {
		c->frames[kind] = at_most(o->max_stack[kind]);
		c->user_frames[kind] = at_most(o->max_user_stack[kind]);
		c->record_bytes[kind] =
			BPF_EVENT_HEAD + body_sizes[kind] + (o->cgroup_ids ? 8 : 0) +
			c->frames[kind] * 8u +
			(c->user_frames[kind] ? BPF_USER_HEAD + c->user_frames[kind] * 8u : 0);
	}
}

bool bpf_capture_finds_caches(const struct bpf_capture *c)
{
	return c->find_caches && c->facts.has_cache_of;
}

static bool has_stacks(const struct bpf_capture *c)
{
	for (int kind = 0; kind < BPF_KINDS; kind++)
		if (c->frames[kind])
			return true;
	return false;
}

static void set_constants(const struct bpf_capture *c, const struct bpf_capture_options *o)
{
	struct kmem_bpf__rodata *r = c->skel->rodata;

	r->own_tgid = o->with_self ? 0 : (uint32_t)getpid();
	r->filter_tasks = bpf_filter_has_tasks(o);
	r->filter_cgroup = o->cgroup_fd >= 0;
	r->kernel_frees = o->kernel_frees;
	r->cgroup_ids = o->cgroup_ids;
	r->gfp_account = c->facts.gfp_account;
	r->slab_account = c->facts.slab_account;
	r->has_cast = c->facts.has_cast;
	r->has_cache_of = bpf_capture_finds_caches(c);
	r->has_preempt = c->facts.has_preempt;
	r->is_preemptible = c->facts.is_preemptible;
	r->chunk_shift = c->rings.chunk_shift;
#if defined(__x86_64__) || defined(__i386__) || defined(__s390x__)
	r->orders_stores = true;
#endif
	memcpy((void *)(uintptr_t)r->record_bytes, c->record_bytes, sizeof(c->record_bytes));
	for (int kind = 0; kind < BPF_KINDS; kind++) {
		r->stack_bytes[kind] = c->frames[kind] * 8u;
		r->user_stack_bytes[kind] = c->user_frames[kind] * 8u;
		r->only_failed[kind] = (o->failed_only & BPF_BIT(kind)) != 0;
	}
}

/* Set the constants of the programs: about this kernel and about the programs themselves. */
static int set_facts(struct bpf_capture *c, struct error *err)
{
	struct kmem_bpf__bss *bss = c->skel->bss;

	bss->own_stack_bytes = c->facts.own_stack_bytes;
	bss->preempt_count_distance = c->facts.preempt_count_distance;
	bss->skip_frames = c->facts.skip_frames;
	bss->vmemmap = c->facts.vmemmap;
	bss->page_struct_bytes = c->facts.page_bytes;
	if (!(c->facts.page_bytes & (c->facts.page_bytes - 1)))
		bss->page_struct_shift = (uint32_t)__builtin_ctz(c->facts.page_bytes);
	for (int kind = 0; kind < BPF_KINDS; kind++)
		if (c->attached.kinds[kind].function)
			bss->probe_functions[kind] =
				bpf_facts_symbol(&c->facts, c->attached.kinds[kind].function);
	return bpf_attached_prepare(&c->attached, c->skel, err);
}

static int load(struct bpf_capture *c, const struct bpf_capture_options *o, struct error *err)
{
	int ret;

	c->cgroup_ids = o->cgroup_ids;
	c->find_caches = o->find_caches;
	ret = make_rings(c, o, err);
	if (ret)
		return ret;
	c->skel = kmem_bpf__open();
	if (!c->skel)
		return error_set_errno(err, errno, "cannot open the BPF programs");
	set_constants(c, o);
	bpf_attached_choose(&c->attached, c->skel, bpf_kernel_types(), o->kinds);
	ret = bpf_rings_size(&c->rings, c->skel->maps.rings, c->skel->maps.chunks);
	if (!ret)
		ret = bpf_unwind_prepare(c->skel, has_stacks(c) ? &c->facts : NULL,
					 o->check_stacks);
	if (!ret)
		ret = bpf_filter_prepare(c->skel->obj, o);
	bpf_facts_skip_modules(&c->facts, c->skel->obj);
	if (!ret)
		ret = kmem_bpf__load(c->skel);
	if (ret == -ENOMEM && o->ring_bytes)
		return error_set(err, ENOMEM, "no memory for %u buffers of %" PRIu64 " MiB (-m)",
				 c->rings.nr, c->rings.bytes >> 20);
	if (ret)
		return bpf_load_error(ret, err);
	ret = bpf_rings_map(&c->rings, c->skel->maps.rings, c->skel->maps.chunks, err);
	if (!ret)
		ret = set_facts(c, err);
	if (!ret)
		ret = bpf_filter_fill(&c->filter, c->skel->obj, o, err);
	return ret ? ret : bpf_attached_attach(&c->attached, err);
}

static enum bpf_facts_watch to_watch(const struct bpf_capture *c,
				     const struct bpf_capture_options *o)
{
	if (c->has_pages)
		return o->may_address_pages ? BPF_FACTS_WATCHED : BPF_FACTS_PAGES;
	return has_stacks(c) ? BPF_FACTS_WATCHED : BPF_FACTS_UNWATCHED;
}

int bpf_capture_open(struct bpf_capture **ret_capture, const struct bpf_capture_options *o,
		     struct error *err)
{
	struct error nowhere = ERROR_INIT;
	struct bpf_capture *c;
	int ret = bpf_capture_probe(err);

	if (ret)
		return ret;
	if (!err)
		err = &nowhere;
	c = calloc(1, sizeof(*c));
	if (!c)
		return error_nomem(err);
	c->has_pages = o->kinds & with_pfn;
	choose_sizes(c, o);
	ret = bpf_facts_init(&c->facts, to_watch(c, o), err);
	if (!ret)
		ret = load(c, o, err);
	bpf_kernel_types_forget();
	if (ret)
		bpf_capture_free(c);
	else
		*ret_capture = c;
	return ret;
}

struct bpf_stack_counts bpf_capture_stacks(const struct bpf_capture *c)
{
	struct bpf_stack_counts n = {0};

	for (unsigned int i = 0; i < c->rings.nr; i++) {
		const struct bpf_ring_head *head = bpf_ring_head(&c->rings, i);

		n.walked += __atomic_load_n(&head->walked, __ATOMIC_RELAXED);
		n.not_walked += __atomic_load_n(&head->not_walked, __ATOMIC_RELAXED);
		n.wrong += __atomic_load_n(&head->walked_wrong, __ATOMIC_RELAXED);
	}
	return n;
}

void bpf_capture_free(struct bpf_capture *c)
{
	struct bpf_stack_counts n = {0};

	if (!c)
		return;
	if (c->rings.heads)
		n = bpf_capture_stacks(c);
	bpf_unwind_tell(n.walked, n.wrong, n.not_walked);
	bpf_attached_deinit(&c->attached);
	bpf_filter_deinit(&c->filter);
	if (c->skel)
		kmem_bpf__destroy(c->skel);
	bpf_rings_deinit(&c->rings);
	bpf_facts_deinit(&c->facts);
	free(c);
}

bpf_kinds_t bpf_capture_kinds(bpf_kinds_t kinds)
{
	const struct btf *types = bpf_kernel_types();

	return types ? kinds & bpf_program_kinds(types) : 0;
}

/* ---- running --------------------------------------------------------------------------------- */

int bpf_capture_enable(struct bpf_capture *c)
{
	bpf_switch_on(&c->skel->bss->enabled);
	return 0;
}

int bpf_capture_disable(struct bpf_capture *c)
{
	bpf_switch_off(&c->skel->bss->enabled);
	return 0;
}

unsigned int bpf_capture_nr_cpus(const struct bpf_capture *c)
{
	return c->rings.nr;
}

int bpf_capture_cpu(const struct bpf_capture *c, unsigned int i)
{
	return c->rings.cpus[i];
}

bool bpf_capture_addresses_pages(const struct bpf_capture *c)
{
	return c->has_pages && !c->facts.has_vmemmap;
}

uint64_t bpf_capture_symbol(const struct bpf_capture *c, const char *name)
{
	return bpf_facts_symbol(&c->facts, name);
}

uint64_t bpf_capture_position(const struct bpf_capture *c, unsigned int i)
{
	return bpf_ring_head(&c->rings, i)->consumed;
}

uint64_t bpf_capture_peek(struct bpf_capture *c, unsigned int i)
{
	if (!i)
		bpf_attached_look(&c->attached);
	return bpf_ring_look(&c->rings, i);
}

uint64_t bpf_capture_complete_ns(const struct bpf_capture *c, unsigned int i)
{
	return c->rings.complete_ns[i];
}

const struct bpf_event *bpf_capture_event(struct bpf_capture *c, unsigned int i, uint64_t *position)
{
	const struct bpf_event *e = bpf_ring_event(&c->rings, i, *position);

	*position += c->record_bytes[e->kind];
	c->delivered[e->kind]++;
	return e;
}

struct bpf_extra bpf_capture_extra(const struct bpf_capture *c, const struct bpf_event *e)
{
	const uint64_t *tail =
		(const void *)((const uint8_t *)e + BPF_EVENT_HEAD + body_sizes[e->kind]);
	uint64_t cgroup = c->cgroup_ids ? *tail++ : 0;

	struct bpf_extra extra = {.cgroup = cgroup, .frames = tail, .nr_frames = e->frames};

	if (c->user_frames[e->kind]) {
		uint64_t nr;
		bool has_caller;

		tail += c->frames[e->kind];
		has_caller = *tail & BPF_USER_CALLER;
		nr = (*tail & ~BPF_USER_CALLER) + has_caller;
		extra.nr_user_frames = nr < c->user_frames[e->kind] ? nr : c->user_frames[e->kind];
		extra.user_frames = tail + (has_caller ? 1 : 2);
	}
	return extra;
}

void bpf_capture_give_back(struct bpf_capture *c, unsigned int i, uint64_t position)
{
	bpf_ring_give_back(&c->rings, i, position);
}

int bpf_capture_drain(struct bpf_capture *c, unsigned int i, uint64_t end, bpf_event_fn fn,
		      void *ctx)
{
	uint64_t at = bpf_capture_position(c, i), given_back = at;
	struct bpf_extra extra = {0};
	int cpu = c->rings.cpus[i], ret = 0;

	while (at < end && ret >= 0) {
		const struct bpf_event *e = bpf_capture_event(c, i, &at);
		bool has_extra = c->record_bytes[e->kind] > BPF_EVENT_HEAD + body_sizes[e->kind];

		if (has_extra)
			extra = bpf_capture_extra(c, e);
		else if (extra.frames)
			extra = (struct bpf_extra){0};
		ret = fn(ctx, cpu, e, &extra);
		if (at - given_back >= GIVE_BACK_BYTES) {
			bpf_capture_give_back(c, i, at);
			given_back = at;
		}
	}
	bpf_capture_give_back(c, i, at);
	return ret < 0 ? ret : 0;
}

uint64_t bpf_capture_unread(const struct bpf_capture *c, unsigned int i)
{
	return bpf_ring_end(&c->rings, i) - bpf_capture_position(c, i);
}

uint64_t bpf_capture_ring_bytes(const struct bpf_capture *c)
{
	return c->rings.bytes;
}

/* The counts of one kind. */
struct missed_of {
	const struct bpf_capture *capture;
	int kind;
};

static int read_skipped(void *ctx, uint64_t *ret_skipped)
{
	const struct missed_of *m = ctx;

	return bpf_program_missed(m->capture->attached.kinds[m->kind].program, ret_skipped);
}

static uint64_t read_caught(void *ctx)
{
	const struct missed_of *m = ctx;
	const struct bpf_rings *rings = &m->capture->rings;
	uint64_t caught = 0;

	for (unsigned int i = 0; i < rings->nr; i++)
		caught += __atomic_load_n(&bpf_ring_head(rings, i)->caught[m->kind],
					  __ATOMIC_RELAXED);
	return caught;
}

int bpf_capture_counts(struct bpf_capture *c, struct bpf_counts ret_counts[BPF_KINDS],
		       struct error *err)
{
	for (int kind = 0; kind < BPF_KINDS; kind++) {
		struct missed_of of = {c, kind};
		const struct missed_counts missed = {read_skipped, read_caught, &of};
		struct bpf_counts *n = &ret_counts[kind];
		int ret;

		*n = (struct bpf_counts){.delivered = c->delivered[kind]};
		for (unsigned int i = 0; i < c->rings.nr; i++)
			n->lost_full += __atomic_load_n(&bpf_ring_head(&c->rings, i)->lost[kind],
							__ATOMIC_RELAXED);
		if (!c->attached.kinds[kind].program)
			continue;
		ret = missed_read(&missed, &n->lost_missed);
		if (ret)
			return error_set_errno(err, -ret, "cannot read the BPF programs' counts");
	}
	return 0;
}

const struct bpf_cache *bpf_capture_cache(struct bpf_capture *c, const struct bpf_event *event)
{
	if (!bpf_kind_has_cache(event->kind))
		return NULL;
	return bpf_facts_cache(&c->facts, bpf_event_cache(event),
			       event->kind == BPF_CACHE_FREE && c->facts.free_has_name);
}

#endif
