// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/printable.h"
#include "util/base/strbuf.h"
#include "util/cli/next_program.h"
#include "util/cli/terminal.h"

#define USAGE_MAX 8

const char *builtin_called_kmem(void)
{
	const char *name = program_invocation_short_name;

	if (!*name || !strcmp(name, "perf"))
		return NULL;
	if (!strncmp(name, "perf-", 5)) {
		const struct subcommand *cmd = subcommand_find(perf_commands, name + 5);

		if (cmd && cmd != &cmd_kmem)
			return NULL;
	}
	return name;
}

const char *builtin_called(const char *command, char *buf, size_t size)
{
	const char *name = builtin_called_kmem();
	size_t skip = !strncmp(command, "perf kmem", 9) ? 9 : 4;

	if (name)
		snprintf(buf, size, "%s%s", name, command + skip);
	else
		snprintf(buf, size, "%s", command);
	printable_make(buf);
	return buf;
}

/* A command quoted in a message ('perf kmem record') must be one that can be typed. */
static void name_commands(char *msg, size_t size)
{
	static const char quoted[] = "'perf kmem ";
	const char *name = builtin_called_kmem();
	char *at = msg;

	while (name && (at = strstr(at, quoted))) {
		char rest[ERROR_MSG_MAX];
		size_t left = size - (size_t)(at - msg);

		snprintf(rest, sizeof(rest), "%s", at + strlen(quoted));
		snprintf(at, left, "'%s %s", name, rest);
		at++;
	}
}

int builtin_error(const char *command, const struct error *err)
{
	char msg[ERROR_MSG_MAX], called[BUILTIN_NAME_MAX];

	snprintf(msg, sizeof(msg), "%s", err->msg);
	name_commands(msg, sizeof(msg));
	printable_make(msg);
	fflush(stdout);
	fprintf(stderr, "%s: %s\n", builtin_called(command, called, sizeof(called)), msg);
	return EXIT_FAILURE;
}

void builtin_say(const char *command, const char *fmt, ...)
{
	char called[BUILTIN_NAME_MAX];
	va_list args;

	fprintf(stderr, "[ %s: ", builtin_called(command, called, sizeof(called)));
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputs(" ]\n", stderr);
}

/* Print the options, with the command's name as it was typed. */
struct called_options {
	struct options options;
	char command[BUILTIN_NAME_MAX], lines[USAGE_MAX][BUILTIN_NAME_MAX];
	const char *usage[USAGE_MAX + 1];
	char note[ERROR_MSG_MAX];
};

static void call_options(struct called_options *c, const struct options *o)
{
	size_t n = 0;

	for (; o->usage && o->usage[n] && n < USAGE_MAX; n++)
		c->usage[n] = builtin_called(o->usage[n], c->lines[n], sizeof(c->lines[n]));
	c->usage[n] = NULL;
	c->options = *o;
	c->options.usage = c->usage;
	c->options.command = builtin_called(o->command, c->command, sizeof(c->command));
	if (o->note) {
		snprintf(c->note, sizeof(c->note), "%s", o->note);
		name_commands(c->note, sizeof(c->note));
		c->options.note = c->note;
	}
}

void builtin_help(const struct options *options)
{
	struct called_options called;
	int columns = terminal_columns(STDOUT_FILENO);

	call_options(&called, options);
	options_usage(&called.options, stdout, columns);
}

/* next: the command line for the next perf if an option is unknown; may be NULL. */
static int parse_options(const struct options *options, void *into, int *argc, const char **argv,
			 unsigned int flags, const char **next)
{
	struct error err = ERROR_INIT;
	struct called_options called;
	int ret;

	call_options(&called, options);
	ret = options_parse(&called.options, into, *argc, argv, flags, argc, &err);
	if (!ret)
		return -1;
	if (ret == OPTIONS_HELP) {
		builtin_help(options);
		return 0;
	}
	if (next && ret == -EOPNOTSUPP && builtin_next_exists())
		return builtin_hand_over(next);
	builtin_error(options->command, &err);
	return EXIT_USAGE;
}

int builtin_options(const struct options *options, void *into, int *argc, const char **argv,
		    unsigned int flags)
{
	return parse_options(options, into, argc, argv, flags, NULL);
}

bool builtin_next_exists(void)
{
	_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT;

	return next_program_find("perf", &path);
}

bool builtin_abbreviates(const char *word, const char *whole)
{
	size_t len = strlen(word);

	return len > 2 && !strncmp(word, whole, len);
}

int builtin_options_or_next(const struct options *options, void *into, int *argc, const char **argv,
			    unsigned int flags)
{
	_cleanup_free_ const char **next = builtin_command_line(*argc, argv);

	return parse_options(options, into, argc, argv, flags, next);
}

int builtin_usage(const struct options *options)
{
	struct called_options called;

	call_options(&called, options);
	options_usage(&called.options, stderr, terminal_columns(STDERR_FILENO));
	return EXIT_USAGE;
}

int builtin_misused(const struct options *options, const char *fmt, ...)
{
	char msg[ERROR_MSG_MAX / 2], called[BUILTIN_NAME_MAX];
	struct error err = ERROR_INIT;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	error_set(&err, EINVAL, "%s (see '%s --help')", msg,
		  builtin_called(options->command, called, sizeof(called)));
	builtin_error(options->command, &err);
	return EXIT_USAGE;
}

int builtin_takes_none(const struct options *options, const char *argument)
{
	return builtin_misused(
		options, "'%s': %s takes no arguments%s", argument,
		strrchr(options->command, ' ') + 1,
		options_has(options->table, "input") ? ", a recording is named with -i" : "");
}

const char **builtin_command_line(int argc, const char **argv)
{
	const char **line = calloc((size_t)argc + 2, sizeof(*line));

	if (!line)
		return NULL;
	line[0] = "perf";
	memcpy(line + 1, argv, (size_t)argc * sizeof(*line));
	return line;
}

int builtin_hand_over(const char **argv)
{
	struct error err = ERROR_INIT;
	const char *similar = subcommand_similar(perf_commands, argv[1]);
	int ret;

	fflush(stdout);
	ret = next_program_exec("perf", argv);
	if (ret != -ENOENT)
		error_set_errno(&err, -ret, "cannot run the next 'perf' on PATH");
	else if (argv[1][0] == '-')
		error_set(&err, ENOENT, "unknown option '%.80s' (see 'perf --help')", argv[1]);
	else
		error_set(&err, ENOENT,
			  "'%.80s' is not a perf command here and no other 'perf' is on PATH%s%s%s "
			  "(see 'perf help')",
			  argv[1], similar ? ", did you mean '" : "", similar ? similar : "",
			  similar ? "'?" : "");
	builtin_error("perf", &err);
	return EXIT_NOT_HERE;
}
