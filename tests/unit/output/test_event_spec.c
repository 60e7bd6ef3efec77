// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "util/output/event_spec.h"

static void test_specs(void **state)
{
	struct event_spec_list l = EVENT_SPEC_LIST_INIT;

	(void)state;
	assert_int_equal(event_spec_list_parse(&l, "kmem:kmalloc,kmem:mm_page_*", NULL), 0);
	assert_int_equal(
		event_spec_list_parse(&l, "kmem:kfree/call-graph=no/,a:two/call-graph=user/", NULL),
		0);
	assert_int_equal(event_spec_list_parse(&l, "kmem:mm_page_free/call-graph=kernel/", NULL),
			 0);
	assert_int_equal(
		event_spec_list_parse(&l, "kmem:mm_page_alloc/max-stack=12,call-graph=kernel/,a:c",
				      NULL),
		0);
	assert_int_equal(
		event_spec_list_parse(&l, "a:d/failed,max-stack=3/,a:five/optional/,a:f", NULL), 0);
	assert_int_equal(l.nr, 10);
	assert_true(l.specs[7].failed_only && !l.specs[7].optional);
	assert_int_equal(l.specs[7].max_stack, 3);
	assert_true(l.specs[8].optional && !l.specs[8].failed_only);
	assert_false(l.specs[9].optional || l.specs[9].failed_only);
	assert_int_equal(l.specs[4].max_stack, 0);
	assert_int_equal(l.specs[5].max_stack, 12);
	assert_int_equal(l.specs[5].callchain, CALLCHAIN_KERNEL);
	assert_int_equal(l.specs[6].max_stack, 0);
	assert_string_equal(l.specs[0].system, "kmem");
	assert_string_equal(l.specs[0].name, "kmalloc");
	assert_int_equal(l.specs[0].callchain, CALLCHAIN_DEFAULT);
	assert_string_equal(l.specs[1].name, "mm_page_*");
	assert_string_equal(l.specs[2].name, "kfree");
	assert_int_equal(l.specs[2].callchain, CALLCHAIN_NONE);
	assert_string_equal(l.specs[3].system, "a");
	assert_int_equal(l.specs[3].callchain, CALLCHAIN_USER);
	assert_int_equal(l.specs[4].callchain, CALLCHAIN_KERNEL);
	event_spec_list_deinit(&l);
}

static void test_bad(void **state)
{
	static const char *const bad[] = {
		"",
		",",
		"kmalloc",
		"kmem:",
		":kmalloc",
		"kmem:kmalloc,",
		"kmem:kmalloc:u",
		"kmem:kmalloc/call-graph=no",
		"kmem:kmalloc/",
		"kmem:kmalloc//",
		"kmem:kmalloc/call-graph=dwarf/",
		"kmem:kmalloc/x/",
		"kmem:kmalloc/failed=1/",
		"kmem:kmalloc/max-stack=/",
		"kmem:kmalloc/max-stack=0/",
		"kmem:kmalloc/max-stack=65536/",
		"kmem:kmalloc/max-stack=deep/",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct event_spec_list l = EVENT_SPEC_LIST_INIT;
		struct error err = ERROR_INIT;

		assert_int_equal(event_spec_list_parse(&l, bad[i], &err), -EINVAL);
		assert_int_not_equal(err.msg[0], 0);
		event_spec_list_deinit(&l);
	}
}

static void test_filter(void **state)
{
	struct event_spec_list l = EVENT_SPEC_LIST_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(event_spec_list_filter(&l, "ptr != 0", &err), -EINVAL);
	assert_int_equal(event_spec_list_parse(&l, "kmem:a", NULL), 0);
	assert_int_equal(event_spec_list_parse(&l, "kmem:two,kmem:c", NULL), 0);
	assert_int_equal(event_spec_list_filter(&l, "ptr != 1", NULL), 0);
	assert_int_equal(event_spec_list_filter(&l, "ptr != 2", NULL), 0);
	assert_null(l.specs[0].filter);
	assert_string_equal(l.specs[1].filter, "ptr != 2");
	assert_string_equal(l.specs[2].filter, "ptr != 2");
	event_spec_list_deinit(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_specs),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_filter),
	};

	return cmocka_run_group_tests_name("event_spec", tests, NULL, NULL);
}
