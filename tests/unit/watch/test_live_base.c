// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/skip.h"
#include "util/base/clock.h"
#include "util/watch/live_base.h"

struct fixture {
	struct live_base base;
	uint64_t tick_ns, look_ns, round_ns;
	int rounds, looks;
};

static int take_tick(void *ctx, uint64_t ns, struct error *err)
{
	struct fixture *f = ctx;

	(void)err;
	f->tick_ns = ns;
	return 0;
}

static int look(void *ctx, uint64_t ns, struct error *err)
{
	struct fixture *f = ctx;

	(void)err;
	f->look_ns = ns;
	return ++f->looks == 3;
}

static int look_fails(void *ctx, uint64_t ns, struct error *err)
{
	(void)ctx, (void)ns;
	return error_set(err, EIO, "no");
}

static int wait_ms(const struct live_base *b, uint64_t ns)
{
	(void)b, (void)ns;
	return 1;
}

static int count_round(struct live_base *b, uint64_t ns)
{
	struct fixture *f = (struct fixture *)b;

	f->round_ns = ns;
	return ++f->rounds == 100 ? -EINVAL : 0;
}

static const struct live_rounds rounds = {wait_ms, count_round};
static const struct event_sink sink = {.tick = take_tick};
static const struct event_source_ops ops = {.name = "test"};

static void init(struct fixture *f, int (*fn)(void *, uint64_t, struct error *))
{
	const struct live_options options = {.wake_fd = -1, .look = fn, .ctx = f};

	*f = (struct fixture){.rounds = 0};
	live_base_init(&f->base, &ops, &options);
	live_base_begin(&f->base, &sink, f, NULL);
}

/* A ring may be half written when it is looked at first: then nothing is certain, not even its
 * beginning. */
static void test_nothing_is_reached_before_the_start(void **state)
{
	struct fixture f;

	(void)state;
	init(&f, NULL);
	f.base.facts.stated_start_ns = 1000;
	assert_int_equal(live_base_reached(&f.base, 0), 0);
	assert_int_equal(f.tick_ns, 1000);
	assert_int_equal(f.base.facts.stated_stop_ns, 1000);
	assert_int_equal(live_base_reached(&f.base, 1500), 0);
	assert_int_equal(f.tick_ns, 1500);
	assert_int_equal(f.base.facts.stated_stop_ns, 1500);
	live_base_deinit(&f.base);
}

static void test_follows_until_its_caller_has_seen_enough(void **state)
{
	struct fixture f;
	struct error err = ERROR_INIT;
	uint64_t before = now_ns();

	(void)state;
	init(&f, look);
	assert_int_equal(live_base_follow(&f.base, &rounds), 0);
	assert_int_equal(f.looks, 3);
	assert_int_equal(f.rounds, 3);
	assert_true(f.round_ns >= before + 3000000 && f.look_ns >= f.round_ns);
	live_base_deinit(&f.base);
	init(&f, look_fails);
	f.base.err = &err;
	assert_int_equal(live_base_follow(&f.base, &rounds), -EIO);
	assert_int_equal(f.rounds, 1);
	live_base_deinit(&f.base);
	init(&f, NULL);
	assert_int_equal(live_base_follow(&f.base, &rounds), -EINVAL);
	assert_int_equal(f.rounds, 100);
	live_base_deinit(&f.base);
}

static void test_loss_is_of_the_events_that_it_has(void **state)
{
	struct bpf_counts counts[BPF_KINDS] = {{.lost_full = 0}};
	struct fixture f;

	(void)state;
	if (!bpf_capture_kinds(1u << BPF_KFREE))
		skip_because("kfree cannot be captured through BPF here");
	init(&f, NULL);
	f.base.options.capture.kinds = 1u << BPF_KFREE | 1u << BPF_PAGE_FREE;
	assert_int_equal(live_base_add_facts(&f.base, kmem_kind_is_slab), 0);
	assert_int_equal(f.base.facts.nr_events, 1);
	assert_string_equal(f.base.events[BPF_KFREE]->name, "kmem:kfree");
	assert_null(f.base.events[BPF_PAGE_FREE]);
	counts[BPF_KFREE] = (struct bpf_counts){.lost_full = 3, .lost_missed = 4};
	counts[BPF_PAGE_FREE].lost_full = 100;
	for (int i = 0; i < 2; i++) {
		live_base_set_lost(&f.base, counts);
		assert_int_equal(f.base.facts.nr_lost, 7);
		assert_int_equal(f.base.events[BPF_KFREE]->nr_lost, 7);
	}
	live_base_deinit(&f.base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_reached_before_the_start),
		cmocka_unit_test(test_follows_until_its_caller_has_seen_enough),
		cmocka_unit_test(test_loss_is_of_the_events_that_it_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
