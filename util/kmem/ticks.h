/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ticks: intervals of event time, for what looks at figures while events still come (perf kmem
 * top).
 *
 * Intervals are of equal length and begin with the first moment of the source; an event at the very
 * end of one belongs to the next. They are those of the events' clock, so a recording has the same
 * ones whenever and however fast it is read.  Empty ones count, but after a silence of TICKS_EMPTY
 * intervals (in a recording: a jump of its clock) the rest of it is a single, longer one.
 */
#ifndef KMEM_TICKS_H
#define KMEM_TICKS_H

#include <stdbool.h>
#include <stdint.h>

struct kmem_pipeline;

#define TICKS_EMPTY 4096

struct tick_interval {
	uint64_t start_ns, end_ns;
	bool last; /* the source has ended, perhaps in the middle of the interval */
};

/* Who wants to know. Returns > 0: enough, end reading, which is not an error; < 0: an error. */
struct kmem_ticks {
	uint64_t interval_ns; /* 0: nobody */
	/* An interval has ended: all of its events, and no others, have been accounted. NULL: only
	 * the accounts want to know. */
	int (*interval)(void *ctx, struct kmem_pipeline *p, struct tick_interval interval);
	/*
	 * Whenever a live source ticks (struct event_sink), some ten times a second; may be NULL.
	 * To look at the accounts it must call kmem_pipeline_settle() first.
	 */
	int (*poll)(void *ctx, struct kmem_pipeline *p);
	void *ctx;
};

struct tick_clock {
	uint64_t interval_ns;
	uint64_t start_ns; /* of the current interval */
	uint64_t end_ns;   /* its end; UINT64_MAX: there are none, 0: no event yet */
	unsigned int nr_empty;
};

void tick_clock_init(struct tick_clock *c, uint64_t interval_ns);

/* Must tick_clock_next() be called before an event, or a tick, of this time? */
static inline bool tick_clock_passes(const struct tick_clock *c, uint64_t time_ns)
{
	return time_ns >= c->end_ns;
}

/*
 * An event of this time comes; call it until it returns false. True: an interval ended before it.
 * begin_ns: the first moment of the source, 0 if it is not known.
 */
bool tick_clock_next(struct tick_clock *c, uint64_t begin_ns, uint64_t time_ns,
		     struct tick_interval *ret_ended);

/* The source ended at this time. False: it had no events at all. */
bool tick_clock_end(const struct tick_clock *c, uint64_t time_ns, struct tick_interval *ret_ended);

#endif
