/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct order: puts the records of all CPUs in time order.
 *
 * A recorder writes the contents of each CPU's buffer, CPU after CPU, then FINISHED_ROUND. A round
 * may contain entries older than those of the previous round, but none older than those of the
 * round before that. So at the end of a round, all entries up to the newest time of the previous
 * round can be handed out.
 *
 * Records are kept as (time, position, tag), 16 bytes each, in the ascending runs in which they
 * arrive. The heads of the runs are merged and handed out; the rest of each run stays. Each entry
 * is merged once, which costs n log(runs) and keeps file order among equal times. If there are many
 * short runs, as in compressed recordings, entries are sorted by the digits of their times instead.
 *
 * A window that does not fit into memory is handed out in halves (`nr_shed` counts them). Later
 * entries may then come too late to be put in order, which `nr_out_of_order` counts. Errors:
 * -ENOMEM if there is not even memory for a few entries, and those of the sink.
 */
#ifndef SESSION_ORDER_H
#define SESSION_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct order_entry {
	uint64_t time_ns;
	uint64_t place; /* tag (16 bits), position; gcc writes bit-fields more slowly */
};

#define ORDER_POS_BITS 48

/* Position of the record; less than 1 << ORDER_POS_BITS. */
static inline uint64_t order_entry_pos(const struct order_entry *e)
{
	return e->place & ((1ull << ORDER_POS_BITS) - 1);
}

/* Tag, whose meaning is up to the caller. */
static inline uint16_t order_entry_tag(const struct order_entry *e)
{
	return (uint16_t)(e->place >> ORDER_POS_BITS);
}

/* Receives entries in order. A negative return stops it and is passed on. */
typedef int (*order_sink_fn)(void *ctx, const struct order_entry *entries, size_t nr);

struct order_run {
	size_t start; /* index in v; a run ends where the next one starts */
	size_t cut;   /* end of its head, while handing out */
};

struct order {
	struct order_entry *v, *spare; /* spare: destination of merges */
	size_t nr, cap, spare_cap;
	size_t max; /* limit for waiting entries */
	struct order_run *runs;
	size_t *ends; /* end of each merged run, while merging; has room for all runs */
	size_t nr_runs, cap_runs;
	uint64_t last_ns;	  /* last time of the growing run; UINT64_MAX: none */
	uint64_t newest_ns;	  /* newest time so far */
	uint64_t flush_ns;	  /* newest time when the last round ended */
	uint64_t handed_ns;	  /* newest time handed out */
	uint64_t nr_out_of_order; /* entries that came too late to be put in order */
	uint64_t nr_shed;	  /* number of windows cut short */
	order_sink_fn sink;
	void *ctx;
};

/* max: limit for waiting entries; 0: as many as fit in a share of the machine's memory. */
void order_init(struct order *o, size_t max, order_sink_fn sink, void *ctx);
void order_deinit(struct order *o);

/*
 * order_make_room() makes room for at least one more entry. After order_start_run() the next entry
 * starts a new run. Kept out of line so that the sample path stays small.
 */
__attribute__((noinline)) int order_make_room(struct order *o);
__attribute__((noinline)) int order_start_run(struct order *o);

static inline int order_add(struct order *o, uint64_t time_ns, uint64_t pos, uint16_t tag)
{
	int ret = o->nr == o->cap ? order_make_room(o) : 0;

	if (!ret && time_ns < o->last_ns)
		ret = order_start_run(o);
	if (ret)
		return ret;
	o->last_ns = time_ns;
	o->v[o->nr++] = (struct order_entry){time_ns, pos | (uint64_t)tag << ORDER_POS_BITS};
	if (time_ns > o->newest_ns)
		o->newest_ns = time_ns;
	o->nr_out_of_order += time_ns < o->handed_ns;
	return 0;
}

/*
 * The members that order_add() changes when entries only extend the current run: a copy, kept in
 * registers while many are added.
 */
struct order_run_end {
	struct order_entry *to, *end;
	uint64_t last_ns, newest_ns;
};

static inline struct order_run_end order_run_end(const struct order *o)
{
	const bool growing = o->last_ns != UINT64_MAX;

	return (struct order_run_end){o->v + o->nr, o->v + (growing ? o->cap : o->nr),
				      o->last_ns > o->handed_ns ? o->last_ns : o->handed_ns,
				      o->newest_ns};
}

/* Returns false if the entry does not simply extend the run: it needs order_add(). */
static inline bool order_extend_run(struct order_run_end *r, uint64_t time_ns, uint64_t pos,
				    uint16_t tag)
{
	if (time_ns < r->last_ns || r->to == r->end)
		return false;
	*r->to++ = (struct order_entry){time_ns, pos | (uint64_t)tag << ORDER_POS_BITS};
	r->last_ns = time_ns;
	if (time_ns > r->newest_ns)
		r->newest_ns = time_ns;
	return true;
}

/* Add the entries of the run. */
static inline void order_set_run_end(struct order *o, const struct order_run_end *r)
{
	if (r->to == o->v + o->nr)
		return;
	o->nr = (size_t)(r->to - o->v);
	o->last_ns = r->last_ns;
	o->newest_ns = r->newest_ns;
}

/* Called for each FINISHED_ROUND. */
int order_round(struct order *o);

/* Hand out at least the older half of the waiting entries, to save memory. */
int order_shed(struct order *o);

/* Hand out all entries; called at the end. */
int order_flush(struct order *o);

/* Bytes of memory for waiting entries, and for the buffer in which they are merged. */
static inline uint64_t order_bytes(const struct order *o)
{
	return (uint64_t)o->nr * 2 * sizeof(struct order_entry) +
	       (uint64_t)o->nr_runs * (sizeof(struct order_run) + sizeof(size_t));
}

/* Lower *min_below and *min_from to the lowest waiting positions below the border, and at or above
 * it. */
void order_min_pos(const struct order *o, uint64_t border, uint64_t *min_below, uint64_t *min_from);

#endif
