/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct order: puts records of all CPUs into the order of time.
 *
 * A recorder writes what each CPU's buffer held, CPU after CPU, then FINISHED_ROUND.
 * What a round holds may still be older than what the round before held, but not
 * older than what the round before that held: so at the end of a round all up to
 * the newest time of the round before can be handed out.  Records are
 * kept as (time, position, tag), 16 bytes each, in the natural ascending runs that they
 * come in.  What is handed out is merged from the heads of the runs, their rests stay: each
 * entry is merged once, which costs n log(runs) and keeps file order among equal times; where
 * runs are many and short, as in packed recordings, they are sorted by the digits of their times.
 * A window that does not fit into memory is handed out in halves (`nr_shed` counts them):
 * then entries may come too late for their place, which `nr_out_of_order` counts.
 * Errors: -ENOMEM when there is no memory for even a few entries, and what the sink returns.
 */
#ifndef PERFDATA_ORDER_H
#define PERFDATA_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct order_entry {
	uint64_t time_ns;
	uint64_t pos : 48;
	uint64_t tag : 16; /* the caller's */
};

/* Gets entries in order; a negative return stops and is passed on. */
typedef int (*order_sink_fn)(void *ctx, const struct order_entry *entries, size_t nr);

struct order_run {
	size_t start; /* in v; the run ends where the next one starts */
	size_t cut;   /* while handing out: where its head ends */
};

struct order {
	struct order_entry *v, *spare; /* spare: to merge into */
	size_t nr, cap, spare_cap;
	size_t max; /* entries that may wait */
	struct order_run *runs;
	size_t *ends; /* while merging: where each merged run ends; as many as runs */
	size_t nr_runs, cap_runs;
	uint64_t last_ns;	  /* of the run that is growing; UINT64_MAX: none is */
	uint64_t newest_ns;	  /* of all entries so far */
	uint64_t flush_ns;	  /* newest time when the last round ended */
	uint64_t handed_ns;	  /* newest time handed out */
	uint64_t nr_out_of_order; /* entries that came too late for their place */
	uint64_t nr_shed;	  /* times that a window was cut short */
	order_sink_fn sink;
	void *ctx;
};

/* max: entries that may wait for their turn; 0: as many as a share of the machine's memory holds.
 */
void order_init(struct order *o, size_t max, order_sink_fn sink, void *ctx);
void order_deinit(struct order *o);

/* Room for one more entry at least; a new run from the next entry on. */
int order_make_room(struct order *o);
int order_start_run(struct order *o);

static inline int order_add(struct order *o, uint64_t time_ns, uint64_t pos, uint16_t tag)
{
	int ret = o->nr == o->cap ? order_make_room(o) : 0;

	if (!ret && time_ns < o->last_ns)
		ret = order_start_run(o);
	if (ret)
		return ret;
	o->last_ns = time_ns;
	o->v[o->nr++] = (struct order_entry){.time_ns = time_ns, .pos = pos, .tag = tag};
	if (time_ns > o->newest_ns)
		o->newest_ns = time_ns;
	o->nr_out_of_order += time_ns < o->handed_ns;
	return 0;
}

/* FINISHED_ROUND. */
int order_round(struct order *o);

/* Short of memory: hand out the older half, or more, of what waits. */
int order_shed(struct order *o);

/* The end: hand out all. */
int order_flush(struct order *o);

/* Lower the two to the lowest positions, below the border and from it on, that still wait. */
void order_min_pos(const struct order *o, uint64_t border, uint64_t *min_below, uint64_t *min_from);

#endif
