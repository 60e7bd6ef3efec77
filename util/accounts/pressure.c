// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/accounts/pressure.h"

#include <errno.h>
#include <stdlib.h>

#include "util/base/array.h"
#include "util/event/known_events.h"
#include "util/kmem/accounts.h"

void pressure_init(struct pressure *p, uint32_t page_size)
{
	*p = (struct pressure){.page_size = page_size};
	table_init(&p->threads, sizeof(struct pressure_thread), sizeof(uint64_t));
	for (int i = 0; i < PRESSURE_TABLES; i++)
		table_init(&p->by[i], sizeof(struct stall_row), sizeof(uint64_t));
	table_init(&p->failures, sizeof(struct failure_row), FAILURE_KEY_BYTES);
}

void pressure_deinit(struct pressure *p)
{
	table_deinit(&p->threads);
	for (int i = 0; i < PRESSURE_TABLES; i++)
		table_deinit(&p->by[i]);
	table_deinit(&p->failures);
	free(p->kills);
}

/* ---- stalls --------------------------------------------------------------------------------- */

static void add_wait(struct stall_row *row, const struct open_stall *stall, uint64_t wait_ns)
{
	row->wait_ns += wait_ns;
	if (stall->order >= 0 && stall->order <= PAGE_ORDER_MAX)
		row->orders |= 1u << stall->order;
	lifetime_histogram_add(&row->waits, wait_ns);
}

static int add_outermost(struct pressure *p, const struct open_stall *stall, uint64_t wait_ns)
{
	const uint64_t keys[PRESSURE_TABLES] = {
		[BY_COMMAND] = stall->comm,
		[BY_CGROUP] = stall->cgroup,
		[BY_CALLSITE] = stall->callsite,
		[BY_ORDER] = (uint64_t)stall->order,
	};

	add_wait(&p->total, stall, wait_ns);
	for (int i = 0; i < PRESSURE_TABLES; i++) {
		struct stall_row *row = table_insert(&p->by[i], &keys[i]);

		if (!row)
			return -ENOMEM;
		add_wait(row, stall, wait_ns);
	}
	return 0;
}

/* Whether an allocation waits for a stall around this one. */
static bool is_nested(const struct pressure_thread *t, unsigned int index)
{
	for (unsigned int i = 0; i < index; i++)
		if (!t->open[i].background)
			return true;
	return false;
}

/* The index of the open stall of this kind, or nr_open. */
static unsigned int find_open(const struct pressure_thread *t, enum stall_kind kind)
{
	unsigned int i = 0;

	while (i < t->nr_open && t->open[i].kind != kind)
		i++;
	return i;
}

static int begin(struct pressure *p, const struct kmem_event *ev, enum stall_kind kind)
{
	const uint64_t tid = ev->tid;
	struct pressure_thread *t = table_insert(&p->threads, &tid);
	struct open_stall *stall;
	unsigned int at;

	if (!t)
		return -ENOMEM;
	at = find_open(t, kind);
	at = at < STALLS_NESTED_MAX ? at : STALLS_NESTED_MAX - 1;
	if (at < t->nr_open) {
		p->lost_ends += t->nr_open - at;
		t->nr_open = at;
	}
	stall = &t->open[t->nr_open++];
	*stall = (struct open_stall){
		.begin_ns = ev->time_ns,
		.callsite = ev->call_site,
		.comm = ev->comm,
		.cgroup = ev->cgroup,
		.order = (int32_t)ev->values[0],
		.kind = (uint8_t)kind,
		.filtered_out = ev->filtered_out,
	};
	if (kind != STALL_COMPACTION) {
		t->compacts = false;
		return 0;
	}
	t->compacts &= ev->time_ns - t->compact_ns <= COMPACT_TRY_NS;
	stall->background = !t->compacts;
	stall->order = t->compact_order;
	stall->callsite = t->compact_callsite;
	if (t->compacts && !t->compacted && !ev->filtered_out)
		p->compact_tries_run++;
	t->compacted = true;
	return 0;
}

static int end(struct pressure *p, const struct kmem_event *ev, enum stall_kind kind)
{
	const uint64_t tid = ev->tid;
	struct pressure_thread *t = table_find(&p->threads, &tid);
	unsigned int at = t ? find_open(t, kind) : 0;
	const struct open_stall *stall;
	uint64_t wait_ns;
	bool nested;

	if (!t || at == t->nr_open) {
		p->unmatched_ends++;
		return 0;
	}
	p->lost_ends += t->nr_open - at - 1;
	t->nr_open = at;
	t->compact_ns = kind == STALL_COMPACTION ? ev->time_ns : t->compact_ns;
	stall = &t->open[at];
	wait_ns = ev->time_ns - stall->begin_ns;
	if (stall->filtered_out)
		return 0;
	if (stall->background) {
		p->background_compactions++;
		p->background_ns += wait_ns;
		return 0;
	}
	nested = is_nested(t, at);
	p->kinds[kind].nested += nested;
	add_wait(&p->kinds[kind], stall, wait_ns);
	return nested ? 0 : add_outermost(p, stall, wait_ns);
}

static int try_to_compact(struct pressure *p, const struct kmem_event *ev)
{
	const uint64_t tid = ev->tid;
	struct pressure_thread *t = table_insert(&p->threads, &tid);

	if (!t)
		return -ENOMEM;
	p->compact_tries += !ev->filtered_out;
	t->compacts = true;
	t->compacted = false;
	t->compact_ns = ev->time_ns;
	t->compact_order = (int32_t)ev->values[0];
	t->compact_callsite = ev->call_site;
	return 0;
}

/* ---- failures and kills --------------------------------------------------------------------- */

static bool is_slab(const struct kmem_event *ev)
{
	return ev->kind == KMEM_SLAB_ALLOC;
}

/*
 * Whether this is the second trace of an object that failed (trace_pair.h): that of the allocator's
 * caller. The row of the first one is changed, as the caller is the better call site.
 */
static bool is_second_trace(struct pressure *p, struct pressure_thread *t,
			    const struct kmem_event *ev)
{
	struct failure_row *row;

	if (!t->failed_row || !ev->is_kmalloc || ev->bytes_req <= 2ull * p->page_size ||
	    ev->time_ns - t->failed_ns > TRACE_PAIR_NS || ev->call_site == t->failed_callsite)
		return false;
	row = table_row(&p->failures, t->failed_row - 1);
	if (row->bytes != ev->bytes_req || row->order >= 0)
		return false;
	row->failures--;
	p->nr_failures--;
	return true;
}

static int add_failure(struct pressure *p, const struct kmem_event *ev)
{
	const struct failure_row key = {
		.callsite = ev->call_site,
		.bytes = ev->bytes_req,
		.comm = ev->comm,
		.gfp_flags = ev->gfp_flags,
		.order = is_slab(ev) ? -1 : (int32_t)ev->order,
	};
	const uint64_t tid = ev->tid;
	struct pressure_thread *t = table_insert(&p->threads, &tid);
	struct failure_row *row;
	uint32_t number;
	bool second;

	if (!t)
		return -ENOMEM;
	second = is_slab(ev) && is_second_trace(p, t, ev);
	number = table_insert_number(&p->failures, &key);
	if (number == TABLE_NO_ROW)
		return -ENOMEM;
	row = table_row(&p->failures, number);
	row->failures++;
	p->nr_failures++;
	if (is_slab(ev)) {
		t->failed_ns = ev->time_ns;
		t->failed_callsite = ev->call_site;
		t->failed_row = second ? 0 : number + 1;
	}
	return 0;
}

static int add_kill(struct pressure *p, const struct kmem_event *ev)
{
	struct oom_kill *v;

	if (ev->filtered_out || p->nr_kills++ >= OOM_KILLS_MAX)
		return 0;
	v = array_room(p->kills, p->nr_kills - 1, &p->cap_kills, sizeof(*v));
	if (!v)
		return -ENOMEM;
	p->kills = v;
	v[p->nr_kills - 1] = (struct oom_kill){
		.time_ns = ev->time_ns,
		.callsite = ev->call_site,
		.pid = (uint32_t)ev->values[0],
		.comm = ev->task_comm,
		.killer = ev->comm,
	};
	return 0;
}

int pressure_account(struct pressure *p, const struct kmem_event *ev)
{
	if (ev->kind == KMEM_PAGE_ALLOC || ev->kind == KMEM_SLAB_ALLOC)
		return kmem_event_has_failed(ev) && !ev->filtered_out ? add_failure(p, ev) : 0;
	switch ((enum pressure_event)ev->own) {
	case PRESSURE_DIRECT_BEGIN:
		return begin(p, ev, STALL_DIRECT);
	case PRESSURE_DIRECT_END:
		return end(p, ev, STALL_DIRECT);
	case PRESSURE_MEMCG_BEGIN:
		return begin(p, ev, STALL_MEMCG);
	case PRESSURE_MEMCG_END:
		return end(p, ev, STALL_MEMCG);
	case PRESSURE_NODE_BEGIN:
		return begin(p, ev, STALL_NODE);
	case PRESSURE_NODE_END:
		return end(p, ev, STALL_NODE);
	case PRESSURE_COMPACT_TRY:
		return try_to_compact(p, ev);
	case PRESSURE_COMPACT_BEGIN:
		return begin(p, ev, STALL_COMPACTION);
	case PRESSURE_COMPACT_END:
		return end(p, ev, STALL_COMPACTION);
	case PRESSURE_OOM_KILL:
		return add_kill(p, ev);
	}
	return 0;
}

void pressure_finish(struct pressure *p)
{
	const struct pressure_thread *t;
	uint64_t at = 0;

	p->nr_open = 0;
	while ((t = table_next(&p->threads, &at)))
		for (unsigned int i = 0; i < t->nr_open; i++)
			p->nr_open += !t->open[i].background && !t->open[i].filtered_out;
}

/* ---- as an account -------------------------------------------------------------------------- */

static const struct kmem_tracepoint tracepoints[] = {
	[PRESSURE_DIRECT_BEGIN] = {"vmscan:mm_vmscan_direct_reclaim_begin",
				   {"order", "gfp_flags"},
				   1,
				   .callchain = true},
	[PRESSURE_DIRECT_END] = {"vmscan:mm_vmscan_direct_reclaim_end", {"nr_reclaimed"}, 0},
	[PRESSURE_MEMCG_BEGIN] = {"vmscan:mm_vmscan_memcg_reclaim_begin",
				  {"order", "gfp_flags"},
				  1,
				  .callchain = true,
				  .optional = true},
	[PRESSURE_MEMCG_END] = {"vmscan:mm_vmscan_memcg_reclaim_end",
				{"nr_reclaimed"},
				0,
				.optional = true},
	[PRESSURE_NODE_BEGIN] = {"vmscan:mm_vmscan_node_reclaim_begin",
				 {"order", "gfp_flags", "nid"},
				 1,
				 .callchain = true,
				 .optional = true},
	[PRESSURE_NODE_END] = {"vmscan:mm_vmscan_node_reclaim_end",
			       {"nr_reclaimed"},
			       0,
			       .optional = true},
	[PRESSURE_COMPACT_TRY] = {"compaction:mm_compaction_try_to_compact_pages",
				  {"order", "gfp_mask", "prio"},
				  1,
				  .callchain = true,
				  .optional = true},
	[PRESSURE_COMPACT_BEGIN] = {"compaction:mm_compaction_begin",
				    {"sync"},
				    0,
				    .optional = true},
	[PRESSURE_COMPACT_END] = {"compaction:mm_compaction_end",
				  {"sync", "status"},
				  0,
				  .optional = true},
	[PRESSURE_OOM_KILL] = {"oom:mark_victim",
			       {"pid"},
			       1,
			       .callchain = true,
			       .optional = true,
			       .task_field = 1},
};

static const struct account_record recorded[] = {
	{"kmem:mm_page_alloc", .callchain = true, .failed_only = true},
	{"kmem:kmalloc*", .failed_only = true},
	{"kmem:kmem_cache_alloc*", .failed_only = true},
};

static int init(void *state, const struct account_setup *setup)
{
	pressure_init(state, setup->page_size);
	return 0;
}

static void bind(void *state, const struct event_type *type)
{
	struct pressure *p = state;

	p->has_failures |= type->kind == KMEM_PAGE_ALLOC || type->kind == KMEM_SLAB_ALLOC;
	p->has_chain |= type->kind >= KMEM_OWN && type->has_callchain;
}

static key_mask_t keys(const void *state)
{
	(void)state;
	return KEY_BIT(KEY_COMM) | KEY_BIT(KEY_CALLSITE);
}

static int take_event(void *state, const struct kmem_event *ev, uint32_t hash)
{
	(void)hash;
	return pressure_account(state, ev);
}

static int take(void *state, const struct account_events *events, uint32_t kinds)
{
	return account_take_each(
		state, events, kinds,
		(struct account_take){.take = take_event, .also = TAKES_FILTERED | TAKES_FAILED});
}

/* Whether a thread that waits for nothing now, and may have ended, can be forgotten. */
static bool is_idle(const struct pressure_thread *t, uint64_t now_ns)
{
	return !t->nr_open && (!t->compacts || now_ns - t->compact_ns > COMPACT_TRY_NS);
}

static int tick(void *state, const struct account_tick *tick)
{
	struct pressure *p = state;
	struct table kept;
	const struct pressure_thread *t;
	uint64_t at = 0;

	if (!kmem_bounds_any(tick->bounds))
		return 0;
	table_init(&kept, sizeof(*t), sizeof(uint64_t));
	while ((t = table_next(&p->threads, &at))) {
		struct pressure_thread *copy;

		if (is_idle(t, tick->time_ns))
			continue;
		copy = table_insert(&kept, &t->tid);
		if (!copy) {
			table_deinit(&kept);
			return -ENOMEM;
		}
		*copy = *t;
	}
	table_deinit(&p->threads);
	p->threads = kept;
	return 0;
}

static void mark_table(const struct table *t, struct key_marks *marks)
{
	for (uint32_t i = 0; i < t->nr; i++)
		key_marks_add_string(marks, *(const uint64_t *)table_row(t, i));
}

static void mark_names(const void *state, struct key_marks *marks)
{
	const struct pressure *p = state;
	const struct pressure_thread *t;
	uint64_t at = 0;

	mark_table(&p->by[BY_COMMAND], marks);
	mark_table(&p->by[BY_CGROUP], marks);
	for (uint32_t i = 0; i < p->failures.nr; i++)
		key_marks_add_string(
			marks, ((const struct failure_row *)table_row(&p->failures, i))->comm);
	for (uint64_t i = 0; i < p->nr_kills && i < OOM_KILLS_MAX; i++) {
		key_marks_add_string(marks, p->kills[i].comm);
		key_marks_add_string(marks, p->kills[i].killer);
	}
	while ((t = table_next(&p->threads, &at)))
		for (unsigned int i = 0; i < t->nr_open; i++) {
			key_marks_add_string(marks, t->open[i].comm);
			key_marks_add_string(marks, t->open[i].cgroup);
		}
}

static void finish(void *state, uint64_t stop_ns)
{
	(void)stop_ns;
	pressure_finish(state);
}

static void deinit(void *state)
{
	pressure_deinit(state);
}

const struct account_ops account_pressure = {
	.id = "pressure",
	.what = "memory pressure",
	.stat_help = "who waits for memory and whose allocations fail: reclaim, compaction, OOM",
	.record_help =
		"what stat --pressure needs: reclaim, compaction, failed allocations and OOM "
		"kills, with callchains",
	.kinds = KIND_BIT(KMEM_PAGE_ALLOC) | KIND_BIT(KMEM_SLAB_ALLOC),
	.completed = KIND_BIT(KMEM_PAGE_ALLOC) | KIND_BIT(KMEM_SLAB_ALLOC),
	.context = KEY_BIT(KEY_COMM) | KEY_BIT(KEY_CGROUP),
	.twice = KIND_BIT(KMEM_SLAB_ALLOC),
	.filter_keys = CONTEXT_KEYS,
	.recorded = recorded,
	.nr_recorded = sizeof(recorded) / sizeof(recorded[0]),
	.tracepoints = tracepoints,
	.nr_tracepoints = sizeof(tracepoints) / sizeof(tracepoints[0]),
	.size = sizeof(struct pressure),
	.init = init,
	.bind = bind,
	.keys = keys,
	.take = take,
	.tick = tick,
	.mark_names = mark_names,
	.finish = finish,
	.deinit = deinit,
	.build = pressure_build,
};
