// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/record/host_features.h"

static void test_migratetypes(void **state)
{
	struct strbuf names = STRBUF_INIT;

	(void)state;
	assert_int_equal(host_migratetypes(&names,
					   "Page block order: 9\n\n"
					   "Number of blocks type     Unmovable      Movable  "
					   "Reclaimable   HighAtomic      Isolate \n"
					   "Node 0, zone      DMA            1            7\n"),
			 0);
	assert_string_equal(names.buf, "Unmovable Movable Reclaimable HighAtomic Isolate");
	strbuf_reset(&names);
	assert_int_equal(host_migratetypes(&names, "nothing"), 0);
	assert_int_equal(names.len, 0);
	strbuf_deinit(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_migratetypes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
