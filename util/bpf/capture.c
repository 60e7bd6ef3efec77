// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bpf/capture.h"

#include <errno.h>
#include <stdlib.h>

#ifdef HAVE_LIBBPF

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/bpf/facts.h"
#include "util/bpf/filter.h"
#include "util/bpf/libbpf_log.h"
#include "util/bpf/nested.h"
#include "util/bpf/programs.h"
#include "util/bpf/ring.h"
#include "util/bpf/switch.h"
#include "util/bpf/kmem.skel.h"

#define ONLINE_CPUS	"/sys/devices/system/cpu/online"
#define RING_BYTES_MAX	(64u << 20)
#define MEMORY_PART	32	  /* of which all rings together take one by default */
#define MISSED_EVERY_NS 500000000 /* how often it is looked whether something was missed */

static const uint32_t freed_by_interrupts =
	1u << BPF_KFREE | 1u << BPF_CACHE_FREE | 1u << BPF_PAGE_FREE | 1u << BPF_PAGE_FREE_BATCHED;

static const uint32_t body_sizes[BPF_KINDS] = BPF_BODY_SIZES;

struct cpu_ring {
	struct bpf_ring ring;
	int cpu;
};

/*
 * The programs on the tracepoint of a kind.  `nested` sees what `program` is not called for (see
 * kmem.bpf.c); those of rare events have none.  It costs as much as half of the first one, so it is
 * attached from the beginning only for what interrupts do on every machine, which is to free; for
 * the rest as soon as something was missed.
 */
struct attached {
	struct bpf_program *program, *nested;
	struct bpf_link *link, *nested_link;
};

struct bpf_capture {
	struct kmem_bpf *skel;
	struct bpf_facts facts;
	struct bpf_filter filter;
	struct cpu_ring *rings;
	unsigned int nr_rings;
	uint64_t ring_bytes;
	struct attached attached[BPF_KINDS];
	uint64_t delivered[BPF_KINDS];
	uint64_t look_ns; /* when to look next whether something was missed */
	bool cgroup_ids;
};

/* ---- loading --------------------------------------------------------------------------------- */

static uint64_t power_of_two(uint64_t n)
{
	uint64_t p = (uint64_t)sysconf(_SC_PAGESIZE);

	while (p < n && p << 1)
		p <<= 1;
	return p;
}

static uint64_t default_ring_bytes(unsigned int nr_cpus)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t each = power_of_two(memory / MEMORY_PART / (nr_cpus ? nr_cpus : 1) / 2 + 1);

	return each < RING_BYTES_MAX ? each : RING_BYTES_MAX;
}

static int make_rings(struct bpf_capture *c, const struct bpf_capture_options *o, struct error *err)
{
	_cleanup_(cpulist_deinit) struct cpulist online = CPULIST_INIT;
	const struct cpulist *cpus = o->cpus && o->cpus->nr ? o->cpus : &online;
	int ret = cpus == &online ? cpulist_read_file(&online, ONLINE_CPUS, err) : 0;

	if (ret)
		return ret;
	c->ring_bytes = o->ring_bytes ? power_of_two(o->ring_bytes)
				      : default_ring_bytes((unsigned int)cpus->nr);
	c->rings = calloc(cpus->nr, sizeof(*c->rings));
	if (!c->rings)
		return error_nomem(err);
	for (size_t i = 0; i < cpus->nr && !ret; i++) {
		ret = bpf_ring_init(&c->rings[i].ring, c->ring_bytes, err);
		c->rings[i].cpu = cpus->cpus[i];
		c->nr_rings += !ret;
	}
	return ret;
}

static void set_constants(struct bpf_capture *c, const struct bpf_capture_options *o)
{
	struct kmem_bpf__rodata *r = c->skel->rodata;

	c->cgroup_ids = o->cgroup_ids;
	r->own_tgid = o->with_self ? 0 : (uint32_t)getpid();
	r->filter_tasks = bpf_filter_has_tasks(o);
	r->filter_cgroup = o->cgroup_fd >= 0;
	r->cgroup_ids = o->cgroup_ids;
	r->gfp_account = c->facts.gfp_account;
	r->slab_account = c->facts.slab_account;
	for (int kind = 0; kind < BPF_KINDS; kind++) {
		uint32_t frames = o->max_stack[kind];

		if (frames > BPF_STACK_MAX)
			frames = BPF_STACK_MAX;
		r->stack_bytes[kind] = frames * 8;
		r->record_bytes[kind] =
			BPF_EVENT_HEAD + body_sizes[kind] + (o->cgroup_ids ? 8 : 0) + frames * 8;
	}
}

static struct bpf_program *load_program(struct bpf_capture *c, const char *name, bool is_nested)
{
	char full[64];
	struct bpf_program *program;

	snprintf(full, sizeof(full), "%s%s", name, is_nested ? "_nested" : "");
	program = bpf_object__find_program_by_name(c->skel->obj, full);
	if (program)
		bpf_program__set_autoload(program, true);
	return program;
}

/* Of all programs only those that the kinds need, in the variants that fit. */
static void choose_programs(struct bpf_capture *c, uint32_t kinds)
{
	struct bpf_program *program = NULL;

	while ((program = bpf_object__next_program(c->skel->obj, program)))
		bpf_program__set_autoload(program, false);
	for (int kind = 0; kind < BPF_KINDS; kind++) {
		const char *name = kinds & 1u << kind
					   ? bpf_program_for(c->facts.btf, (enum bpf_kind)kind)
					   : NULL;

		if (!name)
			continue;
		c->attached[kind].program = load_program(c, name, false);
		c->attached[kind].nested = load_program(c, name, true);
	}
	bpf_program__set_autoload(c->skel->progs.find_active, true);
}

static int size_maps(struct bpf_capture *c)
{
	int nr = libbpf_num_possible_cpus();
	int ret = nr < 0 ? nr : bpf_map__set_max_entries(c->skel->maps.rings, (uint32_t)nr);

	if (!ret)
		ret = bpf_map__set_inner_map_fd(c->skel->maps.rings, c->rings[0].ring.fd);
	return ret;
}

static int fill_rings(struct bpf_capture *c)
{
	int ret = 0;

	for (unsigned int i = 0; i < c->nr_rings && !ret; i++)
		ret = bpf_map_update_elem(bpf_map__fd(c->skel->maps.rings), &c->rings[i].cpu,
					  &c->rings[i].ring.fd, BPF_ANY);
	return ret;
}

/* What the programs must know of this kernel and of themselves. */
static int set_facts(struct bpf_capture *c, struct error *err)
{
	struct bpf_program *programs[BPF_KINDS];
	struct kmem_bpf__bss *bss = c->skel->bss;

	bss->own_stack_bytes = c->facts.own_stack_bytes;
	bss->skip_frames = c->facts.skip_frames;
	bss->vmemmap = c->facts.vmemmap;
	bss->page_struct_bytes = c->facts.has_vmemmap ? c->facts.page_bytes : 1;
	if (c->facts.has_vmemmap && !(c->facts.page_bytes & (c->facts.page_bytes - 1)))
		bss->page_struct_shift = (uint32_t)__builtin_ctz(c->facts.page_bytes);
	for (int kind = 0; kind < BPF_KINDS; kind++)
		programs[kind] = c->attached[kind].nested ? c->attached[kind].program : NULL;
	return bpf_nested_find(c->skel, programs, err);
}

static struct bpf_link *attach_one(const struct bpf_program *program, struct error *err)
{
	struct bpf_link *link = bpf_program__attach(program);

	if (!link)
		error_set_errno(err, errno, "cannot attach the BPF program '%s'",
				bpf_program__name(program));
	return link;
}

static int attach(struct bpf_capture *c, struct error *err)
{
	for (int kind = 0; kind < BPF_KINDS; kind++) {
		struct attached *a = &c->attached[kind];

		if (a->program && !(a->link = attach_one(a->program, err)))
			return -err->code;
		if (a->nested && 1u << kind & freed_by_interrupts &&
		    !(a->nested_link = attach_one(a->nested, err)))
			return -err->code;
	}
	return 0;
}

static int load(struct bpf_capture *c, const struct bpf_capture_options *o, struct error *err)
{
	int ret = make_rings(c, o, err);

	if (ret)
		return ret;
	c->skel = kmem_bpf__open();
	if (!c->skel)
		return error_set_errno(err, errno, "cannot open the BPF programs");
	set_constants(c, o);
	choose_programs(c, o->kinds);
	ret = size_maps(c);
	if (!ret)
		ret = bpf_filter_prepare(c->skel->obj, o);
	if (!ret)
		ret = kmem_bpf__load(c->skel);
	if (!ret)
		ret = fill_rings(c);
	if (ret)
		return error_set_errno(err, -ret, "cannot load the BPF programs (-vv says more)");
	ret = set_facts(c, err);
	if (!ret)
		ret = bpf_filter_fill(&c->filter, c->skel->obj, o, err);
	return ret ? ret : attach(c, err);
}

int bpf_capture_open(struct bpf_capture **ret_capture, const struct bpf_capture_options *o,
		     struct error *err)
{
	const uint32_t with_pfn = 1u << BPF_PAGE_ALLOC | 1u << BPF_PAGE_FREE |
				  1u << BPF_PAGE_FREE_BATCHED | 1u << BPF_ZONE_LOCKED |
				  1u << BPF_PCPU_DRAIN;
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
	ret = bpf_facts_init(&c->facts, o->kinds & with_pfn && !o->may_address_pages, err);
	if (!ret)
		ret = load(c, o, err);
	if (ret)
		bpf_capture_free(c);
	else
		*ret_capture = c;
	return ret;
}

void bpf_capture_free(struct bpf_capture *c)
{
	if (!c)
		return;
	for (int kind = 0; kind < BPF_KINDS; kind++) {
		bpf_link__destroy(c->attached[kind].link);
		bpf_link__destroy(c->attached[kind].nested_link);
	}
	bpf_filter_deinit(&c->filter);
	if (c->skel)
		kmem_bpf__destroy(c->skel);
	for (unsigned int i = 0; i < c->nr_rings; i++)
		bpf_ring_deinit(&c->rings[i].ring);
	free(c->rings);
	bpf_facts_deinit(&c->facts);
	free(c);
}

uint32_t bpf_capture_kinds(uint32_t kinds)
{
	struct btf *btf;
	uint32_t ret;

	bpf_log_from_libbpf();
	btf = btf__load_vmlinux_btf();
	ret = btf ? kinds & bpf_program_kinds(btf) : 0;
	btf__free(btf);
	return ret;
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
	return c->nr_rings;
}

int bpf_capture_cpu(const struct bpf_capture *c, unsigned int i)
{
	return c->rings[i].cpu;
}

bool bpf_capture_addresses_pages(const struct bpf_capture *c)
{
	return !c->facts.has_vmemmap;
}

struct drain {
	struct bpf_capture *capture;
	int cpu;
	bpf_event_fn fn;
	void *ctx;
};

static int take_record(void *ctx, const void *record, size_t size)
{
	const struct drain *d = ctx;
	const struct bpf_event *e = record;
	const uint64_t *tail;
	struct bpf_extra extra = {0};

	(void)size;
	tail = (const void *)((const uint8_t *)record + BPF_EVENT_HEAD + body_sizes[e->kind]);
	d->capture->delivered[e->kind]++;
	if (d->capture->cgroup_ids)
		extra.cgroup = *tail++;
	extra.frames = tail;
	extra.nr_frames = e->frames;
	return d->fn(d->ctx, d->cpu, e, &extra);
}

static void look_for_missed(struct bpf_capture *c)
{
	struct timespec t;
	uint64_t now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	if (now < c->look_ns)
		return;
	c->look_ns = now + MISSED_EVERY_NS;
	for (int kind = 0; kind < BPF_KINDS; kind++) {
		struct attached *a = &c->attached[kind];
		uint64_t missed = 0;

		if (!a->nested || a->nested_link || bpf_program_missed(a->program, &missed) ||
		    !missed)
			continue;
		log_debug("BPF: %s was skipped %llu times; attaching its second program",
			  bpf_program__name(a->program), (unsigned long long)missed);
		a->nested_link = attach_one(a->nested, NULL);
		if (!a->nested_link)
			a->nested = NULL; /* not again */
	}
}

int bpf_capture_drain(struct bpf_capture *c, unsigned int i, bpf_event_fn fn, void *ctx)
{
	struct drain d = {c, c->rings[i].cpu, fn, ctx};

	if (!i)
		look_for_missed(c);
	return bpf_ring_drain(&c->rings[i].ring, take_record, &d);
}

uint64_t bpf_capture_unread(const struct bpf_capture *c, unsigned int i)
{
	return bpf_ring_unread(&c->rings[i].ring);
}

uint64_t bpf_capture_ring_bytes(const struct bpf_capture *c)
{
	return c->ring_bytes;
}

int bpf_capture_counts(struct bpf_capture *c, struct bpf_counts ret_counts[BPF_KINDS],
		       struct error *err)
{
	struct bpf_counts counts[BPF_KINDS] = {0};
	uint64_t caught[BPF_KINDS] = {0};
	const uint32_t first = 0;
	int nr = libbpf_num_possible_cpus(), ret;
	_cleanup_free_ struct bpf_per_cpu *each = nr > 0 ? calloc((size_t)nr, sizeof(*each)) : NULL;

	if (!each)
		return error_nomem(err);
	ret = bpf_map_lookup_elem(bpf_map__fd(c->skel->maps.per_cpu), &first, each);
	for (int kind = 0; kind < BPF_KINDS && !ret; kind++) {
		counts[kind].delivered = c->delivered[kind];
		for (int i = 0; i < nr; i++) {
			counts[kind].lost_full += each[i].lost[kind];
			caught[kind] += each[i].caught[kind];
		}
		if (c->attached[kind].program)
			ret = bpf_program_missed(c->attached[kind].program,
						 &counts[kind].lost_missed);
		/* it may have caught one more since */
		counts[kind].lost_missed -= caught[kind] < counts[kind].lost_missed
						    ? caught[kind]
						    : counts[kind].lost_missed;
	}
	if (ret)
		return error_set_errno(err, -ret, "cannot read the BPF programs' counts");
	memcpy(ret_counts, counts, sizeof(counts));
	return 0;
}

const struct bpf_cache *bpf_capture_cache(struct bpf_capture *c, const struct bpf_event *event)
{
	switch (event->kind) {
	case BPF_CACHE_ALLOC:
	case BPF_CACHE_ALLOC_NODE:
		return bpf_facts_cache(&c->facts, event->cache_alloc.cache, false);
	case BPF_CACHE_FREE:
		return bpf_facts_cache(&c->facts, event->cache_free.cache, c->facts.free_has_name);
	default:
		return NULL;
	}
}

#endif
