// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/usersym/demangle.h"

#ifdef HAVE_LIBIBERTY
#define WITH_LIBIBERTY 1
#else
#define WITH_LIBIBERTY 0
#endif

static void check(const char *name, const char *expected)
{
	struct strbuf out = STRBUF_INIT;

	strbuf_addstr(&out, "before ");
	demangle(&out, name);
	assert_memory_equal(out.buf, "before ", 7);
	assert_string_equal(out.buf + 7, WITH_LIBIBERTY ? expected : name);
	strbuf_deinit(&out);
}

static void test_cplusplus(void **state)
{
	(void)state;
	check("_ZN4shop6basketIiE3putERKi", "shop::basket<int>::put");
	check("_ZNK4shop6basketIiEltERKS1_", "shop::basket<int>::operator<");
}

static void test_rust_of_both_kinds(void **state)
{
	(void)state;
	check("_ZN3std2io5stdio6_print17h0123456789abcdefE", "std::io::stdio::_print");
	check("_RNvCs1234_7mycrate3foo", "mycrate::foo");
}

static void test_other_names_stay(void **state)
{
	(void)state;
	check("main", "main");
	check("_start", "_start");
	check("_Z", "_Z");
	check("_Z9", "_Z9");
	check("_R1", "_R1");
	check("", "");
}

/* Each parameter is a template of the one before, twice: 2 to the power of 30 names. */
static void test_a_name_that_stands_for_gigabytes_stays(void **state)
{
	struct strbuf name = STRBUF_INIT;

	(void)state;
	strbuf_addstr(&name, "_Z1fI1AIiiE"); /* S_ is f, S0_ A, S1_ A<int, int> */
	for (int i = 1; i < 30; i++) {
		char digit = (char)(i < 10 ? '0' + i : 'A' + i - 10);

		strbuf_addf(&name, "S0_IS%c_S%c_E", digit, digit);
	}
	strbuf_addstr(&name, "Evv");
	check(name.buf, name.buf);
	strbuf_deinit(&name);
}

static void test_long_names_are_cut(void **state)
{
	static char name[2 * DEMANGLED_MAX];
	struct strbuf out = STRBUF_INIT;

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[0] = '_';
	name[1] = 'Z';
	demangle(&out, name);
	assert_int_equal(out.len, DEMANGLED_MAX);
	strbuf_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cplusplus),
		cmocka_unit_test(test_rust_of_both_kinds),
		cmocka_unit_test(test_other_names_stay),
		cmocka_unit_test(test_a_name_that_stands_for_gigabytes_stays),
		cmocka_unit_test(test_long_names_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
