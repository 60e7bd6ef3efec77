// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/decode/callsite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/pattern.h"
#include "util/machine/callchain.h"

/*
 * Functions that never count as a call site.  Names are compared without compiler suffixes
 * (.isra.0, .part.0, .constprop.0, .cold, .llvm.N).
 */
static const char *const builtin_skip[] = {
	/* the stock tool's rule of 2015 ("perf kmem: Implement stat --page --caller"), extended by
	 * newer kernels' names for the same functions */
	"^_{0,3}((alloc|get_free|get_zeroed)(_frozen)?_pages?|folio_alloc|vma_alloc_folio)",
	/* the tracepoint itself, if the unwinder starts inside it (arm64) */
	"^_{0,3}(traceiter_|perf_trace_|trace_event_raw_event_|perf_tp_event)",
	/* between the allocator and page_owner, which records from further inside */
	"^_{0,3}(set_page_owner|post_alloc_hook|prep_new_page|get_page_from_freelist)(_|$)",
};

/* Frames above mm_page_free and mm_page_alloc_extfrag that do not originate a request. */
static const char *const inside_skip[] = {
	/* __free_frozen_pages, free_unref_folios, free_hot_cold_page_list, free_pages_ok ... */
	"^_{0,3}free_((unref|frozen|hot_cold|compound|transhuge|contig|swap|pages?_and_swap)_)?"
	"(pages?|folios?|range|cache)(_|$)",
	/* dropping references: of one page, or of many at once */
	"^_{0,3}(put_pages?|put_single_page|put_compound_page|folios?_put|release_pages|"
	"(pagevec|folio_batch)_release|destroy_(large|compound)_)",
	/* batches of unmapping; the function that unmapped is above */
	"^_{0,3}tlb_(batch_|flush_mmu|finish_mmu|remove_page)",
	/* taking pages from the buddy allocator */
	"^_{0,3}(rmqueue|get_page_from_freelist|try_to_(steal|claim)|steal_suitable)",
};

/* Frames between an event of waiting for memory and the request that waits. */
static const char *const waiting_skip[] = {
	/* reclaim */
	"^_{0,3}(do_)?try_to_free_(pages|mem_cgroup_pages)(_|$)",
	"^_{0,3}(perform_reclaim|node_reclaim|reclaim_high|should_reclaim_retry)(_|$)",
	"^_{0,3}get_page_from_freelist(_|$)",
	/* compaction */
	"^_{0,3}(compact_zone|compact_zone_order|try_to_compact_pages)(_|$)",
	/* charging */
	"^_{0,3}(try_charge|charge_memcg|mem_cgroup_(try_)?charge|mem_cgroup_swapin_charge)(_|$)",
	"^_{0,3}(obj_cgroup_charge|memcg_kmem_charge|memcg_slab_post_alloc_hook|"
	"memcg_charge|cgroup_charge)(_|$)",
	/* the OOM killer */
	"^_{0,3}(out_of_memory|mem_cgroup_out_of_memory|mem_cgroup_oom|oom_kill_process|"
	"mark_oom_victim|pagefault_out_of_memory)(_|$)",
	/* the slab allocator, up to the function that wants an object; kmalloc_reserve wants one */
	"^_{0,3}(alloc_slab_page|allocate_slab|new_slab|slab_alloc|alloc_from_new_slab|"
	"refill_objects|refill_sheaf|alloc_(full|empty)_sheaf|alloc_from_pcs|pcs_replace_empty|"
	"kmem_cache_alloc|kmem_getpages|cache_grow|cache_alloc_refill|slab_post_alloc_hook)(_|$)",
	"^_{0,3}(do_)?kv?(m|re|c)alloc(_large)?(_node)?(_track_caller)?(_noprof)?$",
};

/* Functions in which a slab allocator calls the page allocator, and functions that the compiler may
 * inline them into: mm/slub.c; mm/slab.c before 6.8; mm/slob.c before 6.4. */
static const char *const slab_functions[] = {
	"alloc_slab_page",
	"allocate_slab",
	"new_slab",
	"new_slab_objects",
	"__slab_alloc",
	"___slab_alloc",
	"alloc_from_new_slab",
	"refill_objects",
	"__refill_objects",
	"early_kmem_cache_node_alloc",
	"kmem_getpages",
	"cache_grow",
	"cache_grow_begin",
	"cache_alloc_refill",
	"slob_new_pages",
	"slob_alloc",
};

#define NR_SLAB_FUNCTIONS (sizeof(slab_functions) / sizeof(slab_functions[0]))

enum frame_class { FRAME_NEW, FRAME_SITE, FRAME_SLAB, FRAME_PLUMBING, FRAME_JUNK };

struct class_row {
	uint64_t address;
	uint16_t class, use;
};

int callsite_finder_init(struct callsite_finder *f, const struct symbols *symbols,
			 struct error *err)
{
	*f = (struct callsite_finder){.symbols = symbols};
	table_init(&f->classes, sizeof(struct class_row), sizeof(uint64_t));
	for (size_t i = 0; i < sizeof(builtin_skip) / sizeof(builtin_skip[0]); i++) {
		int ret = callsite_finder_skip(f, builtin_skip[i], err);

		if (ret) {
			callsite_finder_deinit(f);
			return ret;
		}
	}
	return 0;
}

void callsite_finder_deinit(struct callsite_finder *f)
{
	for (size_t i = 0; i < f->nr_rules; i++)
		regfree(&f->rules[i]);
	free(f->rules);
	area_functions_deinit(&f->areas);
	table_deinit(&f->classes);
	f->rules = NULL;
	f->nr_rules = 0;
}

int callsite_finder_skip(struct callsite_finder *f, const char *regex, struct error *err)
{
	regex_t *v = reallocarray(f->rules, f->nr_rules + 1, sizeof(*v));
	int ret;

	if (!v)
		return error_nomem(err);
	f->rules = v;
	ret = pattern_compile(&v[f->nr_rules], regex, err);
	if (ret)
		return ret;
	for (size_t i = 0; i < NR_SLAB_FUNCTIONS; i++)
		f->through_slab |= !regexec(&v[f->nr_rules], slab_functions[i], 0, NULL, 0);
	f->nr_rules++;
	return 0;
}

int callsite_finder_skip_inside(struct callsite_finder *f, struct error *err)
{
	int ret = 0;

	f->through_slab = true;
	for (size_t i = 0; !ret && i < sizeof(inside_skip) / sizeof(inside_skip[0]); i++)
		ret = callsite_finder_skip(f, inside_skip[i], err);
	return ret;
}

int callsite_finder_skip_waiting(struct callsite_finder *f, struct error *err)
{
	int ret = callsite_finder_skip_inside(f, err);

	for (size_t i = 0; !ret && i < sizeof(waiting_skip) / sizeof(waiting_skip[0]); i++)
		ret = callsite_finder_skip(f, waiting_skip[i], err);
	return ret;
}

int callsite_finder_skip_vmalloc(struct callsite_finder *f, struct error *err)
{
	f->through_slab = true;
	return area_functions_init(&f->areas, err);
}

#define BARE_NAME_MAX 256

/* The name without compiler suffixes. A name that starts with a dot, or is longer than the former
 * KSYM_NAME_LEN, is not changed. */
static const char *bare_name(const char *name, char buf[BARE_NAME_MAX])
{
	size_t len = strcspn(name, ".");

	if (!len || len >= BARE_NAME_MAX)
		return name;
	memcpy(buf, name, len);
	buf[len] = '\0';
	return buf;
}

static bool is_slab_function(const char *name)
{
	char buf[BARE_NAME_MAX];

	name = bare_name(name, buf);
	for (size_t i = 0; i < NR_SLAB_FUNCTIONS; i++)
		if (!strcmp(name, slab_functions[i]))
			return true;
	return false;
}

/* Whether a function of this name is skipped, and what it shows an area to be for. */
static bool is_skipped(const struct callsite_finder *f, const char *name, uint16_t *ret_use)
{
	char buf[BARE_NAME_MAX];
	bool skipped;

	*ret_use = (uint16_t)area_functions_find(&f->areas, name, strlen(name), &skipped);
	name = bare_name(name, buf);
	for (size_t i = 0; !skipped && i < f->nr_rules; i++)
		skipped = !regexec(&f->rules[i], name, 0, NULL, 0);
	return skipped;
}

bool callsite_is_plumbing(const struct callsite_finder *f, const char *name)
{
	uint16_t use;

	return is_skipped(f, name, &use);
}

static enum frame_class classify(const struct callsite_finder *f, uint64_t address,
				 uint16_t *ret_use)
{
	const struct symbol *sym;

	if (!address || address == CALLSITE_SLAB_PAGES)
		return FRAME_JUNK;
	if (!symbols_any(f->symbols))
		return FRAME_SITE;
	sym = symbols_find(f->symbols, address);
	if (!sym)
		return symbols_module(f->symbols, NULL, address) ? FRAME_SITE : FRAME_JUNK;
	if (is_skipped(f, sym->name, ret_use))
		return FRAME_PLUMBING;
	return !f->through_slab && is_slab_function(sym->name) ? FRAME_SLAB : FRAME_SITE;
}

static struct recent_frame known_frame(struct callsite_finder *f, uint64_t address)
{
	struct class_row *row = table_insert(&f->classes, &address), own = {address, FRAME_NEW, 0};

	if (!row)
		row = &own;
	if (row->class == FRAME_NEW)
		row->class = (uint16_t)classify(f, address, &row->use);
	return (struct recent_frame){address, row->class, row->use};
}

static inline const struct recent_frame *find_frame(struct callsite_finder *f, uint64_t address)
{
	struct recent_frame *recent = &f->recent[address % CALLSITE_RECENT];

	if (recent->address != address || !address)
		*recent = known_frame(f, address);
	return recent;
}

static inline enum frame_class frame_class(struct callsite_finder *f, uint64_t address)
{
	return find_frame(f, address)->class;
}

/* The identity of a frame's address at the time of the sample. */
static inline uint64_t identity(const struct callsite_finder *f, const struct sample *sample,
				uint64_t address)
{
	return symbols_identity(f->symbols, address, sample->time_ns);
}

static struct callchain chain_of(const struct sample *sample)
{
	return callchain_make(sample->callchain, sample->nr_callchain, sample->swap);
}

/* Whether no other context than one of user space begins at entry i or later. */
static inline bool has_only_user_frames(const uint8_t *chain, uint64_t nr, uint64_t i)
{
	bool is_user = false;

	for (; i < nr; i++) {
		uint64_t ip = load_u64(chain + i * 8, false);

		if (__builtin_expect(ip < (uint64_t)PERF_CONTEXT_MAX, true))
			continue;
		if (is_user || ip != (uint64_t)PERF_CONTEXT_USER)
			return false;
		is_user = true;
	}
	return true;
}

/*
 * The call site of a callchain that has frames of the kernel and then perhaps of user space, as
 * most have. Returns false if it may have others, or no call site.
 */
static inline bool find_among_kernel_frames(struct callsite_finder *f, const struct sample *sample,
					    uint64_t *ret_site)
{
	const uint64_t nr = sample->nr_callchain;
	const uint8_t *chain = sample->callchain;
	uint64_t site = CALLSITE_UNKNOWN, i = 1;

	if (!nr || sample->swap || f->symbols->has_lives ||
	    load_u64(chain, false) != (uint64_t)PERF_CONTEXT_KERNEL)
		return false;
	for (; i < nr && !site; i++) {
		uint64_t ip = load_u64(chain + i * 8, false);
		enum frame_class class;

		if (ip >= (uint64_t)PERF_CONTEXT_MAX)
			return false;
		class = frame_class(f, ip);
		if (class == FRAME_SITE || class == FRAME_SLAB)
			site = class == FRAME_SITE ? ip : CALLSITE_SLAB_PAGES;
	}
	*ret_site = site;
	return site && has_only_user_frames(chain, nr, i);
}

uint64_t callsite_find(struct callsite_finder *f, const struct sample *sample)
{
	struct callchain c = chain_of(sample);
	uint64_t site, ip;

	if (find_among_kernel_frames(f, sample, &site))
		return site;
	site = CALLSITE_UNKNOWN;
	while (!site && !c.broken && callchain_next(&c, &ip)) {
		enum frame_class class;

		ip = identity(f, sample, ip);
		class = c.context == CONTEXT_KERNEL ? frame_class(f, ip) : FRAME_JUNK;
		if (class == FRAME_SITE || class == FRAME_SLAB)
			site = class == FRAME_SITE ? ip : CALLSITE_SLAB_PAGES;
	}
	return callchain_is_sound(&c) ? site : CALLSITE_UNKNOWN;
}

uint64_t callsite_find_area(struct callsite_finder *f, const struct sample *sample,
			    enum area_use *ret_use)
{
	struct callchain c = chain_of(sample);
	uint64_t site = CALLSITE_UNKNOWN, ip;
	enum area_use use = AREA_OTHER;

	while (!site && !c.broken && callchain_next(&c, &ip)) {
		const struct recent_frame *frame;

		ip = identity(f, sample, ip);
		if (c.context != CONTEXT_KERNEL)
			continue;
		frame = find_frame(f, ip);
		use = area_use_outside(use, (enum area_use)frame->use);
		if (frame->class == FRAME_SITE)
			site = ip;
	}
	if (!callchain_is_sound(&c))
		return CALLSITE_UNKNOWN;
	*ret_use = use;
	return site;
}

size_t callsite_stack(struct callsite_finder *f, const struct sample *sample, uint64_t callsite,
		      uint64_t *ret_frames, size_t max)
{
	struct callchain c = chain_of(sample);
	bool found = false;
	size_t nr = 0;
	uint64_t ip;

	while (nr < max && callchain_next(&c, &ip)) {
		if (c.context != CONTEXT_KERNEL)
			continue;
		ip = identity(f, sample, ip);
		found |= ip == callsite;
		if (found && frame_class(f, ip) != FRAME_JUNK)
			ret_frames[nr++] = ip;
	}
	return nr;
}

int callsite_skipped_functions(const struct callsite_finder *f, struct table *functions)
{
	for (uint32_t i = 0; i < f->classes.nr; i++) {
		const struct class_row *row = table_row(&f->classes, i);
		const struct symbol *sym;

		if (row->class != FRAME_PLUMBING)
			continue;
		sym = symbols_find(f->symbols, row->address);
		if (sym && !table_insert(functions, &sym->start))
			return -ENOMEM;
	}
	return 0;
}
