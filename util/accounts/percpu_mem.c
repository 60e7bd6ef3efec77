// SPDX-License-Identifier: GPL-2.0-or-later
/* --percpu-mem: memory of alloc_percpu(). (--percpu reports the per-CPU lists of free pages.) */
#include "util/accounts/range.h"

#include "util/leak/leak_survey.h"

enum { CREATED, DESTROYED, FIGURES };

static const struct range_figure figures[] = {
	[CREATED] = {"chunks_created", "Chunks created", false},
	[DESTROYED] = {"chunks_destroyed", "Chunks destroyed", false},
};

static void count(uint64_t v[RANGE_FIGURES_MAX], const struct kmem_event *ev)
{
	v[CREATED] += ev->kind == KMEM_PERCPU_CREATE;
	v[DESTROYED] += ev->kind == KMEM_PERCPU_DESTROY;
}

static const struct range_kind kind = {
	.account = ACCOUNT_percpu_mem,
	.summary_title = "SUMMARY (percpu memory)",
	.pingpong_title = "PING-PONG (percpu memory)",
	.size_note = "Bytes are those of all possible CPUs together.",
	.summary_by = KEY_NR,
	.figures = figures,
	.nr_figures = FIGURES,
	.count = count,
};

static int init(void *state, const struct account_setup *setup)
{
	return range_init(state, &kind, setup);
}

static const struct leak_allocator leak = {
	.by = {{KEY_CALLSITE}, .nr_by = 1},
	.sites = {{KEY_CALLSITE, KEY_SIZE}, .nr_by = 2},
	.object = "percpu object",
	.titles = {[LEAK_PROCESS] = "Percpu objects of processes that still run"},
	.untraced_heading = "Frees not traced (percpu)",
	.nr_untraced_keys = 2,
};

static const struct allocator_ops allocator = {
	.bit = ALLOCATOR_PERCPU,
	.objects = "allocations of percpu memory",
	.title = "Percpu",
	.alloc = KMEM_PERCPU_ALLOC,
	.free = KMEM_PERCPU_FREE,
	.caller = {{{KEY_CALLSITE}, 1}, "bytes,hit"},
	.alloc_table = {{{KEY_PTR}, 1}, "bytes,hit"},
	.pictures = {{{KEY_CALLSITE}, 1}, "bytes,hit"},
	.overview =
		{
			{{{KEY_CALLSITE}, 1}, "bytes,hit", "Call sites"},
			{{{KEY_COMM}, 1}, "bytes,hit", "Commands"},
		},
	.leak = &leak,
	RANGE_ALLOCATOR,
};

static const struct account_record recorded[] = {
	{"percpu:percpu_alloc_percpu", false, true},
	{"percpu:percpu_alloc_percpu_fail", false, false},
	{"percpu:percpu_free_percpu", false, false},
	{"percpu:percpu_create_chunk", false, false},
	{"percpu:percpu_destroy_chunk", false, false},
};

const struct account_ops account_percpu_mem = {
	.id = "percpu-mem",
	.what = "percpu memory",
	.stat_help = "memory of alloc_percpu(), on all possible CPUs",
	.record_help = "percpu memory events",
	.allocator = &allocator,
	.kinds = KIND_BIT(KMEM_PERCPU_ALLOC) | KIND_BIT(KMEM_PERCPU_FREE) |
		 KIND_BIT(KMEM_PERCPU_CREATE) | KIND_BIT(KMEM_PERCPU_DESTROY),
	.sufficient = KIND_BIT(KMEM_PERCPU_ALLOC) | KIND_BIT(KMEM_PERCPU_FREE),
	.completed = KIND_BIT(KMEM_PERCPU_ALLOC),
	.recorded = recorded,
	.nr_recorded = sizeof(recorded) / sizeof(recorded[0]),
	.init = init,
	RANGE_ACCOUNT,
};
