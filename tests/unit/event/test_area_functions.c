// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/event/area_functions.h"

static void check(const struct area_functions *f, const char *name, bool skipped, enum area_use use)
{
	bool is_skipped;

	assert_string_equal(area_use_name(area_functions_find(f, name, strlen(name), &is_skipped)),
			    area_use_name(use));
	assert_int_equal(is_skipped, skipped);
}

static void test_functions_show_a_use(void **state)
{
	struct area_functions f;

	(void)state;
	assert_int_equal(area_functions_init(&f, NULL), 0);
	check(&f, "__get_vm_area_node", true, AREA_OTHER);
	check(&f, "__vmalloc_node_range_noprof", true, AREA_VMALLOC);
	check(&f, "vmap", true, AREA_VMAP);
	check(&f, "acpi_os_ioremap", true, AREA_IOREMAP);
	check(&f, "bpf_prog_pack_alloc", true, AREA_BPF_JIT);
	check(&f, "kernel_clone", false, AREA_STACK);
	check(&f, "load_module", false, AREA_MODULE);
	check(&f, "bpf_prog_alloc_no_stats", false, AREA_BPF);
	check(&f, "htab_map_alloc", false, AREA_BPF);
	check(&f, "bitmap_alloc", false, AREA_OTHER);
	check(&f, "n_tty_open", false, AREA_OTHER);
	area_functions_deinit(&f);
}

static void test_names_as_the_kernel_prints_them(void **state)
{
	static const char longest[] = "bpf_"
				      "0123456789012345678901234567890123456789"
				      "0123456789012345678901234567890123456789";
	struct area_functions f;
	bool skipped;

	(void)state;
	assert_int_equal(area_functions_init(&f, NULL), 0);
	check(&f, "dup_task_struct.isra.0+0x1/0x2", false, AREA_STACK);
	check(&f, "ringbuf_map_alloc+0x1/0x2", false, AREA_BPF);
	check(&f, "load_module [module]", false, AREA_MODULE);
	check(&f, "__vmalloc_node.cold", true, AREA_VMALLOC);
	check(&f, "kernel_clones+0x1/0x2", false, AREA_OTHER);
	check(&f, "0xffffffffc0001000", false, AREA_OTHER);
	check(&f, ".vmap", false, AREA_OTHER);
	check(&f, "", false, AREA_OTHER);
	check(&f, longest, false, AREA_BPF);
	assert_int_equal(area_functions_find(&f, "vmapping", 4, &skipped), AREA_VMAP);
	area_functions_deinit(&f);
}

static void test_the_innermost_purpose_counts(void **state)
{
	(void)state;
	assert_int_equal(area_use_outside(AREA_OTHER, AREA_VMALLOC), AREA_VMALLOC);
	assert_int_equal(area_use_outside(AREA_VMALLOC, AREA_BPF), AREA_BPF);
	assert_int_equal(area_use_outside(AREA_VMAP, AREA_BPF), AREA_BPF);
	assert_int_equal(area_use_outside(AREA_VMAP, AREA_OTHER), AREA_VMAP);
	assert_int_equal(area_use_outside(AREA_STACK, AREA_BPF), AREA_STACK);
	assert_int_equal(area_use_outside(AREA_IOREMAP, AREA_MODULE), AREA_IOREMAP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_show_a_use),
		cmocka_unit_test(test_names_as_the_kernel_prints_them),
		cmocka_unit_test(test_the_innermost_purpose_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
