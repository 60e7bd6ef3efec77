// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/base/array.h"
#include "util/cli/option_words.h"

struct command {
	struct option_words words;
	const char *input;
	bool force;
	uint64_t line;
};

static int ignore(const struct option_use *use, struct error *err)
{
	(void)use;
	(void)err;
	return 0;
}

static void used(void *into, const struct option_use *use)
{
	struct command *c = into;

	option_words_add(&c->words, use);
}

static const struct option table[] = {
	OPT_BOOL('f', "force", struct command, force, "do it"),
	OPT_STRING('i', "input", struct command, input, "<file>", "input file name"),
	OPT_U64_BOUNDED(0, "line", struct command, line, "<n>", "show n lines", 1, 9),
	OPT_CALLBACK_FLAGS(0, "comm", "<name>", "command", ignore, OPTION_NEGATABLE),
	OPT_OPTARG_CALLBACK('z', "zip", "<n>", "level", ignore),
	OPT_END(),
};

/* The words of a command line, until an option is refused. */
static void assert_words(const char **argv, int argc, const char *expected, bool printable)
{
	static const struct options options = {"perf kmem", NULL, table, .used = used};
	struct command c = {.words = {STRBUF_INIT, false}};
	int left;

	options_parse(&options, &c, argc, argv, 0, &left, NULL);
	assert_string_equal(c.words.text.buf ? c.words.text.buf : "", expected);
	assert_int_equal(!c.words.unprintable, printable);
	strbuf_deinit(&c.words.text);
}

#define ASSERT_WORDS(expected, printable, ...)                                                     \
	do {                                                                                       \
		const char *argv[16] = {"kmem", __VA_ARGS__};                                      \
		int argc = 0;                                                                      \
                                                                                                   \
		while (argv[argc])                                                                 \
			argc++;                                                                    \
		assert_words(argv, argc, expected, printable);                                     \
	} while (0)

static void test_options_are_repeated_in_order(void **state)
{
	(void)state;
	ASSERT_WORDS("", true, NULL);
	ASSERT_WORDS(" -f -i a.data --line 7", true, "--force", "-ia.data", "--li=7");
	ASSERT_WORDS(" --comm a --no-comm --comm b", true, "--comm=a", "--no-comm", "--comm", "b");
	ASSERT_WORDS(" --zip --zip=3", true, "-z", "-z3");
}

static void test_only_options_that_took_effect(void **state)
{
	(void)state;
	ASSERT_WORDS(" -f", true, "-f", "--line=10", "-i", "a");
	ASSERT_WORDS(" -f", true, "-f", "word", "--", "-i", "a");
}

static void test_a_shell_takes_each_word_as_one(void **state)
{
	(void)state;
	ASSERT_WORDS(" --comm 'a b'", true, "--comm", "a b");
	ASSERT_WORDS(" --comm 'py*'", true, "--comm", "py*");
	ASSERT_WORDS(" --comm ''", true, "--comm=");
	ASSERT_WORDS(" -i 'it'\\''s'", true, "-i", "it's");
	ASSERT_WORDS(" --comm '$(x)`y`\"\\'", true, "--comm", "$(x)`y`\"\\");
	ASSERT_WORDS(" --comm 'é'", true, "--comm", "é");
}

static void test_what_cannot_be_printed_is_noted(void **state)
{
	(void)state;
	ASSERT_WORDS(" --comm 'a\nb'", false, "--comm", "a\nb");
	ASSERT_WORDS(" -i '\xff'", false, "-i", "\xff");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options_are_repeated_in_order),
		cmocka_unit_test(test_only_options_that_took_effect),
		cmocka_unit_test(test_a_shell_takes_each_word_as_one),
		cmocka_unit_test(test_what_cannot_be_printed_is_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
