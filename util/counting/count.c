// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/counting/count.h"

#include <errno.h>
#include <stdlib.h>

#ifdef HAVE_LIBBPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/counting/count.skel.h"
#include "util/bpf/facts.h"
#include "util/bpf/libbpf.h"
#include "util/bpf/filter.h"
#include "util/bpf/programs.h"
#include "util/bpf/attached.h"

#define SLAB_KINDS                                                                                 \
	(BPF_BIT(BPF_KMALLOC) | BPF_BIT(BPF_KMALLOC_NODE) | BPF_BIT(BPF_CACHE_ALLOC) |             \
	 BPF_BIT(BPF_CACHE_ALLOC_NODE) | BPF_BIT(BPF_KFREE) | BPF_BIT(BPF_CACHE_FREE))

#define ROWS_MAX 65536

struct bpf_counting {
	struct count_bpf *skel;
	struct bpf_facts facts;
	struct bpf_filter filter;
	struct bpf_program *programs[BPF_KINDS];
	struct bpf_link *links[BPF_KINDS];
	int nr_cpus;	/* number of possible CPUs */
	uint64_t *lost; /* by CPU */
	uint32_t table_rows;
	enum bpf_kind tables[BPF_KINDS]; /* tables of each CPU: their kinds */
	uint32_t nr_tables;
	const struct bpf_count_row_memory *rows; /* by CPU, table, and slot */
	size_t rows_bytes;
};

static void choose_programs(struct bpf_counting *c, bpf_kinds_t kinds)
{
	struct bpf_program *program = NULL;

	while ((program = bpf_object__next_program(c->skel->obj, program)))
		bpf_program__set_autoload(program, false);
	for (int kind = 0; kind < BPF_KINDS; kind++) {
		const char *name =
			kinds & SLAB_KINDS & BPF_BIT(kind)
				? bpf_program_for(bpf_kernel_types(), (enum bpf_kind)kind)
				: NULL;

		program = name ? bpf_object__find_program_by_name(c->skel->obj, name) : NULL;
		if (!program)
			continue;
		bpf_program__set_autoload(program, true);
		c->programs[kind] = program;
		c->skel->rodata->table_of[kind] = (uint8_t)c->nr_tables;
		c->tables[c->nr_tables++] = (enum bpf_kind)kind;
	}
}

static int fill_cpus(struct bpf_counting *c, const struct cpulist *cpus)
{
	const uint32_t wanted = 1;
	int ret = 0;

	for (size_t i = 0; cpus && i < cpus->nr && !ret; i++)
		ret = bpf_map_update_elem(bpf_map__fd(c->skel->maps.cpus), &cpus->cpus[i], &wanted,
					  BPF_ANY);
	return ret;
}

static uint32_t nr_rows(const struct bpf_counting *c)
{
	uint32_t each = c->table_rows * (c->nr_tables ? c->nr_tables : 1);

	return (uint32_t)c->nr_cpus * each;
}

static int load(struct bpf_counting *c, const struct bpf_capture_options *o, uint32_t max_rows,
		struct error *err)
{
	struct count_bpf__rodata *r;
	void *rows;
	int ret;

	c->skel = count_bpf__open();
	if (!c->skel)
		return error_set_errno(err, errno, "cannot open the BPF programs");
	r = c->skel->rodata;
	r->own_tgid = o->with_self ? 0 : (uint32_t)getpid();
	r->filter_tasks = bpf_filter_has_tasks(o);
	r->filter_cgroup = o->cgroup_fd >= 0;
	r->filter_cpus = o->cpus && o->cpus->nr;
	r->has_cast = c->facts.has_cast;
	choose_programs(c, o->kinds);
	for (c->table_rows = 1; c->table_rows < max_rows && c->table_rows < ROWS_MAX;)
		c->table_rows *= 2;
	r->table_rows = c->table_rows;
	r->tables = c->nr_tables;
	ret = bpf_filter_prepare(c->skel->obj, o);
	if (!ret)
		ret = bpf_map__set_max_entries(c->skel->maps.rows, nr_rows(c));
	if (!ret)
		ret = bpf_map__set_max_entries(c->skel->maps.cpus, (uint32_t)c->nr_cpus);
	bpf_facts_skip_modules(&c->facts, c->skel->obj);
	if (!ret)
		ret = count_bpf__load(c->skel);
	if (!ret)
		ret = fill_cpus(c, o->cpus);
	if (ret)
		return bpf_load_error(ret, err);
	c->rows_bytes = nr_rows(c) * sizeof(*c->rows);
	rows = mmap(NULL, c->rows_bytes, PROT_READ, MAP_SHARED, bpf_map__fd(c->skel->maps.rows), 0);
	if (rows == MAP_FAILED)
		return error_set_errno(err, errno, "cannot map the BPF counts");
	c->rows = rows;
	c->skel->bss->own_stack_bytes = c->facts.own_stack_bytes;
	c->skel->bss->preempt_count_distance = c->facts.preempt_count_distance;
	ret = bpf_filter_fill(&c->filter, c->skel->obj, o, err);
	for (int kind = 0; kind < BPF_KINDS && !ret; kind++) {
		if (!c->programs[kind])
			continue;
		c->links[kind] = bpf_program__attach(c->programs[kind]);
		if (!c->links[kind])
			ret = error_set_errno(err, errno, "cannot attach the BPF program '%s'",
					      bpf_program__name(c->programs[kind]));
	}
	return ret;
}

int bpf_counting_open(struct bpf_counting **ret_counting, const struct bpf_capture_options *o,
		      uint32_t max_rows, struct error *err)
{
	struct bpf_counting *c;
	int ret = bpf_capture_probe(err);

	if (ret)
		return ret;
	c = calloc(1, sizeof(*c));
	if (!c)
		return error_nomem(err);
	c->nr_cpus = libbpf_num_possible_cpus();
	c->lost = c->nr_cpus > 0 ? calloc((size_t)c->nr_cpus, sizeof(*c->lost)) : NULL;
	ret = c->lost ? bpf_facts_init(&c->facts, BPF_FACTS_UNWATCHED, err) : error_nomem(err);
	if (!ret)
		ret = load(c, o, max_rows ? max_rows : BPF_COUNT_ROWS, err);
	bpf_kernel_types_forget();
	if (ret)
		bpf_counting_free(c);
	else
		*ret_counting = c;
	return ret;
}

void bpf_counting_free(struct bpf_counting *c)
{
	if (!c)
		return;
	for (int kind = 0; kind < BPF_KINDS; kind++)
		bpf_link__destroy(c->links[kind]);
	bpf_filter_deinit(&c->filter);
	if (c->rows)
		munmap((void *)(uintptr_t)c->rows, c->rows_bytes);
	if (c->skel)
		count_bpf__destroy(c->skel);
	bpf_facts_deinit(&c->facts);
	free(c->lost);
	free(c);
}

int bpf_counting_enable(struct bpf_counting *c)
{
	bpf_switch_on(&c->skel->bss->enabled);
	return 0;
}

int bpf_counting_disable(struct bpf_counting *c)
{
	bpf_switch_off(&c->skel->bss->enabled);
	return 0;
}

int bpf_counting_read(struct bpf_counting *c, bpf_count_row_fn fn, void *ctx)
{
	int ret = 0;

	for (uint32_t i = 0; i < nr_rows(c) && ret >= 0; i++) {
		const struct bpf_count_row_memory *m = &c->rows[i];
		uint64_t hits = __atomic_load_n(&m->hits, __ATOMIC_ACQUIRE);
		struct bpf_count_row row = {
			.kind = c->tables[i / c->table_rows % c->nr_tables],
			.call_site = m->key.call_site,
			.object_bytes = m->key.object_bytes,
			.gfp = m->key.gfp,
			.hits = hits,
			.bytes_req = __atomic_load_n(&m->bytes_req, __ATOMIC_RELAXED),
			.bytes_alloc = hits * m->key.object_bytes,
		};

		if (!hits)
			continue;
		row.cache = bpf_facts_cache(&c->facts, m->key.cache,
					    row.kind == BPF_CACHE_FREE && c->facts.free_has_name);
		ret = fn(ctx, &row);
	}
	return ret < 0 ? ret : 0;
}

static int add_hits(void *ctx, const struct bpf_count_row *row)
{
	struct bpf_counts *counts = ctx;

	counts[row->kind].delivered += row->hits;
	return 0;
}

int bpf_counting_counts(struct bpf_counting *c, struct bpf_counts ret_counts[BPF_KINDS],
			struct error *err)
{
	struct bpf_counts counts[BPF_KINDS] = {0};
	int ret = bpf_counting_read(c, add_hits, counts);

	for (uint32_t kind = 0; kind < BPF_KINDS && !ret; kind++) {
		ret = bpf_map_lookup_elem(bpf_map__fd(c->skel->maps.uncounted), &kind, c->lost);
		for (int i = 0; i < c->nr_cpus && !ret; i++)
			counts[kind].lost_full += c->lost[i];
		if (!ret && c->programs[kind])
			ret = bpf_program_missed(c->programs[kind], &counts[kind].lost_missed);
	}
	if (ret)
		return error_set_errno(err, -ret, "cannot read the BPF programs' counts");
	memcpy(ret_counts, counts, sizeof(counts));
	return 0;
}

#else

int bpf_counting_open(struct bpf_counting **ret_counting, const struct bpf_capture_options *options,
		      uint32_t max_rows, struct error *err)
{
	(void)ret_counting;
	(void)options;
	(void)max_rows;
	return bpf_capture_probe(err);
}

void bpf_counting_free(struct bpf_counting *c)
{
	(void)c;
}

int bpf_counting_enable(struct bpf_counting *c)
{
	(void)c;
	return -ENOTSUP;
}

int bpf_counting_disable(struct bpf_counting *c)
{
	(void)c;
	return -ENOTSUP;
}

int bpf_counting_read(struct bpf_counting *c, bpf_count_row_fn fn, void *ctx)
{
	(void)c;
	(void)fn;
	(void)ctx;
	return -ENOTSUP;
}

int bpf_counting_counts(struct bpf_counting *c, struct bpf_counts ret_counts[BPF_KINDS],
			struct error *err)
{
	(void)c;
	(void)ret_counts;
	return error_set(err, ENOTSUP, "BPF is not built in");
}

#endif
