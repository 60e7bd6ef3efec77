// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/render/form.h"

static void test_forms_are_found_by_name(void **state)
{
	const struct form *form;

	(void)state;
	for (size_t i = 0; (form = form_at(i)); i++) {
		assert_ptr_equal(form_find(form->name), form);
		assert_non_null(strstr(FORM_NAMES, form->name));
		assert_true(!form->needs == !form->lacks);
		assert_true(form->audience);
	}
	assert_null(form_find("tex"));
	assert_null(form_find(""));
}

/* Each can write a report that has everything; text and JSON can write one that has nothing. */
static void test_what_a_form_needs(void **state)
{
	struct error err = ERROR_INIT;
	const struct form *form;

	(void)state;
	for (size_t i = 0; (form = form_at(i)); i++)
		assert_int_equal(form_check(form, "x has",
					    HAS_TABLES | HAS_STACKS | HAS_TIMELINE | HAS_SAMPLES |
						    HAS_METRICS,
					    &err),
				 0);
	assert_int_equal(form_check(&form_openmetrics, "x has", HAS_TABLES, &err), -EINVAL);
	assert_int_equal(form_check(&form_text, "x has", 0, &err), 0);
	assert_int_equal(form_check(&form_json, "x has", 0, &err), 0);
	assert_int_equal(form_check(&form_markdown, "x has", 0, &err), 0);
	assert_int_equal(form_check(&form_csv, "x has", 0, &err), -EINVAL);
	assert_string_equal(err.msg, "x has no tables (--format text, json, markdown, html)");
	assert_int_equal(form_check(&form_folded, "x has", HAS_TABLES, &err), -EINVAL);
	assert_string_equal(err.msg,
			    "x has no stacks to fold (--format text, json, markdown, jsonl, csv, "
			    "html)");
	assert_int_equal(form_check(&form_pprof, "x has", HAS_TABLES | HAS_STACKS, &err), -EINVAL);
	assert_int_equal(form_check(&form_pprof, "x has", HAS_TABLES | HAS_SAMPLES, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms_are_found_by_name),
		cmocka_unit_test(test_what_a_form_needs),
	};

	return cmocka_run_group_tests_name("form", tests, NULL, NULL);
}
