// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/watch/event_merge.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

int event_merge_init(struct event_merge *m, unsigned int nr)
{
	*m = (struct event_merge){
		.cpus = calloc(nr, sizeof(*m->cpus)),
		.heap = calloc(nr, sizeof(*m->heap)),
		.nr = nr,
	};
	if (m->cpus && m->heap)
		return 0;
	event_merge_deinit(m);
	return -ENOMEM;
}

void event_merge_deinit(struct event_merge *m)
{
	for (unsigned int i = 0; m->cpus && i < m->nr; i++)
		event_queue_deinit(&m->cpus[i].queue);
	free(m->cpus);
	free(m->heap);
	*m = (struct event_merge){.nr = 0};
}

static uint64_t time_of(const struct event_merge *m, unsigned int cpu)
{
	return event_queue_time(&m->cpus[cpu].queue);
}

static bool is_before(const struct event_merge *m, unsigned int a, unsigned int b)
{
	uint64_t x = time_of(m, a), y = time_of(m, b);

	return x < y || (x == y && a < b);
}

/* Move the entry at the top down to its place. */
static void sift_down(struct event_merge *m, unsigned int nr, unsigned int at)
{
	unsigned int moving = m->heap[at];

	for (;;) {
		unsigned int child = 2 * at + 1;

		if (child >= nr)
			break;
		if (child + 1 < nr && is_before(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (!is_before(m, m->heap[child], moving))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = moving;
}

/* The time up to which the first CPU's events go first, inclusively if *ret_ties. */
static uint64_t end_of_run(const struct event_merge *m, unsigned int nr, uint64_t limit_ns,
			   bool *ret_ties)
{
	unsigned int next;
	uint64_t time_ns;

	*ret_ties = false;
	if (nr < 2)
		return limit_ns;
	next = nr > 2 && is_before(m, m->heap[2], m->heap[1]) ? m->heap[2] : m->heap[1];
	time_ns = time_of(m, next);
	if (time_ns >= limit_ns)
		return limit_ns;
	*ret_ties = m->heap[0] < next;
	return time_ns;
}

int event_merge_until(struct event_merge *m, uint64_t limit_ns, merge_fn fn, void *ctx)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < m->nr; i++)
		if (time_of(m, i) < limit_ns)
			m->heap[nr++] = i;
	for (unsigned int i = nr / 2; i-- > 0;)
		sift_down(m, nr, i);
	while (nr) {
		struct merge_cpu *first = &m->cpus[m->heap[0]];
		bool ties;
		uint64_t end = end_of_run(m, nr, limit_ns, &ties), now;

		while ((now = event_queue_time(&first->queue)) < end || (ties && now == end)) {
			int ret = fn(ctx, first->cpu, event_queue_take(&first->queue));

			if (ret < 0)
				return ret;
		}
		if (now >= limit_ns)
			m->heap[0] = m->heap[--nr];
		if (nr)
			sift_down(m, nr, 0);
	}
	return 0;
}
