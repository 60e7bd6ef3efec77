// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any words as a command line: one line of the input is one argument; the first byte
 * chooses whether options end at the first word that is none.
 *
 * What is left must be a part of what was given, and an error must be one line.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/cli/options.h"
#include "util/cli/subcommand.h"

#define ARGS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int take(const struct option *opt, const char *arg, bool unset, struct error *err)
{
	size_t *total = opt->data;

	(void)unset;
	*total += arg ? strlen(arg) : 1;
	if (arg && *arg == '!')
		return error_set(err, 22, "bad value '%s'", arg);
	return 0;
}

/* Cut the text into argv, which points into it. */
static int split(char *text, const char **argv)
{
	int argc = 0;

	argv[argc++] = "perf";
	while (*text && argc < ARGS_MAX) {
		char *end = strchr(text, '\n');

		argv[argc++] = text;
		if (!end)
			break;
		*end = '\0';
		text = end + 1;
	}
	argv[argc] = NULL;
	return argc;
}

static const struct subcommand commands[] = {
	{.name = "record", .min_prefix = 3, .help = "record"},
	{.name = "stat", .help = "report"},
	{0},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const usage[] = {"perf kmem stat [<options>]", NULL};
	const char *argv[ARGS_MAX + 1];
	bool force = false, cached = true, human = false;
	const char *input = "";
	uint64_t line = 0, bytes = 0;
	size_t total = 0;
	int verbose = 0, argc, left = -1, ret;
	const struct option table[] = {
		OPT_BOOL('f', "force", &force, "do it"),
		OPT_BOOL(0, "no-cache", &cached, "no cache"),
		OPT_COUNT('v', "verbose", &verbose, "say more"),
		OPT_STRING('i', "input", &input, "<file>", "input"),
		OPT_GROUP("Tables"),
		OPT_U64_BOUNDED('l', "line", &line, "<n>", "lines", 1, 1000),
		OPT_SIZE(0, "min-bytes", &bytes, "<size>", "size"),
		OPT_FLAG_CALLBACK(0, "caller", &total, "caller", take),
		OPT_CALLBACK_FLAGS('s', "sort", &total, "<key>", "keys", take, OPTION_NEGATABLE),
		OPT_OPTARG_CALLBACK('z', "zip", &total, "<n>", "level", take),
		OPT_HIDDEN(OPTION_BOOL, 'x', "xyzzy", .value.flag = &human),
		OPT_END(),
	};
	const struct options options = {"perf kmem stat", usage, table};
	struct error err = ERROR_INIT;
	_cleanup_free_ char *text = NULL;

	if (!size)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	if (!text)
		return 0;
	argc = split(text, argv);
	ret = options_parse(&options, argc, argv, data[0] & 1, &left, &err);
	if (ret < 0 && (left != -1 || !err.msg[0]))
		abort();
	if (ret == 0) {
		if (left < 0 || left >= argc || argv[left] || (line && line > 1000))
			abort();
		for (int i = 0; i < left; i++) {
			if (!subcommand_find(commands, argv[i]))
				subcommand_unknown(commands, "subcommand", argv[i], &err);
		}
	}
	return 0;
}
