// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/base/cleanup.h"
#include "util/base/strbuf.h"
#include "util/cli/options.h"
#include "util/cli/subcommand.h"

/* The result of one command line. */
struct result {
	bool force, hidden, cached;
	int verbose;
	const char *input;
	uint64_t line, bytes;
	char calls[256]; /* calls of the callbacks, in order */
	int left;
	int ret;
	struct error err;
	const char *argv[16];
};

static int note(const struct option_use *use, struct error *err)
{
	struct result *r = use->into;
	size_t used = strlen(r->calls);

	if (use->arg && !strcmp(use->arg, "bad"))
		return error_set(err, EINVAL, "unknown key '%s'", use->arg);
	snprintf(r->calls + used, sizeof(r->calls) - used, "%s%s%s%s ", use->unset ? "no-" : "",
		 use->opt->long_name, use->arg ? "=" : "", use->arg ? use->arg : "");
	return 0;
}

static const char *const usage[] = {
	"perf kmem stat [<options>]",
	"perf kmem [<options>] {record|stat} and a line that must be wrapped somewhere",
	NULL,
};

static const struct option table[] = {
	OPT_BOOL('f', "force", struct result, force, "do it"),
	OPT_COUNT('v', "verbose", struct result, verbose, "say more"),
	OPT_STRING('i', "input", struct result, input, "<file>", "input file name"),
	OPT_GROUP("Tables"),
	OPT_U64_BOUNDED('l', "line", struct result, line, "<n>", "show n lines", 1, 1000),
	OPT_SIZE(0, "min-bytes", struct result, bytes, "<size>", "only rows of at least so much"),
	OPT_FLAG_CALLBACK(0, "caller", "by call site", note),
	OPT_FLAG_CALLBACK(0, "alloc", "by object", note),
	OPT_FLAG_CALLBACK(0, "live", "what is live", note),
	OPT_CALLBACK('s', "sort", "<key[,key...]>",
		     "sort by keys: ptr, callsite, bytes, hit, frag, pingpong", note),
	OPT_OPTARG_CALLBACK('z', "zip", "<n>", "level", note),
	OPT_CALLBACK_FLAGS(0, "group", "<g>", "group", note, OPTION_NEGATABLE),
	OPT_BOOL(0, "no-cache", struct result, cached, "without a cache"),
	OPT_HIDDEN(OPTION_BOOL, 'x', "xyzzy", struct result, hidden),
	OPT_END(),
};

/* Parse the words of one string. */
static void parse_flags(struct result *r, const char *line, unsigned int flags)
{
	static char copy[512]; /* argv points into it */
	char *rest = NULL;
	const struct options options = {"perf kmem stat", usage, table};
	int argc = 1;

	memset(r, 0, sizeof(*r));
	r->argv[0] = "stat";
	r->left = -1;
	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		r->argv[argc++] = word;
	r->ret = options_parse(&options, r, argc, r->argv, flags, &r->left, &r->err);
}

static void parse(struct result *r, const char *line)
{
	parse_flags(r, line, 0);
}

#define SEE " (see 'perf kmem stat --help')"

/* An option that a table does not have may be one of another program. */
static int code_of(const char *message)
{
	return strncmp(message, "unknown option", 14) ? -EINVAL : -EOPNOTSUPP;
}

static void assert_error(const char *line, const char *message)
{
	struct result r;

	parse(&r, line);
	assert_int_equal(r.ret, code_of(message));
	assert_string_equal(r.err.msg, message);
	assert_int_equal(r.left, -1);
}

static void test_every_way_to_write_an_argument(void **state)
{
	static const char *const lines[] = {"-l7",	"-l 7",	   "--line=7",
					    "--line 7", "--lin 7", "-l 0x7"};
	struct result r;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		parse(&r, lines[i]);
		assert_int_equal(r.ret, 0);
		assert_int_equal(r.line, 7);
		assert_int_equal(r.left, 0);
	}
	parse(&r, "--input= -fvvl3 --min-bytes 12k");
	assert_string_equal(r.input, "");
	assert_true(r.force);
	assert_int_equal(r.verbose, 2);
	assert_int_equal(r.line, 3);
	assert_int_equal(r.bytes, 12288);
}

static void test_an_argument_may_look_like_an_option(void **state)
{
	struct result r;

	(void)state;
	parse(&r, "-i --force -s -");
	assert_int_equal(r.ret, 0);
	assert_string_equal(r.input, "--force");
	assert_string_equal(r.calls, "sort=- ");
	assert_false(r.force);
}

static void test_negation(void **state)
{
	struct result r;

	(void)state;
	parse(&r, "-f --no-force -vvv --no-verbose");
	assert_int_equal(r.ret, 0);
	assert_false(r.force);
	assert_int_equal(r.verbose, 0);
	parse(&r, "--no-cache");
	assert_true(r.cached);
	parse(&r, "--no-cache --cache");
	assert_false(r.cached);
	parse(&r, "--group a --no-group");
	assert_string_equal(r.calls, "group=a no-group ");
	parse(&r, "--no-for");
	assert_int_equal(r.ret, 0);
	assert_error("--no-input", "unknown option '--no-input', did you mean '--input'?" SEE);
	assert_error("--no-force=1", "option '--no-force' takes no argument" SEE);
}

static void test_callbacks_run_in_command_line_order(void **state)
{
	struct result r;

	(void)state;
	parse(&r, "--caller -s bytes --alloc -sptr --cal");
	assert_int_equal(r.ret, 0);
	assert_string_equal(r.calls, "caller sort=bytes alloc sort=ptr caller ");
}

static void test_an_optional_argument_is_attached(void **state)
{
	struct result r;

	(void)state;
	parse(&r, "-z -z3 --zip --zip=4 --zip 5 -fz");
	assert_int_equal(r.ret, 0);
	assert_string_equal(r.calls, "zip zip=3 zip zip=4 zip zip ");
	assert_int_equal(r.left, 1);
	assert_string_equal(r.argv[0], "5");
}

static void test_other_arguments_are_left_in_order(void **state)
{
	struct result r;

	(void)state;
	parse(&r, "a -f b - -- -v --nonsense");
	assert_int_equal(r.ret, 0);
	assert_true(r.force);
	assert_int_equal(r.verbose, 0);
	assert_int_equal(r.left, 5);
	assert_string_equal(r.argv[0], "a");
	assert_string_equal(r.argv[1], "b");
	assert_string_equal(r.argv[2], "-");
	assert_string_equal(r.argv[3], "-v");
	assert_string_equal(r.argv[4], "--nonsense");
	assert_null(r.argv[5]);
}

static void test_stop_at_the_first_other_argument(void **state)
{
	struct result r;

	(void)state;
	parse_flags(&r, "-f stat -v --nonsense -- x", OPTIONS_STOP_AT_NON_OPTION);
	assert_int_equal(r.ret, 0);
	assert_int_equal(r.verbose, 0);
	assert_int_equal(r.left, 5);
	assert_string_equal(r.argv[0], "stat");
	assert_string_equal(r.argv[3], "--");
	parse_flags(&r, "-f -- sh -c x", OPTIONS_STOP_AT_NON_OPTION);
	assert_int_equal(r.left, 3);
	assert_string_equal(r.argv[0], "sh");
	parse_flags(&r, "", OPTIONS_STOP_AT_NON_OPTION);
	assert_int_equal(r.left, 0);
}

static void test_help(void **state)
{
	static const char *const lines[] = {"-h", "--help", "--hel", "-fh --nonsense"};
	struct result r;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		parse(&r, lines[i]);
		assert_int_equal(r.ret, OPTIONS_HELP);
	}
	assert_error("--help=1", "option '--help' takes no argument" SEE);
}

static void test_a_table_may_have_its_own_h(void **state)
{
	static const struct option own[] = {
		OPT_BOOL('h', "human", struct result, force, "1.2 MiB"),
		OPT_END(),
	};
	const struct options options = {"perf", usage, own};
	const char *argv[] = {"perf", "-h", NULL};
	const char *ambiguous[] = {"perf", "--h", NULL};
	const char *help[] = {"perf", "--help", NULL};
	struct result r = {0};
	struct error err = ERROR_INIT;
	int left;

	(void)state;
	assert_int_equal(options_parse(&options, &r, 2, argv, 0, &left, &err), 0);
	assert_true(r.force);
	assert_int_equal(options_parse(&options, &r, 2, help, 0, &left, NULL), OPTIONS_HELP);
	assert_int_equal(options_parse(&options, &r, 2, ambiguous, 0, &left, &err), -EINVAL);
	assert_string_equal(err.msg, "option '--h' is ambiguous, it may be '--human', '--help' "
				     "(see 'perf --help')");
}

static void test_unknown_options_are_named_as_typed(void **state)
{
	(void)state;
	assert_error("--inptu x", "unknown option '--inptu', did you mean '--input'?" SEE);
	assert_error("--frobnicate=3", "unknown option '--frobnicate'" SEE);
	assert_error("-caller", "unknown option '-caller', did you mean '--caller'?" SEE);
	assert_error("-q", "unknown option '-q'" SEE);
	assert_error("-fq", "unknown option '-q' in '-fq'" SEE);
	assert_error("-f\xc3\xa9", "unknown option '-\xc3\xa9' in '-f\xc3\xa9'" SEE);
	assert_error("--=3", "unknown option '--=3'" SEE);
	assert_error("---", "unknown option '---'" SEE);
}

static void test_an_ambiguous_prefix_names_the_candidates(void **state)
{
	(void)state;
	assert_error("--li 3", "option '--li' is ambiguous, it may be '--line', '--live'" SEE);
}

static void test_bad_arguments(void **state)
{
	(void)state;
	assert_error("--line x", "option '--line' needs a number, not 'x'" SEE);
	assert_error("-lx", "option '-l' needs a number, not 'x'" SEE);
	assert_error("--lin=-5", "option '--lin' needs a number, not '-5'" SEE);
	assert_error("-l 0", "option '-l' needs a number from 1 to 1000, not '0'" SEE);
	assert_error("-l 99999999999999999999",
		     "option '-l' needs a number from 1 to 1000, not '99999999999999999999'" SEE);
	assert_error("--min-bytes 99999999999T",
		     "option '--min-bytes': '99999999999T' is too big" SEE);
	assert_error("--min=1q", "option '--min' needs a size such as 512K, not '1q'" SEE);
	assert_error("--input", "option '--input' needs an argument" SEE);
	assert_error("-fi", "option '-i' needs an argument" SEE);
	assert_error("--force=1", "option '--force' takes no argument" SEE);
	assert_error("-s bad", "option '-s': unknown key 'bad'" SEE);
}

static void test_a_hidden_option_is_only_found_whole(void **state)
{
	struct result r;

	(void)state;
	parse(&r, "--xyzzy");
	assert_int_equal(r.ret, 0);
	assert_true(r.hidden);
	parse(&r, "-x");
	assert_true(r.hidden);
	assert_error("--xyz", "unknown option '--xyz'" SEE);
}

static void test_a_long_error_is_still_one(void **state)
{
	struct result r;
	char line[400];

	(void)state;
	memset(line, 'a', sizeof(line));
	memcpy(line, "--", 2);
	line[sizeof(line) - 1] = '\0';
	parse(&r, line);
	assert_int_equal(r.ret, -EOPNOTSUPP);
	assert_true(strlen(r.err.msg) < 200);
}

/* A table that includes others: of the same struct, of a member, and one made of a list. */
struct outer {
	int first;
	struct result inner;
	bool made[3];
};

static bool make_flag(unsigned int i, struct option *ret_opt)
{
	static const char *const names[] = {"red", "green", "blue"};

	if (i == 3)
		return false;
	*ret_opt = (struct option){
		.type = OPTION_BOOL, .long_name = names[i], .offset = i * sizeof(bool)};
	return true;
}

static const struct option first_table[] = {
	OPT_COUNT(0, "first", struct outer, first, "first"),
	OPT_END(),
};

static const struct option outer_table[] = {
	OPT_INCLUDE(first_table),
	OPT_INCLUDE_FOR(struct outer, inner, table),
	OPT_EACH(struct outer, made, make_flag),
	OPT_COUNT('q', "last", struct outer, first, "last"),
	OPT_END(),
};

static void test_a_table_includes_others(void **state)
{
	const struct options options = {"perf", usage, outer_table};
	const char *argv[] = {"perf",	"--first", "-vq",    "--sort", "hit", "--bl",
			      "--line", "5",	   "--gree", "--last", NULL};
	struct error err = ERROR_INIT;
	struct outer o = {0};
	int left;

	(void)state;
	assert_int_equal(options_parse(&options, &o, 10, argv, 0, &left, &err), 0);
	assert_int_equal(o.first, 3);
	assert_int_equal(o.inner.verbose, 1);
	assert_string_equal(o.inner.calls, "sort=hit ");
	assert_int_equal(o.inner.line, 5);
	assert_false(o.made[0]);
	assert_true(o.made[1] && o.made[2]);
	assert_true(options_has(outer_table, "xyzzy"));
	assert_true(options_has(outer_table, "blue"));
	assert_false(options_has(outer_table, "blu"));
}

/* The subcommands of a command: stat has the table above, help none. */
static const struct option record_table[] = {
	OPT_STRING('i', "input", struct result, input, "<file>", "input"),
	OPT_STRING('e', "event", struct result, input, "<event>", "what"),
	OPT_BOOL(0, "liver", struct result, force, "unlike live"),
	OPT_END(),
};
static const struct subcommand *const commands[];
static const struct options record_options = {
	.command = "perf kmem record", .table = record_table, .siblings = commands};
static const struct options stat_options = {
	.command = "perf kmem stat", .table = table, .siblings = commands};
static const struct options leak_options = {
	.command = "perf kmem leak", .table = first_table, .siblings = commands};
static const struct subcommand record_command = {.name = "record", .options = &record_options};
static const struct subcommand stat_command = {.name = "stat", .options = &stat_options};
static const struct subcommand leak_command = {.name = "leak", .options = &leak_options};
static const struct subcommand help_command = {.name = "help"};
static const struct subcommand *const commands[] = {&record_command, &stat_command, &leak_command,
						    &help_command, NULL};

static void assert_refused(const struct options *options, const char *word, const char *message)
{
	const char *argv[] = {"x", word, NULL};
	struct error err = ERROR_INIT;
	struct outer o = {0};
	int left;

	assert_int_equal(options_parse(options, &o, 2, argv, 0, &left, &err), code_of(message));
	assert_string_equal(err.msg, message);
}

static void test_an_option_of_siblings_is_refused_with_their_names(void **state)
{
	(void)state;
	assert_refused(&record_options, "--caller",
		       "option '--caller' is for stat, not for record "
		       "(see 'perf kmem record --help')");
	assert_refused(&leak_options, "-i",
		       "option '-i' is for record and stat, not for leak "
		       "(see 'perf kmem leak --help')");
	assert_refused(&leak_options, "--ev=x",
		       "option '--ev' is for record, not for leak (see 'perf kmem leak --help')");
	assert_refused(&leak_options, "--no-force",
		       "option '--no-force' is for stat, not for leak "
		       "(see 'perf kmem leak --help')");
	/* ambiguous: two options */
	assert_refused(&leak_options, "--li",
		       "unknown option '--li' (see 'perf kmem leak --help')");
	assert_refused(&leak_options, "-event",
		       "unknown option '-event', did you mean '--event'? "
		       "(see 'perf kmem leak --help')");
	assert_refused(&leak_options, "-y", "unknown option '-y' (see 'perf kmem leak --help')");
}

/* The remaining arguments of `perf kmem LINE`, or the error. */
static void assert_left(const char *line, const char *want)
{
	static const struct option own[] = {
		OPT_BOOL(0, "version", struct result, force, "version"),
		OPT_END(),
	};
	const struct options options = {
		.command = "perf kmem", .table = own, .subcommands = commands};
	char copy[256], got[512] = "", *rest = NULL;
	const char *argv[16] = {"kmem"};
	struct error err = ERROR_INIT;
	struct result r = {0};
	int argc = 1, left = 0, ret;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	ret = options_parse(&options, &r, argc, argv, 0, &left, &err);
	for (int i = 0; i < left; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? " " : "",
			 argv[i]);
	if (!ret)
		assert_null(argv[left]);
	assert_string_equal(ret == OPTIONS_HELP ? "help" : ret ? err.msg : got, want);
}

static void test_options_of_subcommands_may_stand_before_their_names(void **state)
{
	(void)state;
	assert_left("stat -v x", "stat -v x");
	assert_left("-v -l 5 --sort hit --caller stat -v x",
		    "stat -v -l 5 --sort hit --caller -v x");
	assert_left("--inp=a -fl5 -z --version stat", "stat --inp=a -fl5 -z");
	assert_left("--no-force --min 4k -- stat -- x", "stat --no-force --min 4k -- x");
	/* both have such an option, so it is resolved later */
	assert_left("--in a record", "record --in a");
	assert_left("--first nonsense -e x", "nonsense --first -e x");
	assert_left("-v", "");
	assert_left("-v -h stat", "help");
	assert_left("--help", "help");
	assert_left("--l 5 stat", "option '--l' is ambiguous, it may be '--liver', '--line', "
				  "'--live' (see 'perf kmem --help')");
	assert_left("--callr stat",
		    "unknown option '--callr', did you mean '--caller'? (see 'perf kmem --help')");
	assert_left("-caller stat",
		    "unknown option '-caller', did you mean '--caller'? (see 'perf kmem --help')");
	assert_left("-vy stat", "unknown option '-y' in '-vy' (see 'perf kmem --help')");
	assert_left("--sort", "option '--sort' needs an argument (see 'perf kmem --help')");
}

static char *usage_text(int columns)
{
	const struct options options = {"perf kmem stat", usage, table};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	options_usage(&options, out, columns);
	fclose(out);
	return text;
}

static void test_usage_shows_what_there_is(void **state)
{
	_cleanup_free_ char *text = usage_text(200);

	(void)state;
	assert_non_null(strstr(text, "usage: perf kmem stat [<options>]\n   or: perf kmem ["));
	assert_non_null(strstr(text, "\n\n    -f, --force                do it\n"));
	assert_non_null(strstr(text, "\n\nTables\n    -l, --line <n>             show n lines\n"));
	assert_non_null(strstr(text, "\n        --caller               by call site\n"));
	assert_non_null(strstr(text, "\n    -z, --zip[=<n>]            level\n"));
	assert_null(strstr(text, "xyzzy"));
}

static void test_usage_is_as_wide_as_asked(void **state)
{
	(void)state;
	for (int columns = 60; columns < 120; columns++) {
		_cleanup_free_ char *text = usage_text(columns);

		for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
			assert_true(strcspn(line, "\n") <= (size_t)columns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_way_to_write_an_argument),
		cmocka_unit_test(test_an_argument_may_look_like_an_option),
		cmocka_unit_test(test_negation),
		cmocka_unit_test(test_callbacks_run_in_command_line_order),
		cmocka_unit_test(test_an_optional_argument_is_attached),
		cmocka_unit_test(test_other_arguments_are_left_in_order),
		cmocka_unit_test(test_stop_at_the_first_other_argument),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_a_table_may_have_its_own_h),
		cmocka_unit_test(test_unknown_options_are_named_as_typed),
		cmocka_unit_test(test_an_ambiguous_prefix_names_the_candidates),
		cmocka_unit_test(test_bad_arguments),
		cmocka_unit_test(test_a_hidden_option_is_only_found_whole),
		cmocka_unit_test(test_a_long_error_is_still_one),
		cmocka_unit_test(test_a_table_includes_others),
		cmocka_unit_test(test_an_option_of_siblings_is_refused_with_their_names),
		cmocka_unit_test(test_options_of_subcommands_may_stand_before_their_names),
		cmocka_unit_test(test_usage_shows_what_there_is),
		cmocka_unit_test(test_usage_is_as_wide_as_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
