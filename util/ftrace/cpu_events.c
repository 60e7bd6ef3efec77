// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/ftrace/cpu_events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/bytes.h"

/* common_type, common_flags, common_preempt_count, common_pid: the same in every event of every
 * kernel. */
#define COMMON_BYTES 8

int cpu_events_init(struct cpu_events *c, const struct ring_layout *layout,
		    const struct event_ids *ids, const struct ring_pages *pages, int32_t cpu)
{
	*c = (struct cpu_events){.layout = layout, .ids = ids, .pages = *pages, .cpu = cpu};
	c->buf = malloc(layout->page_size);
	return c->buf ? 0 : -ENOMEM;
}

void cpu_events_deinit(struct cpu_events *c)
{
	for (size_t i = 0; i < c->cap_waiting; i++)
		strbuf_deinit(&c->waiting[i].data);
	free(c->waiting);
	free(c->buf);
	*c = (struct cpu_events){0};
}

void cpu_events_rewind(struct cpu_events *c)
{
	c->next_page = 0;
	c->page = (struct ring_page){0};
	c->first = c->nr_waiting = 0;
	c->missed = 0;
	c->nr_broken_pages = c->first_broken = c->nr_stray_stacks = 0;
	c->truncated = false;
}

static void note_broken(struct cpu_events *c, uint64_t page)
{
	if (!c->nr_broken_pages++)
		c->first_broken = page;
}

/* Returns 1, or 0 after the last page. */
static int next_page(struct cpu_events *c)
{
	ssize_t n;

	if (c->next_page >= c->pages.nr || c->truncated)
		return 0;
	n = c->pages.read(c->pages.ctx, c->next_page, c->buf, c->layout->page_size);
	if (n < 0)
		return (int)n;
	c->next_page++;
	c->truncated = (size_t)n < c->layout->page_size;
	if (!ring_page_init(&c->page, c->layout, c->buf, (size_t)n))
		return 0;
	if (c->page.missed)
		c->missed = c->page.nr_missed ? c->page.nr_missed : UINT64_MAX;
	return 1;
}

/* Read the next event of the buffer. Returns 1, or 0 at the end. */
static int next_event(struct cpu_events *c, struct ring_event *ret_event)
{
	int ret;

	for (;;) {
		while (c->page.layout && ring_page_next(&c->page, ret_event))
			if (ret_event->size >= COMMON_BYTES)
				return 1;
			else
				c->page.broken = true;
		if (c->page.broken)
			note_broken(c, c->next_page - 1);
		c->page = (struct ring_page){0};
		ret = next_page(c);
		if (ret <= 0)
			return ret;
	}
}

static uint16_t id_of(const struct cpu_events *c, const struct ring_event *e)
{
	return load_u16(e->data, c->layout->swap);
}

static bool is_stack(const struct cpu_events *c, uint16_t id)
{
	return c->ids->stack.id && id == c->ids->stack.id;
}

/* ---- waiting events ---- */

static struct waiting_event *waiting_at(struct cpu_events *c, size_t i)
{
	return &c->waiting[(c->first + i) & (c->cap_waiting - 1)];
}

/* Double the ring. Few events wait at a time, so it starts with one. */
static __attribute__((noinline)) int grow_waiting(struct cpu_events *c)
{
	size_t cap = c->cap_waiting ? 2 * c->cap_waiting : 1;
	struct waiting_event *v = calloc(cap, sizeof(*v));

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < c->cap_waiting; i++) {
		v[i] = *waiting_at(c, i);
		if (v[i].event.callchain)
			v[i].event.callchain = v[i].stack;
	}
	for (size_t i = c->cap_waiting; i < cap; i++)
		strbuf_init(&v[i].data);
	free(c->waiting);
	c->waiting = v;
	c->cap_waiting = cap;
	c->first = 0;
	return 0;
}

static uint64_t context_of(const struct ring_event *e)
{
	uint64_t v = 0;

	memcpy(&v, e->data + 2, COMMON_BYTES - 2);
	return v;
}

static int add(struct cpu_events *c, const struct ring_event *e, uint16_t id)
{
	struct waiting_event *w;

	if (c->nr_waiting == c->cap_waiting && grow_waiting(c))
		return -ENOMEM;
	w = waiting_at(c, c->nr_waiting);
	strbuf_reset(&w->data);
	if (strbuf_add(&w->data, e->data, e->size))
		return -ENOMEM;
	w->context = context_of(e);
	w->event = (struct cpu_event){
		.time_ns = e->time_ns,
		.id = id,
		.cpu = c->cpu,
		.data = (const uint8_t *)w->data.buf,
		.size = e->size,
		.missed = c->missed,
	};
	c->missed = 0;
	c->nr_waiting++;
	return 0;
}

/* Callchains have the byte order of the events. */
static uint64_t to_order(const struct cpu_events *c, uint64_t v)
{
	return c->layout->swap ? __builtin_bswap64(v) : v;
}

/* Read addresses up to the first invalid one, omitting markers. */
static size_t read_stack(const struct cpu_events *c, const struct ring_event *e, uint64_t *stack)
{
	const struct stack_format *f = &c->ids->stack;
	size_t long_size = c->layout->long_size, nr = 0, fits;
	uint32_t stored;

	if (f->size_at + 4u > e->size || f->caller_at > e->size)
		return 0;
	stored = load_u32(e->data + f->size_at, c->layout->swap);
	fits = (e->size - f->caller_at) / long_size;
	for (size_t i = 0; i < stored && i < fits && nr < RING_STACK_MAX; i++) {
		const uint8_t *at = e->data + f->caller_at + i * long_size;
		uint64_t address = long_size == 4 ? load_u32(at, c->layout->swap)
						  : load_u64(at, c->layout->swap);

		/* before 5.2 the list ended with ULONG_MAX */
		if (address >= (uint64_t)PERF_CONTEXT_MAX ||
		    (long_size == 4 && address == UINT32_MAX))
			break;
		/* an ftrace trampoline (FTRACE_TRAMPOLINE_MARKER) */
		if (address != INT32_MAX)
			stack[nr++] = to_order(c, address);
	}
	return nr;
}

static void add_stack(struct cpu_events *c, const struct ring_event *e)
{
	uint64_t context = context_of(e);

	for (size_t i = c->nr_waiting; i--;) {
		struct waiting_event *w = waiting_at(c, i);
		size_t nr;

		if (w->event.callchain || w->context != context)
			continue;
		nr = read_stack(c, e, w->stack + 1);
		w->stack[0] = to_order(c, (uint64_t)PERF_CONTEXT_KERNEL);
		w->event.callchain = w->stack;
		w->event.nr_callchain = nr + 1;
		return;
	}
	c->nr_stray_stacks++;
}

static bool waits(const struct cpu_events *c, const struct cpu_event *e)
{
	return !e->callchain && c->ids->has_stack && c->ids->has_stack[e->id];
}

int cpu_events_peek(struct cpu_events *c, const struct cpu_event **ret_event)
{
	while (!c->nr_waiting ||
	       (c->nr_waiting < CPU_EVENTS_AHEAD && waits(c, &waiting_at(c, 0)->event))) {
		struct ring_event e;
		int ret = next_event(c, &e);
		uint16_t id;

		if (ret < 0)
			return ret;
		if (!ret)
			break;
		id = id_of(c, &e);
		if (is_stack(c, id))
			add_stack(c, &e);
		else if (add(c, &e, id))
			return -ENOMEM;
	}
	*ret_event = c->nr_waiting ? &waiting_at(c, 0)->event : NULL;
	return 0;
}

void cpu_events_pop(struct cpu_events *c)
{
	c->first = (c->first + 1) & (c->cap_waiting - 1);
	c->nr_waiting--;
}

int cpu_events_scan(struct cpu_events *c, int (*fn)(void *ctx, const struct cpu_event *event),
		    void *ctx)
{
	struct ring_event e;
	int ret;

	while ((ret = next_event(c, &e)) > 0) {
		struct cpu_event event = {
			.time_ns = e.time_ns,
			.id = id_of(c, &e),
			.cpu = c->cpu,
			.data = e.data,
			.size = e.size,
		};

		ret = fn(ctx, &event);
		if (ret < 0)
			return ret;
	}
	return ret;
}
