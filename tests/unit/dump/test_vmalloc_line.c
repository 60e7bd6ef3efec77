// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/dump/vmalloc_line.h"

static void check(const char *text, uint64_t bytes, uint64_t pages, const char *caller,
		  enum area_use use)
{
	struct vmalloc_line l;

	assert_true(vmalloc_line_parse(text, &l));
	assert_int_equal(l.bytes, bytes);
	assert_int_equal(l.pages, pages);
	assert_int_equal(l.caller_len, strlen(caller));
	assert_memory_equal(l.caller ? l.caller : "", caller, strlen(caller));
	assert_string_equal(area_use_name(l.use), area_use_name(use));
}

static void test_lines_of_the_kernel(void **state)
{
	(void)state;
	check("0x00000000681714a7-0x00000000c3a6761a   20480 kernel_clone+0xb8/0x400 pages=4 "
	      "vmalloc N0=4",
	      20480, 4, "kernel_clone+0xb8/0x400", AREA_VMALLOC);
	check("0xf8000000-0xf8002000    8192 xt_alloc+0x1/0x2 [x_tables] pages=1 vmalloc N0=1",
	      8192, 1, "xt_alloc+0x1/0x2 [x_tables]", AREA_VMALLOC);
	check("0x1-0x2    8192 acpi_os_map_iomem+0x1bc/0x1e0 phys=0x00000000000a0000 ioremap", 8192,
	      0, "acpi_os_map_iomem+0x1bc/0x1e0", AREA_IOREMAP);
	check("0x1-0x2   20480 irq_init+0xed/0x120 vmap", 20480, 0, "irq_init+0xed/0x120",
	      AREA_VMAP);
	check("0x1-0x2   20480 f+0x1/0x2 pages=9 vmalloc user vpages N0=4 N1=5", 20480, 9,
	      "f+0x1/0x2", AREA_VMALLOC);
	check("0x1-0x2   20480 f+0x1/0x2 dma-coherent", 20480, 0, "f+0x1/0x2", AREA_VMAP);
	check("0x1-0x2    8192 unpurged vm_area", 8192, 0, "", AREA_UNPURGED);
	check("0x1-0x2   65536 vm_map_ram", 65536, 0, "", AREA_MAP_RAM);
	check("0x(____ptrval____)-0x(____ptrval____)    8192 f+0x1/0x2 vmalloc", 8192, 0,
	      "f+0x1/0x2", AREA_VMALLOC);
}

static void test_areas_without_a_caller(void **state)
{
	(void)state;
	check("0x1-0x2    8192 pages=1 vmalloc N0=1", 8192, 1, "", AREA_VMALLOC);
	check("0x1-0x2    8192 phys=0x1000 ioremap", 8192, 0, "", AREA_IOREMAP);
	check("0x1-0x2    8192", 8192, 0, "", AREA_OTHER);
}

static void test_other_lines_are_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"0x1-0x2",
		"0x1-0x2 f+0x1/0x2 8192",
		"0x1 0x2 8192 f vmalloc",
		"0x1-0x2 -8192 f",
		"0x1-0x2 8192x f",
		"1-2 8192 f vmalloc",
		"0x-0x2 8192 f",
		"0x1-0x2 99999999999999999999 f",
		"0x1-0x2 4503599627370497 f",
	};
	struct vmalloc_line l;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(vmalloc_line_parse(bad[i], &l));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_of_the_kernel),
		cmocka_unit_test(test_areas_without_a_caller),
		cmocka_unit_test(test_other_lines_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
