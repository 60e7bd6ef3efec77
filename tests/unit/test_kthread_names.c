// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/base/cleanup.h"
#include "util/record/kthread_names.h"
#include "util/record/synthesize.h"

static void look_at_fork(struct kthread_names *k, uint32_t parent, uint32_t child)
{
	_cleanup_(strbuf_deinit) struct strbuf record = STRBUF_INIT;
	const struct sample_id id = {
		.pid = parent, .tid = parent, .time = 1000 + child, .cpu = 1, .id = 7};

	assert_int_equal(synthesize_fork(&record, child, child, &id), 0);
	assert_int_equal(kthread_names_look(k, record.buf, record.len), 0);
}

static void test_other_tasks_have_their_parents_name(void **state)
{
	_cleanup_(strbuf_deinit) struct strbuf out = STRBUF_INIT;
	const struct sample_id id = {.pid = 2, .tid = 2};
	struct kthread_names k = {0};

	(void)state;
	look_at_fork(&k, 1, 3);
	look_at_fork(&k, (uint32_t)getppid(), (uint32_t)getpid());
	assert_int_equal(k.nr, 0);
	/* process 2 of a container is no kthreadd */
	look_at_fork(&k, 2, (uint32_t)getpid());
	/* ended */
	look_at_fork(&k, 2, 1u << 30);
	assert_int_equal(k.nr, 2);
	assert_int_equal(synthesize_exit(&out, &id), 0);
	assert_int_equal(kthread_names_look(&k, out.buf, out.len), 0);
	assert_int_equal(kthread_names_look(&k, out.buf, sizeof(struct perf_event_header)), 0);
	assert_int_equal(k.nr, 2);
	strbuf_reset(&out);
	assert_int_equal(kthread_names_add(&k, &out), 0);
	assert_int_equal(out.len, 0);
	assert_int_equal(k.nr, 0);
	kthread_names_deinit(&k);
}

static void test_kernel_threads_have_their_own(void **state)
{
	_cleanup_(strbuf_deinit) struct strbuf name = STRBUF_INIT, out = STRBUF_INIT;
	struct kthread_names k = {0};
	struct sample_id id;

	(void)state;
	if (strbuf_read_file(&name, "/proc/2/comm") || strcmp(name.buf, "kthreadd\n") != 0)
		skip();
	for (int i = 0; i < 100; i++)
		look_at_fork(&k, 2, 2);
	assert_int_equal(kthread_names_add(&k, &out), 0);
	/* pid, tid, name, sample_id */
	assert_int_equal(out.len, 100 * (sizeof(struct perf_event_header) + 8 + 16 + sizeof(id)));
	assert_string_equal(out.buf + sizeof(struct perf_event_header) + 8, "kthreadd");
	memcpy(&id, out.buf + sizeof(struct perf_event_header) + 8 + 16, sizeof(id));
	/* as the FORK record has it: they are in order */
	assert_true(id.time == 1002 && id.cpu == 1 && id.id == 7);
	kthread_names_deinit(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_tasks_have_their_parents_name),
		cmocka_unit_test(test_kernel_threads_have_their_own),
	};

	return cmocka_run_group_tests_name("kthread_names", tests, NULL, NULL);
}
