/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct order: puts the records of all CPUs in time order.
 *
 * A recorder writes what was in each CPU's buffer, CPU after CPU, then FINISHED_ROUND. A round may
 * still have entries older than those of the round before it, but none older than those of the
 * round before that. So at the end of a round everything up to the newest time of the round before
 * can be handed out.  Records are kept as (time, position, tag), 16 bytes each, in the natural
 * ascending runs in which they arrive.  What is handed out is merged from the heads of the runs;
 * the rest of each run stays. Each entry is merged once, which costs n log(runs) and keeps file
 * order among equal times; if runs are many and short, as in compressed recordings, they are sorted
 * by the digits of their times. A window that does not fit into memory is handed out in halves
 * (`nr_shed` counts them); then entries may come too late to be put in order, which
 * `nr_out_of_order` counts. Errors: -ENOMEM if there is no memory for even a few entries, and what
 * the sink returns.
 */
#ifndef SESSION_ORDER_H
#define SESSION_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct order_entry {
	uint64_t time_ns;
	uint64_t place; /* the position and, in the upper 16 bits, the tag: not bit-fields, which
			 * gcc sets one after the other, reading what was there */
};

#define ORDER_POS_BITS 48

/* Of the record; below 1 << ORDER_POS_BITS. */
static inline uint64_t order_entry_pos(const struct order_entry *e)
{
	return e->place & ((1ull << ORDER_POS_BITS) - 1);
}

/* For the caller. */
static inline uint16_t order_entry_tag(const struct order_entry *e)
{
	return (uint16_t)(e->place >> ORDER_POS_BITS);
}

/* Gets entries in order; a negative return stops it and is passed on. */
typedef int (*order_sink_fn)(void *ctx, const struct order_entry *entries, size_t nr);

struct order_run {
	size_t start; /* in v; a run ends where the next one starts */
	size_t cut;   /* while handing out: the end of its head */
};

struct order {
	struct order_entry *v, *spare; /* spare: the destination of merges */
	size_t nr, cap, spare_cap;
	size_t max; /* entries that may wait */
	struct order_run *runs;
	size_t *ends; /* while merging: the end of each merged run; as many as there are runs */
	size_t nr_runs, cap_runs;
	uint64_t last_ns;	  /* of the growing run; UINT64_MAX: there is none */
	uint64_t newest_ns;	  /* of all entries so far */
	uint64_t flush_ns;	  /* newest time when the last round ended */
	uint64_t handed_ns;	  /* newest time handed out */
	uint64_t nr_out_of_order; /* entries that came too late to be put in order */
	uint64_t nr_shed;	  /* how often a window was cut short */
	order_sink_fn sink;
	void *ctx;
};

/* max: entries that may be waiting; 0: as many as fit in a share of the machine's memory. */
void order_init(struct order *o, size_t max, order_sink_fn sink, void *ctx);
void order_deinit(struct order *o);

/* Make room for at least one more entry; the next entry starts a new run.  Kept out of line so that
 * the path of a sample stays small. */
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

/* FINISHED_ROUND. */
int order_round(struct order *o);

/* Short of memory: hand out the older half, or more, of what is waiting. */
int order_shed(struct order *o);

/* At the end: hand out everything. */
int order_flush(struct order *o);

/* Bytes of memory for waiting events and for the buffer that they are merged into. */
static inline uint64_t order_bytes(const struct order *o)
{
	return (uint64_t)o->nr * 2 * sizeof(struct order_entry) +
	       (uint64_t)o->nr_runs * (sizeof(struct order_run) + sizeof(size_t));
}

/* Lower the two to the lowest positions still waiting: below the border, and from it on. */
void order_min_pos(const struct order *o, uint64_t border, uint64_t *min_below, uint64_t *min_from);

#endif
