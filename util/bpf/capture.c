// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bpf/capture.h"

#include <errno.h>
#include <stdlib.h>

#ifdef HAVE_LIBBPF

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/bpf/caches.h"
#include "util/bpf/calibrate.h"
#include "util/bpf/libbpf_log.h"
#include "util/bpf/nested.h"
#include "util/bpf/programs.h"
#include "util/bpf/ring.h"
#include "util/bpf/tasks.h"
#include "util/bpf/kmem.skel.h"

#define ONLINE_CPUS	"/sys/devices/system/cpu/online"
#define RING_BYTES_MAX	(64u << 20)
#define MEMORY_PART	32 /* of which all rings together take one by default */
#define TASKS_MAX	(1u << 22)
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
	struct btf *btf;
	struct cpu_ring *rings;
	unsigned int nr_rings;
	uint64_t ring_bytes;
	struct attached attached[BPF_KINDS];
	uint64_t delivered[BPF_KINDS];
	uint64_t look_ns;	    /* when to look next whether something was missed */
	struct bpf_link *free_link; /* of task_free */
	bool cgroup_ids;
	bool follows_tasks;
	bool free_has_name; /* BPF_CACHE_FREE has that instead of the cache */
	struct bpf_caches caches;
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
	r->filter_tasks = c->follows_tasks;
	r->filter_cgroup = o->cgroup_fd >= 0;
	r->cgroup_ids = o->cgroup_ids;
	r->gfp_account = bpf_program_gfp_account(c->btf);
	r->slab_account = bpf_program_slab_account(c->btf);
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
	struct bpf_program *program;

	bpf_object__for_each_program(program, c->skel->obj)
		bpf_program__set_autoload(program, false);
	for (int kind = 0; kind < BPF_KINDS; kind++) {
		const char *name =
			kinds & 1u << kind ? bpf_program_for(c->btf, (enum bpf_kind)kind) : NULL;

		if (!name)
			continue;
		c->attached[kind].program = load_program(c, name, false);
		c->attached[kind].nested = load_program(c, name, true);
	}
	bpf_program__set_autoload(c->skel->progs.read_cache, true);
	bpf_program__set_autoload(c->skel->progs.find_active, true);
	bpf_program__set_autoload(c->skel->progs.calibrate, true);
	bpf_program__set_autoload(c->skel->progs.task_free, c->follows_tasks);
}

static int size_maps(struct bpf_capture *c)
{
	int nr = libbpf_num_possible_cpus();
	int ret = nr < 0 ? nr : bpf_map__set_max_entries(c->skel->maps.rings, (uint32_t)nr);

	if (!ret)
		ret = bpf_map__set_inner_map_fd(c->skel->maps.rings, c->rings[0].ring.fd);
	if (!ret && c->follows_tasks)
		ret = bpf_map__set_max_entries(c->skel->maps.tasks, TASKS_MAX);
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
static int calibrate(struct bpf_capture *c, uint32_t kinds, struct error *err)
{
	const uint32_t with_pfn = 1u << BPF_PAGE_ALLOC | 1u << BPF_PAGE_FREE |
				  1u << BPF_PAGE_FREE_BATCHED | 1u << BPF_ZONE_LOCKED |
				  1u << BPF_PCPU_DRAIN;
	int id = btf__find_by_name_kind(c->btf, "page", BTF_KIND_STRUCT);
	const struct btf_type *page = id > 0 ? btf__type_by_id(c->btf, (uint32_t)id) : NULL;
	struct bpf_program *programs[BPF_KINDS];
	struct kmem_bpf__bss *bss = c->skel->bss;
	struct bpf_calibrated calibrated;
	int ret;

	if (!page || !page->size)
		return error_set(err, ENOTSUP, "the kernel does not describe its 'struct page'");
	ret = bpf_calibrate(c->skel, page->size, kinds & with_pfn, &calibrated, err);
	if (ret)
		return ret;
	bss->own_stack_bytes = calibrated.own_stack_bytes;
	bss->skip_frames = calibrated.skip_frames;
	bss->vmemmap = calibrated.vmemmap;
	bss->page_struct_bytes = page->size;
	if (!(page->size & (page->size - 1)))
		bss->page_struct_shift = (uint32_t)__builtin_ctz(page->size);
	log_debug("BPF: struct page from %#llx, kernel stacks of %llu bytes, %u frames skipped",
		  (unsigned long long)bss->vmemmap, (unsigned long long)bss->own_stack_bytes,
		  bss->skip_frames);
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

/* Those that follow tasks come first, then the tasks, then what depends on them. */
static int attach(struct bpf_capture *c, const struct bpf_capture_options *o, struct error *err)
{
	int tasks = bpf_map__fd(c->skel->maps.tasks), ret = 0;

	for (int kind = BPF_KINDS - 1; kind >= 0; kind--) {
		struct attached *a = &c->attached[kind];

		if (a->program && !(a->link = attach_one(a->program, err)))
			return -err->code;
		if (a->nested && 1u << kind & freed_by_interrupts &&
		    !(a->nested_link = attach_one(a->nested, err)))
			return -err->code;
	}
	if (c->follows_tasks && !(c->free_link = attach_one(c->skel->progs.task_free, err)))
		return -err->code;
	for (size_t i = 0; i < o->nr_pids && !ret; i++)
		ret = bpf_tasks_add_process(tasks, o->pids[i], err);
	for (size_t i = 0; i < o->nr_tids && !ret; i++)
		ret = bpf_tasks_add(tasks, o->tids[i], err);
	return ret;
}

static int set_cgroup(struct bpf_capture *c, const struct bpf_capture_options *o)
{
	const uint32_t first = 0;

	return o->cgroup_fd < 0 ? 0
				: bpf_map_update_elem(bpf_map__fd(c->skel->maps.cgroups), &first,
						      &o->cgroup_fd, BPF_ANY);
}

/* The running kernel's types are read twice, by us and by libbpf: 20 ms in all. */
static int load(struct bpf_capture *c, const struct bpf_capture_options *o, struct error *err)
{
	uint32_t kinds = o->kinds | (c->follows_tasks ? 1u << BPF_TASK_NEW : 0);
	struct error nowhere = ERROR_INIT;
	int ret;

	if (!err)
		err = &nowhere;
	c->btf = btf__load_vmlinux_btf();
	if (!c->btf)
		return error_set_errno(err, errno, "cannot read the kernel's types");
	c->skel = kmem_bpf__open();
	if (!c->skel)
		return error_set_errno(err, errno, "cannot open the BPF programs");
	ret = make_rings(c, o, err);
	if (ret)
		return ret;
	c->free_has_name = bpf_program_free_has_name(c->btf);
	set_constants(c, o);
	choose_programs(c, kinds);
	ret = size_maps(c);
	if (!ret)
		ret = kmem_bpf__load(c->skel);
	if (!ret)
		ret = fill_rings(c);
	if (!ret)
		ret = set_cgroup(c, o);
	if (ret)
		return error_set_errno(err, -ret, "cannot load the BPF programs (-vv says more)");
	ret = calibrate(c, kinds, err);
	return ret ? ret : attach(c, o, err);
}

int bpf_capture_open(struct bpf_capture **ret_capture, const struct bpf_capture_options *o,
		     struct error *err)
{
	struct bpf_capture *c;
	int ret = bpf_capture_probe(err);

	if (ret)
		return ret;
	c = calloc(1, sizeof(*c));
	if (!c)
		return error_nomem(err);
	bpf_caches_init(&c->caches);
	c->follows_tasks = o->nr_pids || o->nr_tids;
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
	bpf_link__destroy(c->free_link);
	if (c->skel)
		kmem_bpf__destroy(c->skel);
	for (unsigned int i = 0; i < c->nr_rings; i++)
		bpf_ring_deinit(&c->rings[i].ring);
	free(c->rings);
	bpf_caches_deinit(&c->caches);
	btf__free(c->btf);
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
	__atomic_store_n(&c->skel->bss->enabled, true, __ATOMIC_SEQ_CST);
	return 0;
}

int bpf_capture_disable(struct bpf_capture *c)
{
	const struct timespec pause = {.tv_nsec = 50000000};

	__atomic_store_n(&c->skel->bss->enabled, false, __ATOMIC_SEQ_CST);
	/* programs run in RCU read-side sections; not there with nohz_full */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		nanosleep(&pause, NULL);
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

static int missed_by(const struct bpf_program *program, uint64_t *ret_missed)
{
	struct bpf_prog_info info = {0};
	uint32_t size = sizeof(info);
	int ret = bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size);

	if (!ret)
		*ret_missed = info.recursion_misses;
	return ret;
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

		if (!a->nested || a->nested_link || missed_by(a->program, &missed) || !missed)
			continue;
		log_debug("BPF: '%s' was skipped %llu times; attaching its second program",
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
			ret = missed_by(c->attached[kind].program, &counts[kind].lost_missed);
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

/* ---- caches ---------------------------------------------------------------------------------- */

struct cache_reader {
	struct bpf_capture *capture;
	bool is_name;
};

static bool read_cache(void *ctx, uint64_t address, struct bpf_cache *ret_cache)
{
	const struct cache_reader *r = ctx;
	struct kmem_bpf *skel = r->capture->skel;
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	skel->bss->cache_query.address = address;
	skel->bss->cache_query.is_name = r->is_name;
	if (bpf_prog_test_run_opts(bpf_program__fd(skel->progs.read_cache), &opts))
		return false;
	*ret_cache = (struct bpf_cache){
		.name = skel->bss->cache_query.name,
		.object_size = skel->bss->cache_query.object_size,
		.size = skel->bss->cache_query.size,
		.accounted = skel->bss->cache_query.flags & skel->rodata->slab_account,
	};
	return true;
}

const struct bpf_cache *bpf_capture_cache(struct bpf_capture *c, const struct bpf_event *event)
{
	struct cache_reader reader = {c};
	uint64_t address = 0;

	if (event->kind == BPF_CACHE_ALLOC || event->kind == BPF_CACHE_ALLOC_NODE) {
		address = event->cache_alloc.cache;
	} else if (event->kind == BPF_CACHE_FREE) {
		address = event->cache_free.cache;
		reader.is_name = c->free_has_name;
	}
	return address ? bpf_caches_find(&c->caches, address, read_cache, &reader) : NULL;
}

#endif
