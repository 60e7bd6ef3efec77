// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/ftrace/cpu_events.h"
#include "util/ftrace/ring_reader.h"

#define PAGE	 4096
#define STACK_ID 4
#define EVENT_ID 5

static const struct ring_layout layout = {.long_size = 8, .page_size = PAGE};

struct built {
	uint8_t page[PAGE];
	uint32_t used;
};

static void put(struct built *b, const void *data, uint32_t size)
{
	memcpy(b->page + 16 + b->used, data, size);
	b->used += size;
}

/* flags distinguish an interrupt from the interrupted task */
static void put_event(struct built *b, uint16_t id, uint8_t flags, uint64_t value, size_t frames)
{
	uint32_t size = 16 + (uint32_t)frames * 8, word = 1u << 5, length = size + 4;
	struct {
		uint16_t type;
		uint8_t flags, preempt;
		int32_t pid;
	} head = {id, flags, 0, 77};
	const uint32_t nr_frames[2] = {(uint32_t)frames};

	put(b, &word, 4);
	put(b, &length, 4);
	put(b, &head, sizeof(head));
	put(b, frames ? (const void *)nr_frames : &value, sizeof(value));
	for (uint64_t i = 0; i < frames; i++)
		put(b, &(uint64_t){value + i}, 8);
}

static ssize_t read_page(void *ctx, uint64_t i, uint8_t *page, uint32_t page_size)
{
	struct built *b = ctx;
	uint64_t used = b->used;

	(void)i;
	memcpy(b->page + 8, &used, sizeof(used));
	memcpy(page, b->page, page_size);
	return page_size;
}

static uint8_t has_stack[RING_IDS];

static void open_events(struct cpu_events *c, struct built *b)
{
	static const struct event_ids ids = {{STACK_ID, 8, 16}, has_stack};
	const struct ring_pages pages = {1, read_page, b};

	has_stack[EVENT_ID] = 1;
	assert_int_equal(cpu_events_init(c, &layout, &ids, &pages, 3), 0);
}

static const struct cpu_event *next(struct cpu_events *c)
{
	const struct cpu_event *e;

	assert_int_equal(cpu_events_peek(c, &e), 0);
	return e;
}

static void expect(struct cpu_events *c, uint64_t value, uint64_t frame)
{
	const struct cpu_event *e = next(c);
	uint64_t v;

	assert_non_null(e);
	memcpy(&v, e->data + 8, sizeof(v));
	assert_int_equal(v, value);
	assert_int_equal(e->cpu, 3);
	if (frame) {
		assert_non_null(e->callchain);
		assert_true(e->callchain[0] == (uint64_t)PERF_CONTEXT_KERNEL);
		assert_int_equal(e->callchain[1], frame);
	} else {
		assert_null(e->callchain);
	}
	cpu_events_pop(c);
}

static void a_stack_belongs_to_the_event_before(void **state)
{
	struct built b = {.used = 0};
	struct cpu_events c;

	(void)state;
	put_event(&b, EVENT_ID, 0, 1, 0);
	put_event(&b, STACK_ID, 0, 100, 3);
	put_event(&b, EVENT_ID, 0, 2, 0);
	put_event(&b, STACK_ID, 0, 200, 2);
	open_events(&c, &b);
	assert_int_equal(next(&c)->nr_callchain, 4);
	expect(&c, 1, 100);
	expect(&c, 2, 200);
	assert_null(next(&c));
	cpu_events_deinit(&c);
}

static void an_interrupt_has_its_own_stacks(void **state)
{
	struct built b = {.used = 0};
	struct cpu_events c;

	(void)state;
	put_event(&b, EVENT_ID, 0, 1, 0);
	put_event(&b, EVENT_ID, 8, 2, 0); /* an interrupt, before the stack of the first */
	put_event(&b, STACK_ID, 8, 200, 1);
	put_event(&b, EVENT_ID, 8, 3, 0); /* without a stack */
	put_event(&b, STACK_ID, 0, 100, 1);
	open_events(&c, &b);
	expect(&c, 1, 100);
	expect(&c, 2, 200);
	expect(&c, 3, 0);
	cpu_events_deinit(&c);
}

static void waiting_for_a_stack_has_an_end(void **state)
{
	struct built b = {.used = 0};
	struct cpu_events c;

	(void)state;
	for (uint64_t i = 0; i <= CPU_EVENTS_AHEAD; i++)
		put_event(&b, EVENT_ID, 0, i, 0);
	put_event(&b, STACK_ID, 9, 100, 1); /* of none of them */
	open_events(&c, &b);
	for (uint64_t i = 0; i <= CPU_EVENTS_AHEAD; i++)
		expect(&c, i, 0);
	assert_null(next(&c));
	assert_int_equal(c.nr_stray_stacks, 1);
	cpu_events_deinit(&c);
}

static void a_stack_that_claims_too_much_has_what_is_there(void **state)
{
	struct built b = {.used = 0};
	struct cpu_events c;
	uint64_t many = INT32_MAX;

	(void)state;
	put_event(&b, EVENT_ID, 0, 1, 0);
	put_event(&b, STACK_ID, 0, 100, 2);
	memcpy(b.page + 16 + b.used - 24, &many, sizeof(many));
	open_events(&c, &b);
	assert_int_equal(next(&c)->nr_callchain, 3);
	expect(&c, 1, 100);
	cpu_events_deinit(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_belongs_to_the_event_before),
		cmocka_unit_test(an_interrupt_has_its_own_stacks),
		cmocka_unit_test(waiting_for_a_stack_has_an_end),
		cmocka_unit_test(a_stack_that_claims_too_much_has_what_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
