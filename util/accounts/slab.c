// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/accounts/slab.h"

#include <errno.h>
#include <stdlib.h>

#include "util/kmem/accounts.h"
#include "util/leak/leak_survey.h"
#include "util/table/bounds.h"

/* Pointers that kfree() ignores (include/linux/slab.h). */
#define ZERO_SIZE_PTR 0x10

/* In place of an object's size: it was freed by RCU, and is counted as freed; its rows may be gone.
 */
#define RCU_FREEING UINT64_MAX

/* Fits into one cache line with up to three tables. */
struct live_object {
	uint64_t ptr;
	uint64_t time_ns;
	uint64_t bytes_req; /* or RCU_FREEING */
	uint64_t bytes_alloc;
	uint64_t call_site;
	uint32_t tid;
	int32_t cpu;
	uint32_t cache_id : CACHE_ID_BITS;
	bool filtered_out : 1; /* counted only in unfiltered tables, not in the totals */
	bool in_window : 1;
	bool cross_node : 1;  /* counted as such */
	bool may_be_pair : 1; /* may be traced a second time */
	bool whole : 1;	      /* always followed, because it may have been traced twice */
	uint32_t row[];	      /* one for each table */
};

_Static_assert(offsetof(struct live_object, row) + 3 * sizeof(uint32_t) == 64, "a cache line");

static inline bool is_rcu_freeing(const struct live_object *o)
{
	return o->bytes_req == RCU_FREEING;
}

static void live_init(struct slab_accounts *s)
{
	size_t size =
		offsetof(struct live_object, row) + s->common.nr_counted_in * sizeof(uint32_t);

	/* keep objects within one cache line */
	size = size <= 64 ? 64 : (size + 7) & ~(size_t)7;
	table_init(&s->live, size, sizeof(uint64_t));
}

void slab_accounts_init(struct slab_accounts *s, struct function_lookup functions,
			uint32_t page_size)
{
	*s = (struct slab_accounts){.untraced.sites = -1};
	allocator_accounts_init(&s->common);
	trace_pairs_init(&s->pairs, functions, page_size);
	live_init(s);
}

void slab_accounts_deinit(struct slab_accounts *s)
{
	allocator_accounts_deinit(&s->common);
	table_deinit(&s->live);
	trace_pairs_deinit(&s->pairs);
	untraced_deinit(&s->untraced);
}

int slab_accounts_add_table(struct slab_accounts *s, const enum kmem_key *by, unsigned int nr_by)
{
	int n = allocator_accounts_add_table(&s->common, by, nr_by);

	if (n < 0)
		return n;
	if (nr_by == 1 && by[0] == KEY_PTR)
		s->by_ptr = &s->common.tables[n];
	live_init(s);
	return n;
}

/*
 * In most runs every event counts, for one, and nowhere else than in sums. For these, the functions
 * of an event are compiled once more with `plain` true, without the questions whose answer is
 * known.
 */
static bool is_plain(const struct slab_accounts *s)
{
	const struct allocator_accounts *a = &s->common;

	if (s->some_not_counted || a->sample_mask || a->cpu_pairs || a->peak.stop_event)
		return false;
	/* the next events must not begin the sampling */
	if (a->max_live - s->live.nr < ACCOUNT_CHUNK)
		return false;
	for (unsigned int i = 0; i < a->nr_counted_in; i++)
		if (stat_table_has_times(&a->counted_in[i]))
			return false;
	return true;
}

/* Returns the object's row in table i, or NULL if it has none there. */
static inline struct stat_counts *counts_of(struct slab_accounts *s, const struct live_object *o,
					    unsigned int i, const bool plain)
{
	struct stat_table *t = &s->common.counted_in[i];

	return !plain && o->filtered_out && !t->unfiltered ? NULL : stat_table_counts(t, o->row[i]);
}

/* Adds the object to the totals (sign 1), or removes it (-1). */
static inline void count_total(struct slab_accounts *s, const struct live_object *o, uint64_t sign,
			       const bool plain)
{
	if (!plain && (!o->in_window || o->filtered_out))
		return;
	s->summary.allocations += sign;
	s->summary.bytes_requested += sign * o->bytes_req;
	s->summary.bytes_allocated += sign * o->bytes_alloc;
	s->summary.cross_node_allocations += sign * o->cross_node;
}

/* How many objects this one counts for. */
static uint64_t weight_of(const struct slab_accounts *s, const struct live_object *o)
{
	return o->whole ? 1 : allocator_accounts_weight(&s->common);
}

/* n: how many live ones there are more; negative: fewer. */
static inline void count_live(struct slab_accounts *s, const struct live_object *o, uint64_t n,
			      const bool plain)
{
	if (!plain && o->filtered_out)
		return;
	s->summary.live += n;
	s->summary.bytes_live += n * o->bytes_alloc;
}

/* The same in the object's row of table i. Returns the row's figures, or NULL if it has none. */
static inline __attribute__((always_inline)) struct stat_counts *
count_live_in_row(struct slab_accounts *s, const struct live_object *o, unsigned int i, uint64_t n,
		  uint64_t time_ns, const bool plain)
{
	struct stat_counts *c = counts_of(s, o, i, plain);

	if (!c)
		return NULL;
	stat_counts_add_live(c, n, n * o->bytes_req, n * o->bytes_alloc);
	if (!plain && o->in_window)
		stat_table_note_live(&s->common.counted_in[i], o->row[i], time_ns,
				     n * o->bytes_alloc, 0);
	return c;
}

static int is_second_trace(struct slab_accounts *s, const struct live_object *o,
			   const struct kmem_event *ev)
{
	const struct first_trace first = {
		.time_ns = o->time_ns,
		.bytes_req = o->bytes_req,
		.bytes_alloc = o->bytes_alloc,
		.call_site = o->call_site,
		.tid = o->tid,
	};

	if (!o->may_be_pair)
		return 0;
	return trace_pairs_match(&s->pairs, &first, ev);
}

/* Ends an object whose pointer was reused: the event is its second trace, or its free was
 * not seen. */
static void drop_replaced(struct slab_accounts *s, const struct live_object *o,
			  const struct kmem_event *ev, bool duplicate)
{
	const uint64_t n = weight_of(s, o);

	count_live(s, o, -n, false);
	if (duplicate)
		count_total(s, o, (uint64_t)-1, false);
	if (ev->in_window && !o->filtered_out)
		*(duplicate ? &s->summary.duplicates_dropped : &s->summary.unseen_frees) += n;
	for (unsigned int i = 0; i < s->common.nr_counted_in; i++) {
		struct stat_counts *c = counts_of(s, o, i, false);

		if (!c)
			continue;
		stat_counts_add_live(c, -n, -n * o->bytes_req, -n * o->bytes_alloc);
		if (o->in_window)
			stat_table_note_live(&s->common.counted_in[i], o->row[i],
					     duplicate ? o->time_ns : ev->time_ns,
					     -n * o->bytes_alloc, duplicate ? (uint32_t)-1 : 0);
		if (!duplicate)
			c->unseen_frees += ev->in_window ? n : 0;
		else if (o->in_window)
			stat_table_count(&s->common.counted_in[i], o->row[i], o->time_ns,
					 o->bytes_req, o->bytes_alloc, -1);
	}
}

/* n: as count_live() */
static void count_rcu_freeing(struct slab_accounts *s, const struct live_object *o, uint64_t n)
{
	if (o->filtered_out)
		return;
	s->summary.rcu_freeing += n;
	s->summary.bytes_rcu_freeing += n * o->bytes_alloc;
}

/* Forgets an object that was freed by RCU: its pointer is free, or reused. */
static void end_rcu_freeing(struct slab_accounts *s, const struct live_object *o)
{
	count_rcu_freeing(s, o, -weight_of(s, o));
}

/* Ends a live object at the pointer of a new allocation. Returns 1 if that is the second trace of
 * one kmalloc, 0 if a free was not seen. */
static int end_replaced(struct slab_accounts *s, const struct live_object *o,
			const struct kmem_event *ev)
{
	int duplicate;

	if (is_rcu_freeing(o)) {
		if (!ev->late)
			end_rcu_freeing(s, o);
		return 0;
	}
	duplicate = is_second_trace(s, o, ev);
	if (duplicate >= 0 && (duplicate || !ev->late))
		drop_replaced(s, o, ev, duplicate);
	return duplicate;
}

/* Finds the object's rows, and counts the object in them; n: how many live ones it counts for, if
 * any. */
static inline __attribute__((always_inline)) int count_rows(struct slab_accounts *s,
							    struct live_object *o,
							    const struct kmem_event *ev, uint64_t n,
							    const bool plain)
{
	for (unsigned int i = 0; i < s->common.nr_counted_in; i++) {
		struct stat_table *t = &s->common.counted_in[i];
		struct stat_counts *c;

		if (!plain && o->filtered_out && !t->unfiltered)
			continue;
		o->row[i] = stat_table_row(t, ev);
		if (o->row[i] == STAT_ROW_NONE)
			return -ENOMEM;
		c = stat_table_counts(t, o->row[i]);
		c->last_callsite = o->call_site;
		if (plain) {
			stat_counts_add(c, o->bytes_req, o->bytes_alloc, 1);
		} else if (o->in_window) {
			stat_table_count(t, o->row[i], o->time_ns, o->bytes_req, o->bytes_alloc, 1);
			stat_table_note_live(t, o->row[i], o->time_ns, n * o->bytes_alloc, 1);
		}
		stat_counts_add_live(c, n, n * o->bytes_req, n * o->bytes_alloc);
	}
	return 0;
}

static int count_failed(struct slab_accounts *s, const struct kmem_event *ev)
{
	bool counted = ev->in_window && !ev->filtered_out, first_counted = false;
	int second = 0;

	s->summary.failures += counted;
	if (trace_pairs_possible(&s->pairs, ev))
		second = trace_pairs_match_failed(&s->pairs, ev, counted, &first_counted);
	/* the second trace counts, as it does for a success */
	s->summary.failures -= second > 0 && first_counted;
	s->summary.duplicates_dropped += second > 0 && counted;
	return second < 0 ? second : 0;
}

/* If the second trace comes after the windows, the allocation belongs there: it is removed from
 * them. */
static int take_late(struct slab_accounts *s, const struct kmem_event *ev)
{
	struct table_slot *slot;
	struct live_object *o;
	int ret;

	if (!ev->ptr)
		return count_failed(s, ev);
	slot = table_find_slot(&s->live, &ev->ptr);
	if (!slot)
		return 0;
	o = table_slot_row(&s->live, slot);
	ret = end_replaced(s, o, ev);
	if (ret > 0)
		table_remove_slot(&s->live, slot);
	else
		o->may_be_pair = false;
	return ret < 0 ? ret : 0;
}

struct thinning {
	struct slab_accounts *slab;
	uint64_t time_ns;
};

static bool thin_object(void *ctx, const void *row, uint64_t next_mask)
{
	const struct thinning *t = ctx;
	const struct live_object *o = row;
	bool drop = !sample_has(next_mask, o->ptr);
	uint64_t n = drop ? -weight_of(t->slab, o) : weight_of(t->slab, o);

	if (o->whole)
		return false;
	if (is_rcu_freeing(o)) {
		count_rcu_freeing(t->slab, o, n);
		return drop;
	}
	count_live(t->slab, o, n, false);
	for (unsigned int i = 0; i < t->slab->common.nr_counted_in; i++)
		count_live_in_row(t->slab, o, i, n, t->time_ns, false);
	return drop;
}

static __attribute__((noinline)) int thin(struct slab_accounts *s, uint64_t time_ns)
{
	return allocator_accounts_thin(&s->common, &s->live, thin_object,
				       &(struct thinning){s, time_ns});
}

/* Counts an object as live, if it is in the sample. */
static __attribute__((noinline)) int count_sampled(struct slab_accounts *s, struct live_object *o,
						   const struct kmem_event *ev)
{
	bool followed = o->whole || allocator_accounts_follows(&s->common, o->ptr);
	uint64_t n = followed ? weight_of(s, o) : 0;
	int ret = count_rows(s, o, ev, n, false);

	count_live(s, o, n, false);
	if (!followed)
		table_remove(&s->live, o);
	return ret;
}

static inline __attribute__((always_inline)) int count_new(struct slab_accounts *s,
							   struct live_object *o,
							   const struct kmem_event *ev,
							   const bool plain)
{
	if (!plain)
		return count_sampled(s, o, ev);
	count_live(s, o, 1, true);
	return count_rows(s, o, ev, 1, true);
}

/* hash: of ev->ptr in the table of live objects. */
static inline __attribute__((always_inline)) int
alloc(struct slab_accounts *s, const struct kmem_event *ev, uint32_t hash, const bool plain)
{
	struct table_slot *slot;
	struct live_object *o;
	int ret;

	if (!plain && ev->late)
		return take_late(s, ev);
	if (!ev->ptr)
		return count_failed(s, ev);
	if (table_make_room(&s->live))
		return -ENOMEM;
	slot = table_slot_u64(&s->live, ev->ptr, hash);
	o = slot->row ? table_slot_row(&s->live, slot) : NULL;
	if (o && end_replaced(s, o, ev) < 0)
		return -ENOMEM;
	if (!o)
		o = table_add_row(&s->live, slot, hash);
	*o = (struct live_object){
		.ptr = ev->ptr,
		.time_ns = ev->time_ns,
		.bytes_req = ev->bytes_req,
		.bytes_alloc = ev->bytes_alloc,
		.call_site = ev->call_site,
		.tid = ev->tid,
		.cpu = ev->cpu,
		.cache_id = ev->cache_id & ((1u << CACHE_ID_BITS) - 1),
		.filtered_out = !plain && ev->filtered_out,
		.in_window = plain || ev->in_window,
		.cross_node = ev->cross_node,
		.may_be_pair = trace_pairs_possible(&s->pairs, ev),
	};
	o->whole = o->may_be_pair;
	count_total(s, o, 1, plain);
	ret = count_new(s, o, ev, plain);
	if (!plain && !ret && allocator_accounts_is_full(&s->common, s->live.nr))
		ret = thin(s, ev->time_ns);
	return ret;
}

/* Kept out of line: most reports do not need it. */
static __attribute__((noinline)) int count_pair(struct cpu_pairs *p, const struct live_object *o,
						const struct kmem_event *ev, uint64_t n)
{
	p->pingpong += o->cpu != ev->cpu ? n : 0;
	return cpu_pairs_add(p, o->cpu, ev->cpu, n, n * o->bytes_alloc);
}

static inline __attribute__((always_inline)) int count_freed(struct slab_accounts *s,
							     const struct live_object *o,
							     const struct kmem_event *ev,
							     const bool plain)
{
	uint64_t n = plain ? 1 : weight_of(s, o), age_ns = ev->time_ns - o->time_ns;
	int ret = 0;

	count_live(s, o, -n, plain);
	if (plain || (ev->in_window && !o->filtered_out)) {
		s->summary.frees += n;
		s->summary.frees_matched += n;
		s->summary.bytes_freed += n * o->bytes_alloc;
		if (!plain && s->common.cpu_pairs)
			ret = count_pair(s->common.cpu_pairs, o, ev, n);
	}
	for (unsigned int i = 0; i < s->common.nr_counted_in; i++) {
		struct stat_counts *c = count_live_in_row(s, o, i, -n, ev->time_ns, plain);

		if (!plain && (!c || !ev->in_window))
			continue;
		c->pingpong += o->cpu != ev->cpu ? n : 0;
		ret |= stat_table_add_lifetimes(&s->common.counted_in[i], o->row[i], age_ns, n);
	}
	return ret;
}

/* A free whose allocation is unknown: of an older object, or of one that is not in the sample. */
static int count_unmatched(struct slab_accounts *s, const struct kmem_event *ev)
{
	uint64_t n = allocator_accounts_weight(&s->common);

	if (!allocator_accounts_follows(&s->common, ev->ptr))
		return 0;
	if (ev->in_window && s->common.count_unmatched_frees) {
		s->summary.frees += n;
		s->summary.frees_unmatched += n;
	}
	return ev->ptr > ZERO_SIZE_PTR ? untraced_add_frees(&s->untraced, ev, n) : 0;
}

/* The second event of a free by RCU: it has been counted. */
static int free_after_rcu(struct slab_accounts *s, struct table_slot *slot,
			  const struct live_object *o, const struct kmem_event *ev)
{
	bool other = cache_ids_differ(o->cache_id, ev->cache_id);

	if (ev->late)
		return 0;
	end_rcu_freeing(s, o);
	table_remove_slot(&s->live, slot);
	return other ? count_unmatched(s, ev) : 0;
}

/* kfree(NULL) and kfree(ZERO_SIZE_PTR) are traced, and free nothing. */
static inline struct table_slot *find_freed(const struct slab_accounts *s,
					    const struct kmem_event *ev, uint32_t hash)
{
	return ev->ptr && ev->ptr != ZERO_SIZE_PTR ? table_find_slot_u64(&s->live, ev->ptr, hash)
						   : NULL;
}

static int free_rcu(struct slab_accounts *s, const struct kmem_event *ev, uint32_t hash)
{
	struct table_slot *slot = find_freed(s, ev, hash);
	struct live_object *o = slot ? table_slot_row(&s->live, slot) : NULL;
	int ret;

	/* kvfree_call_rcu() takes any memory: what is not live here is counted when it is freed */
	if (!o || is_rcu_freeing(o) || ev->late)
		return 0;
	ret = count_freed(s, o, ev, false);
	if (o->may_be_pair)
		ret |= trace_pairs_note_single(&s->pairs, o->call_site);
	o->may_be_pair = false;
	o->bytes_req = RCU_FREEING;
	count_rcu_freeing(s, o, weight_of(s, o));
	return ret;
}

static inline __attribute__((always_inline)) int
free_object(struct slab_accounts *s, const struct kmem_event *ev, uint32_t hash, const bool plain)
{
	struct table_slot *slot = find_freed(s, ev, hash);
	struct live_object *o;
	int ret;

	if (!slot)
		return count_unmatched(s, ev);
	o = table_slot_row(&s->live, slot);
	if (is_rcu_freeing(o))
		return free_after_rcu(s, slot, o, ev);
	if (!plain && ev->late) {
		o->may_be_pair = false;
		return 0;
	}
	/* another object, allocated without an event */
	if (cache_ids_differ(o->cache_id, ev->cache_id)) {
		drop_replaced(s, o, ev, false);
		table_remove_slot(&s->live, slot);
		return count_unmatched(s, ev);
	}
	ret = count_freed(s, o, ev, plain);
	if (o->may_be_pair)
		ret |= trace_pairs_note_single(&s->pairs, o->call_site);
	table_remove_slot(&s->live, slot);
	return ret;
}

static void move_rows(void *ctx, unsigned int table, const uint32_t *moved)
{
	struct slab_accounts *s = ctx;
	bool all = s->common.tables[table].unfiltered;
	struct live_object *o;
	uint64_t at = 0;

	while ((o = table_next(&s->live, &at)))
		if (!is_rcu_freeing(o) && (!o->filtered_out || all))
			o->row[table] = moved[o->row[table]];
}

int slab_accounts_tick(struct slab_accounts *s, const struct account_tick *tick)
{
	const struct slab_summary *t = &s->summary;
	const struct recent_counts total = {t->allocations, t->bytes_allocated, t->live,
					    t->bytes_live};
	int ret = allocator_accounts_tick(&s->common, &total, tick, move_rows, s);

	if (!ret && kmem_bounds_any(tick->bounds))
		ret = trace_pairs_sweep_failed(&s->pairs, tick->time_ns);
	return ret;
}

static void for_each_live(const void *state, account_live_fn fn, void *ctx)
{
	const struct slab_accounts *s = state;
	const struct live_object *o;

	for (uint64_t at = 0; (o = table_next(&s->live, &at));) {
		uint64_t n = weight_of(s, o);
		struct account_live live = {.time_ns = o->time_ns,
					    .last_ns = o->time_ns,
					    .hits = n,
					    .bytes = n * o->bytes_alloc,
					    .filtered_out = o->filtered_out,
					    .in_window = o->in_window,
					    .row = o->row};

		if (!is_rcu_freeing(o))
			fn(ctx, &live);
	}
	allocator_accounts_for_each_counted(&s->common, fn, ctx);
}

static struct leak_old_frees old_frees(const void *state, const char *cache)
{
	return untraced_old_frees(&((const struct slab_accounts *)state)->untraced, cache);
}

static uint64_t left_out(const void *state)
{
	const struct slab_accounts *s = state;

	return allocator_accounts_sample_error(&s->common, s->summary.live) +
	       s->summary.rcu_freeing;
}

/* ---- as an account -------------------------------------------------------------------------- */

static const struct account_record recorded[] = {
	/* globs, because kernels before 6.1 have *_node variants of the allocation events; each of
	 * them has its call site */
	{"kmem:kmalloc*", false, true},
	{"kmem:kfree", false, false},
	{"kmem:kmem_cache_alloc*", false, true},
	{"kmem:kmem_cache_free", false, false},
};

static int init(void *state, const struct account_setup *setup)
{
	const struct tables_spec *tables = &setup->options->tables[ACCOUNT_slab];
	static const enum kmem_key sites[] = {KEY_CALLSITE, KEY_CACHE};
	struct slab_accounts *s = state;

	slab_accounts_init(s, setup->functions, setup->page_size);
	s->untraced.facts = setup->facts;
	s->untraced.options = setup->options;
	s->some_not_counted = setup->is_filtered || setup->options->nr_windows;
	for (unsigned int i = 0; i < tables->nr; i++)
		slab_accounts_add_table(s, tables->v[i].by, tables->v[i].nr_by);
	if (setup->options->live_sites)
		s->untraced.sites = slab_accounts_add_table(s, sites, 2);
	return accounts_prepare_allocator(setup, &s->common, tables);
}

static key_mask_t keys(const void *state)
{
	return allocator_accounts_keys(&((const struct slab_accounts *)state)->common);
}

static inline __attribute__((always_inline)) int
take_alloc(struct slab_accounts *s, const struct kmem_event *ev, uint32_t hash, const bool plain)
{
	uint64_t dropped = s->summary.duplicates_dropped;
	int ret = alloc(s, ev, hash, plain);
	bool second;

	if (!plain && !ev->in_window)
		return ret;
	second = s->summary.duplicates_dropped != dropped;
	/* the allocation at the peak is traced again: only the second trace has its caller's row */
	if (second && s->common.peak.ptr == ev->ptr &&
	    s->summary.bytes_live == s->common.peak.bytes)
		s->common.peak.bytes = 0;
	live_peak_note(&s->common.peak, s->summary.bytes_live, ev->time_ns);
	if (s->common.peak.event == s->common.peak.nr_events)
		s->common.peak.ptr = second ? 0 : ev->ptr;
	return ret;
}

static inline __attribute__((always_inline)) int
take_event(struct slab_accounts *s, const struct kmem_event *ev, uint32_t hash, const bool plain)
{
	if (plain)
		s->common.peak.nr_events++;
	else if (!live_peak_next(&s->common.peak, s->summary.bytes_live, ev->time_ns))
		return 0;
	if (ev->kind == KMEM_SLAB_FREE)
		return free_object(s, ev, hash, plain);
	return ev->kind == KMEM_SLAB_ALLOC ? take_alloc(s, ev, hash, plain) : free_rcu(s, ev, hash);
}

static int take_any(void *state, const struct kmem_event *ev, uint32_t hash)
{
	return take_event(state, ev, hash, false);
}

static int take_plain(void *state, const struct kmem_event *ev, uint32_t hash)
{
	return take_event(state, ev, hash, true);
}

static inline __attribute__((always_inline)) uint32_t prefetch_index(const void *state,
								     const struct kmem_event *ev)
{
	const struct slab_accounts *s = state;
	uint32_t hash = table_hash_u64(&s->live, ev->ptr);

	table_prefetch_slot(&s->live, hash);
	if (s->by_ptr)
		table_prefetch_slot(&s->by_ptr->rows, table_hash_u64(&s->by_ptr->rows, ev->ptr));
	stat_table_prefetch_index(s->common.counted_in, ev);
	return hash;
}

static void prefetch_rows(const void *state, const struct kmem_event *ev, uint32_t hash)
{
	const struct slab_accounts *s = state;

	table_prefetch_row(&s->live, hash, 0);
	if (s->by_ptr)
		table_prefetch_row(&s->by_ptr->rows, table_hash_u64(&s->by_ptr->rows, ev->ptr), 0);
	stat_table_prefetch_row(s->common.counted_in, ev);
}

static int take(void *state, const struct account_events *events, uint32_t kinds)
{
	const struct account_take any = {prefetch_index, prefetch_rows, take_any, TAKES_ALL};
	const struct account_take plain = {prefetch_index, prefetch_rows, take_plain, TAKES_ALL};

	return events->nr <= ACCOUNT_CHUNK && is_plain(state)
		       ? account_take_each(state, events, kinds, plain)
		       : account_take_each(state, events, kinds, any);
}

static int add_row(void *state, const struct kmem_event *keys, const struct source_figures *figures)
{
	struct slab_accounts *s = state;
	struct slab_summary *t = &s->summary;

	if (!keys->filtered_out) {
		t->allocations += figures->hits;
		t->bytes_requested += figures->bytes_req;
		t->bytes_allocated += figures->bytes_alloc;
	}
	if (!keys->filtered_out && figures->live_unknown) {
		t->frees += figures->frees;
	} else if (!keys->filtered_out) {
		t->frees += figures->hits - figures->live_hits;
		t->frees_matched += figures->hits - figures->live_hits;
		t->bytes_freed += figures->bytes_alloc - figures->live_bytes;
		t->live += figures->live_hits;
		t->bytes_live += figures->live_bytes;
	}
	return allocator_accounts_add_row(&s->common, keys, figures);
}

static int tick(void *state, const struct account_tick *tick)
{
	return slab_accounts_tick(state, tick);
}

static void finish(void *state, uint64_t stop_ns)
{
	struct slab_accounts *s = state;

	allocator_accounts_finish(&s->common, s->summary.bytes_live, stop_ns);
	if (s->untraced.sites >= 0)
		untraced_finish(&s->untraced, &s->common, left_out(s), s, for_each_live);
}

static void deinit(void *state)
{
	slab_accounts_deinit(state);
}

static struct account_totals totals(const void *state)
{
	const struct slab_summary *t = &((const struct slab_accounts *)state)->summary;

	return (struct account_totals){t->allocations, t->bytes_allocated};
}

static const struct leak_allocator leak = {
	.by = {{KEY_CALLSITE, KEY_CACHE}, .nr_by = 2},
	.sites = {{KEY_CALLSITE, KEY_CACHE}, .nr_by = 2, .unfiltered = true},
	.object = "object",
	.titles = {[LEAK_ATTACHED] = "Objects that belong to others",
		   [LEAK_PROCESS] = "Objects of processes that still run"},
	.untraced_heading = "Frees not traced",
	.nr_untraced_keys = 2,
	.old_frees = old_frees,
	.left_out = left_out,
};

static const struct allocator_ops allocator = {
	.bit = ALLOCATOR_SLAB,
	.common_offset = offsetof(struct slab_accounts, common),
	.objects = "allocations of objects",
	.stock_has_frees = true,
	.title = "Slab",
	.alloc = KMEM_SLAB_ALLOC,
	.free = KMEM_SLAB_FREE,
	.caller = {{{KEY_CALLSITE}, 1}, "frag,hit,bytes"},
	.alloc_table = {{{KEY_PTR}, 1}, "frag,hit,bytes"},
	.pictures = {{{KEY_CALLSITE, KEY_CACHE}, 2}, "bytes,hit"},
	.overview =
		{
			{{{KEY_CALLSITE}, 1}, "bytes,hit", "Call sites"},
			{{{KEY_CACHE}, 1}, "bytes,hit", "Caches"},
			{{{KEY_COMM}, 1}, "bytes,hit", "Commands"},
		},
	.leak = &leak,
	.totals = totals,
	.for_each_live = for_each_live,
};

#define KINDS (KIND_BIT(KMEM_SLAB_ALLOC) | KIND_BIT(KMEM_SLAB_FREE) | KIND_BIT(KMEM_SLAB_FREE_RCU))

const struct account_ops account_slab = {
	.id = "slab",
	.what = "slab",
	.stat_help = "the slab allocator (the default)",
	.record_help = "slab allocator events (the default)",
	.allocator = &allocator,
	.kinds = KINDS,
	.sufficient = KINDS,
	.completed = KIND_BIT(KMEM_SLAB_ALLOC),
	.twice = KINDS,
	.rows_filtered = true, /* the evidence of leaks uses all allocations */
	.recorded = recorded,
	.nr_recorded = sizeof(recorded) / sizeof(recorded[0]),
	.size = sizeof(struct slab_accounts),
	.init = init,
	.keys = keys,
	.take = take,
	.add_row = add_row,
	.tick = tick,
	.finish = finish,
	.deinit = deinit,
	.build = slab_build,
};
