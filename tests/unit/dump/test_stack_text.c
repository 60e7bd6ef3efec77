// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "util/dump/stack_text.h"

/* "b<a": the names of the chain of these lines. */
static void check(struct stack_texts *s, const char *lines, const char *want)
{
	const uint64_t *chain = NULL;
	char got[256] = "";
	size_t nr;

	stack_texts_begin(s);
	while (*lines) {
		size_t len = strcspn(lines, "\n");

		stack_texts_add(s, lines, len);
		lines += len + 1;
	}
	assert_int_equal(stack_texts_chain(s, &chain, &nr), 0);
	if (nr)
		assert_true(chain[0] == (uint64_t)PERF_CONTEXT_KERNEL);
	for (size_t i = 1; i < nr; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i > 1 ? "<" : "",
			 site_names_find(s->names, chain[i])->name);
	assert_string_equal(got, want);
}

static void test_stacks_are_told_apart(void **state)
{
	struct site_names names;
	struct stack_texts s;

	(void)state;
	site_names_init(&names);
	stack_texts_init(&s, &names);
	check(&s, " \n", ""); /* no frame: nothing to remember */
	for (int i = 0; i < 3; i++) {
		check(&s, " a+0x1/0x2\n b+0x1/0x2\n", "a<b");
		check(&s, " a+0x1/0x2\n b+0x1/0x2\n", "a<b"); /* the same again */
		check(&s, " a+0x1/0x2\n", "a");		      /* a part of it */
		check(&s, " a+0x1/0x2\n c+0x1/0x2\n", "a<c"); /* begins like it */
		check(&s, " a+0x1/0x2\n c+0x1/0x2\n d+0x1/0x2\n", "a<c<d");
		check(&s, "", "");
		check(&s, " \n", "");
		check(&s, " b+0x1/0x2\n", "b");
	}
	assert_int_equal(s.texts.nr, 5);
	stack_texts_deinit(&s);
	site_names_deinit(&names);
}

static void test_a_stack_without_end(void **state)
{
	struct site_names names;
	struct stack_texts s;
	const uint64_t *chain;
	char line[64];
	size_t nr;

	(void)state;
	site_names_init(&names);
	stack_texts_init(&s, &names);
	stack_texts_begin(&s);
	for (int i = 0; i < 100000; i++) {
		snprintf(line, sizeof(line), " function_%d+0x1/0x2", i);
		stack_texts_add(&s, line, strlen(line));
	}
	assert_int_equal(stack_texts_chain(&s, &chain, &nr), 0);
	assert_int_equal(nr, STACK_FRAMES_MAX + 1);
	assert_true(s.bytes < 1u << 20);
	stack_texts_deinit(&s);
	site_names_deinit(&names);
}

/* Beyond the limit each is parsed anew. */
static void test_memory_is_bounded(void **state)
{
	struct site_names names;
	struct stack_texts s;
	char line[32], name[16];

	(void)state;
	site_names_init(&names);
	stack_texts_init(&s, &names);
	s.bytes = STACK_TEXT_MAX;
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		snprintf(line, sizeof(line), " %s+0x1/0x2\n", name);
		check(&s, " x+0x1/0x2\n", "x");
		check(&s, line, name);
	}
	assert_int_equal(s.texts.nr, 0);
	stack_texts_deinit(&s);
	site_names_deinit(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks_are_told_apart),
		cmocka_unit_test(test_a_stack_without_end),
		cmocka_unit_test(test_memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
