/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmem_ticks: callbacks at intervals of event time, which read figures while events still
 * come (perf kmem top). struct tick_clock: the current interval.
 *
 * Intervals are of equal length and begin with the first moment of the source; an event at the very
 * end of one belongs to the next. They follow the events' clock, so a recording has the same
 * intervals however fast it is read. Empty ones count, but after a silence of TICKS_EMPTY intervals
 * (in a recording: a jump of its clock) the rest of it is a single, longer one.
 */
#ifndef KMEM_TICKS_H
#define KMEM_TICKS_H

#include <stdbool.h>
#include <stdint.h>

struct kmem_pipeline;

#define TICKS_EMPTY 4096

struct tick_interval {
	uint64_t start_ns, end_ns;
	bool last; /* the source has ended, possibly within the interval */
};

/* Callbacks return 0; > 0 to end reading, which is not an error; or an error < 0. */
struct kmem_ticks {
	uint64_t interval_ns; /* 0: no intervals */
	/* Called at the end of an interval, when all of its events, and no later ones, have been
	 * accounted. NULL: only the accounts get ticks. */
	int (*interval)(void *ctx, struct kmem_pipeline *p, struct tick_interval interval);
	/*
	 * Called whenever a live source ticks (struct event_sink), at least about twenty times a
	 * second; may be NULL. To read the accounts it must call kmem_pipeline_settle() first.
	 */
	int (*poll)(void *ctx, struct kmem_pipeline *p);
	void *ctx;
};

struct tick_clock {
	uint64_t interval_ns;
	uint64_t start_ns; /* of the current interval */
	uint64_t end_ns;   /* of the current one; UINT64_MAX: no intervals, 0: no event yet */
	unsigned int nr_empty;
};

void tick_clock_init(struct tick_clock *c, uint64_t interval_ns);

/* Whether tick_clock_next() must be called before an event, or a tick, of this time. */
static inline bool tick_clock_passes(const struct tick_clock *c, uint64_t time_ns)
{
	return time_ns >= c->end_ns;
}

/*
 * Advance to an event of this time; call it until it returns false. Returns true if an interval
 * ended before the event. begin_ns: the first moment of the source, 0 if unknown.
 */
bool tick_clock_next(struct tick_clock *c, uint64_t begin_ns, uint64_t time_ns,
		     struct tick_interval *ret_ended);

/* End the last interval at the end of the source. Returns false if it had no events at all. */
bool tick_clock_end(const struct tick_clock *c, uint64_t time_ns, struct tick_interval *ret_ended);

#endif
