// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any words as a command line: one line of the input is one argument; bits of the
 * first byte choose whether options end at the first word that is none, and whether they are those
 * of subcommands, or refused as those of siblings.
 *
 * The remaining arguments must be a part of those given, and an error must be one line.
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

/* Set by the options. */
struct taken {
	bool force, cached, human;
	const char *input;
	uint64_t line, bytes;
	size_t total;
	int verbose;
};

static int take(const struct option_use *use, struct error *err)
{
	struct taken *t = use->into;

	t->total += use->arg ? strlen(use->arg) : 1;
	if (use->arg && *use->arg == '!')
		return error_set(err, 22, "bad value '%s'", use->arg);
	return 0;
}

/* Split the text into argv, which points into it. */
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

static const struct option included[] = {
	OPT_U64_BOUNDED('l', "line", struct taken, line, "<n>", "lines", 1, 1000),
	OPT_SIZE(0, "min-bytes", struct taken, bytes, "<size>", "size"),
	OPT_FLAG_CALLBACK(0, "caller", "caller", take),
	OPT_END(),
};
static const struct option table[] = {
	OPT_BOOL('f', "force", struct taken, force, "do it"),
	OPT_BOOL(0, "no-cache", struct taken, cached, "no cache"),
	OPT_COUNT('v', "verbose", struct taken, verbose, "say more"),
	OPT_STRING('i', "input", struct taken, input, "<file>", "input"),
	OPT_GROUP("Tables"),
	OPT_INCLUDE(included),
	OPT_CALLBACK_FLAGS('s', "sort", "<key>", "keys", take, OPTION_NEGATABLE),
	OPT_OPTARG_CALLBACK('z', "zip", "<n>", "level", take),
	OPT_HIDDEN(OPTION_BOOL, 'x', "xyzzy", struct taken, human),
	OPT_END(),
};
static const struct options record_options = {.command = "perf kmem record", .table = included};
static const struct options stat_options = {.command = "perf kmem stat", .table = table};
static const struct subcommand record = {
	.name = "record", .min_prefix = 3, .help = "record", .options = &record_options};
static const struct subcommand stat = {.name = "stat", .help = "report", .options = &stat_options};
static const struct subcommand *const commands[] = {&record, &stat, NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const usage[] = {"perf kmem stat [<options>]", NULL};
	const char *argv[ARGS_MAX + 1];
	struct taken taken = {.cached = true, .input = ""};
	int argc, left = -1, ret;
	struct options options = {"perf kmem stat", usage, table};
	struct error err = ERROR_INIT;
	_cleanup_free_ char *text = NULL;

	if (!size)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	if (!text)
		return 0;
	argc = split(text, argv);
	if (data[0] & 6)
		options.table = included;
	if (data[0] & 2)
		options.subcommands = commands;
	else if (data[0] & 4)
		options.siblings = commands;
	ret = options_parse(&options, &taken, argc, argv, data[0] & 1, &left, &err);
	if (ret < 0 && (left != -1 || !err.msg[0]))
		abort();
	if (ret == 0) {
		if (left < 0 || left >= argc || argv[left] || taken.line > 1000)
			abort();
		for (int i = 0; i < left; i++) {
			if (!subcommand_find(commands, argv[i]))
				subcommand_unknown(commands, "subcommand", argv[i], &err);
		}
	}
	return 0;
}
