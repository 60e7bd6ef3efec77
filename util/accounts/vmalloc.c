// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --vmalloc: areas of vmalloc space: memory of vmalloc(), kernel stacks, code, ioremap, vmap.
 *
 * A free is lazy: the area returns to the free space when it is purged, with many others. It is
 * live until its free; areas that wait to be purged are a figure apart.
 */
#include "util/accounts/range.h"

#include "util/leak/leak_survey.h"

enum { UNPURGED, UNPURGED_MAX, PURGES, PURGED, FIGURES };

/* The number of unpurged pages is that of the latest free. */
static const struct range_figure figures[] = {
	[UNPURGED] = {"bytes_unpurged", "Bytes freed, not purged", true},
	[UNPURGED_MAX] = {"bytes_unpurged_max", "Most bytes not purged", true},
	[PURGES] = {"purges", "Purges", false},
	[PURGED] = {"areas_purged", "Areas purged", false},
};

static void count(uint64_t v[RANGE_FIGURES_MAX], const struct kmem_event *ev)
{
	if (ev->kind == KMEM_VMALLOC_PURGE) {
		v[PURGES]++;
		v[PURGED] += ev->bytes_alloc;
		v[UNPURGED] = 0;
	} else if (ev->kind == KMEM_VMALLOC_FREE) {
		v[UNPURGED] = ev->bytes_alloc;
		if (v[UNPURGED] > v[UNPURGED_MAX])
			v[UNPURGED_MAX] = v[UNPURGED];
	}
}

static const struct range_kind kind = {
	.account = ACCOUNT_vmalloc,
	.summary_title = "SUMMARY (vmalloc)",
	.pingpong_title = "PING-PONG (vmalloc)",
	.size_note = "Bytes are address space, with each area's guard page, as in "
		     "/proc/vmallocinfo.",
	.summary_by = KEY_USE,
	.figures = figures,
	.nr_figures = FIGURES,
	.count = count,
};

static int init(void *state, const struct account_setup *setup)
{
	return range_init(state, &kind, setup);
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
	.objects = "allocations of vmalloc areas",
	.title = "Vmalloc",
	.alloc = KMEM_VMALLOC_ALLOC,
	.free = KMEM_VMALLOC_FREE,
	.caller = {{{KEY_CALLSITE, KEY_USE}, 2}, "bytes,hit"},
	.alloc_table = {{{KEY_PTR, KEY_USE}, 2}, "bytes,hit"},
	.pictures = {{{KEY_CALLSITE, KEY_USE}, 2}, "bytes,hit"},
	.overview =
		{
			{{{KEY_CALLSITE}, 1}, "bytes,hit", "Call sites"},
			{{{KEY_COMM}, 1}, "bytes,hit", "Commands"},
		},
	.leak = &leak,
	RANGE_ALLOCATOR,
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
	.init = init,
	RANGE_ACCOUNT,
};
