// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --vmalloc: areas of vmalloc space: memory of vmalloc(), kernel stacks, code, ioremap, vmap.
 *
 * A free is lazy: the area returns to the free space when it is purged, with many others. It is
 * live until its free; areas that wait to be purged are a figure apart.
 */
#include "util/accounts/range.h"

#include "util/leak/leak_survey.h"

struct vmalloc {
	struct range_accounts ranges; /* first member: its functions take the state */
	uint32_t page_size;
	uint64_t lazy_pages, lazy_pages_max; /* by the latest free */
	uint64_t purges, areas_purged;
};

static const struct range_kind kind = {
	.account = ACCOUNT_vmalloc,
	.summary_title = "SUMMARY (vmalloc)",
	.pingpong_title = "PING-PONG (vmalloc)",
	.size_note = "Bytes are address space, with each area's guard page, as in "
		     "/proc/vmallocinfo.",
	.summary_by = KEY_USE,
};

static int init(void *state, const struct account_setup *setup)
{
	struct vmalloc *v = state;

	v->page_size = setup->page_size;
	return range_init(&v->ranges, &kind, setup);
}

static int take_event(void *state, const struct kmem_event *ev)
{
	struct vmalloc *v = state;

	if (ev->kind == KMEM_VMALLOC_PURGE) {
		v->purges += ev->in_window;
		v->areas_purged += ev->in_window ? ev->bytes_alloc : 0;
		v->lazy_pages = 0;
		return 0;
	}
	if (ev->kind == KMEM_VMALLOC_FREE && ev->in_window) {
		v->lazy_pages = ev->bytes_alloc;
		if (v->lazy_pages > v->lazy_pages_max)
			v->lazy_pages_max = v->lazy_pages;
	}
	return range_take(&v->ranges, ev);
}

static int take(void *state, const struct account_events *events, uint32_t kinds)
{
	return account_take_each(state, events, kinds,
				 (struct account_take){.take = take_event, .also = TAKES_ALL});
}

static void build(const void *state, const struct report_context *c, struct document_section *in)
{
	const struct vmalloc *v = state;
	const struct range_figure figures[] = {
		{"bytes_unpurged", "Bytes freed, not purged", v->lazy_pages * v->page_size, true},
		{"bytes_unpurged_max", "Most bytes not purged", v->lazy_pages_max * v->page_size,
		 true},
		{"purges", "Purges", v->purges, false},
		{"areas_purged", "Areas purged", v->areas_purged, false},
	};

	range_build(&v->ranges, c, in, figures, sizeof(figures) / sizeof(figures[0]));
}

static const struct leak_allocator leak = {
	.by = {{KEY_CALLSITE, KEY_USE}, .nr_by = 2},
	.sites = {{KEY_CALLSITE, KEY_USE}, .nr_by = 2},
	.object = "area",
	.titles = {[LEAK_PROCESS] = "Areas of processes that still run"},
	.untraced_heading = "Frees not traced (vmalloc)",
	.nr_untraced_keys = 2,
};

static const struct allocator_ops allocator = {
	.bit = ALLOCATOR_VMALLOC,
	.common_offset = offsetof(struct vmalloc, ranges.common),
	.objects = "allocations of vmalloc areas",
	.title = "Vmalloc",
	.alloc = KMEM_VMALLOC_ALLOC,
	.free = KMEM_VMALLOC_FREE,
	.caller = {{{KEY_CALLSITE, KEY_USE}, 2}, "bytes,hit"},
	.alloc_table = {{{KEY_PTR, KEY_USE}, 2}, "bytes,hit"},
	.pictures = {{{KEY_CALLSITE, KEY_USE}, 2}, "bytes,hit"},
	.leak = &leak,
	.totals = range_totals,
	.for_each_live = range_for_each_live,
};

static const struct account_record recorded[] = {
	{"vmalloc:alloc_vmap_area", true, true},
	{"vmalloc:free_vmap_area_noflush", false, false},
	{"vmalloc:purge_vmap_area_lazy", false, false},
};

const struct account_ops account_vmalloc = {
	.id = "vmalloc",
	.what = "vmalloc",
	.stat_help = "areas of vmalloc space: vmalloc, kernel stacks, modules, BPF, ioremap",
	.record_help = "vmalloc events, with the kernel's callchains",
	.allocator = &allocator,
	.kinds = KIND_BIT(KMEM_VMALLOC_ALLOC) | KIND_BIT(KMEM_VMALLOC_FREE) |
		 KIND_BIT(KMEM_VMALLOC_PURGE),
	.sufficient = KIND_BIT(KMEM_VMALLOC_ALLOC) | KIND_BIT(KMEM_VMALLOC_FREE),
	.completed = KIND_BIT(KMEM_VMALLOC_ALLOC),
	.recorded = recorded,
	.nr_recorded = sizeof(recorded) / sizeof(recorded[0]),
	.size = sizeof(struct vmalloc),
	.init = init,
	.bind = range_bind,
	.keys = range_keys,
	.take = take,
	.add_row = range_add_row,
	.tick = range_tick,
	.finish = range_finish,
	.deinit = range_deinit,
	.build = build,
};
