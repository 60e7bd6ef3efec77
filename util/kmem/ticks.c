// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/ticks.h"

void tick_clock_init(struct tick_clock *c, uint64_t interval_ns)
{
	*c = (struct tick_clock){.interval_ns = interval_ns,
				 .end_ns = interval_ns ? 0 : UINT64_MAX};
}

static void begin(struct tick_clock *c, uint64_t start_ns)
{
	c->start_ns = start_ns;
	if (__builtin_add_overflow(start_ns, c->interval_ns, &c->end_ns))
		c->end_ns = UINT64_MAX;
}

bool tick_clock_next(struct tick_clock *c, uint64_t begin_ns, uint64_t time_ns,
		     struct tick_interval *ret_ended)
{
	uint64_t end_ns;

	if (!c->end_ns)
		begin(c, begin_ns && begin_ns <= time_ns ? begin_ns : time_ns);
	end_ns = c->end_ns;
	if (time_ns < end_ns || end_ns == UINT64_MAX) {
		c->nr_empty = 0;
		return false;
	}
	if (c->nr_empty++ >= TICKS_EMPTY)
		end_ns += (time_ns - end_ns) / c->interval_ns * c->interval_ns;
	*ret_ended = (struct tick_interval){.start_ns = c->start_ns, .end_ns = end_ns};
	begin(c, end_ns);
	return true;
}

bool tick_clock_end(const struct tick_clock *c, uint64_t time_ns, struct tick_interval *ret_ended)
{
	if (!c->end_ns || !c->interval_ns)
		return false;
	*ret_ended = (struct tick_interval){
		.start_ns = c->start_ns,
		.end_ns = time_ns > c->start_ns ? time_ns : c->start_ns,
		.last = true,
	};
	return true;
}
