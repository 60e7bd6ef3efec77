// SPDX-License-Identifier: GPL-2.0-or-later
/* --percpu-mem: memory of alloc_percpu(). (--percpu reports the per-CPU lists of free pages.) */
#include "util/accounts/range.h"

#include "util/leak/leak_survey.h"

struct percpu_mem {
	struct range_accounts ranges; /* first member: its functions take the state */
	uint64_t chunks_created, chunks_destroyed;
};

static const struct range_kind kind = {
	.account = ACCOUNT_percpu_mem,
	.summary_title = "SUMMARY (percpu memory)",
	.pingpong_title = "PING-PONG (percpu memory)",
	.size_note = "Bytes are those of all possible CPUs together.",
	.summary_by = KEY_NR,
};

static int init(void *state, const struct account_setup *setup)
{
	struct percpu_mem *p = state;

	return range_init(&p->ranges, &kind, setup);
}

static int take_event(void *state, const struct kmem_event *ev)
{
	struct percpu_mem *p = state;

	switch (ev->kind) {
	case KMEM_PERCPU_CREATE:
		p->chunks_created += ev->in_window;
		return 0;
	case KMEM_PERCPU_DESTROY:
		p->chunks_destroyed += ev->in_window;
		return 0;
	default:
		return range_take(&p->ranges, ev);
	}
}

static int take(void *state, const struct account_events *events, uint32_t kinds)
{
	return account_take_each(state, events, kinds,
				 (struct account_take){.take = take_event, .also = TAKES_ALL});
}

static void build(const void *state, const struct report_context *c, struct document_section *in)
{
	const struct percpu_mem *p = state;
	const struct range_figure figures[] = {
		{"chunks_created", "Chunks created", p->chunks_created, false},
		{"chunks_destroyed", "Chunks destroyed", p->chunks_destroyed, false},
	};

	range_build(&p->ranges, c, in, figures, sizeof(figures) / sizeof(figures[0]));
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
	.common_offset = offsetof(struct percpu_mem, ranges.common),
	.objects = "allocations of percpu memory",
	.title = "Percpu",
	.alloc = KMEM_PERCPU_ALLOC,
	.free = KMEM_PERCPU_FREE,
	.caller = {{{KEY_CALLSITE}, 1}, "bytes,hit"},
	.alloc_table = {{{KEY_PTR}, 1}, "bytes,hit"},
	.pictures = {{{KEY_CALLSITE}, 1}, "bytes,hit"},
	.leak = &leak,
	.totals = range_totals,
	.for_each_live = range_for_each_live,
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
	.size = sizeof(struct percpu_mem),
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
