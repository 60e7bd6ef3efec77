// SPDX-License-Identifier: GPL-2.0-or-later
/* perf list: the tracepoints of this kernel, and the fields of their events. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "builtin/command.h"
#include "util/base/cleanup.h"
#include "util/cli/next_program.h"
#include "util/cli/pager.h"
#include "util/host/tracefs.h"

struct list_command {
	bool details, no_mount;
	const char *tracefs_dir; /* NULL: the mounted tracefs */
	const char **globs;	 /* "SYSTEM:NAME" patterns; none: all */
	int nr_globs;
	bool found;
};

static const struct option table[] = {
	OPT_BOOL('v', "details", struct list_command, details,
		 "the fields of each event and its text, too"),
	OPT_STRING(0, "tracefs", struct list_command, tracefs_dir, "<dir>",
		   "those of this tracefs, or of a copy of one"),
	OPT_BOOL(0, "no-mount", struct list_command, no_mount,
		 "do not mount tracefs where it is not mounted"),
	OPT_END(),
};
static const char *const usage[] = {"perf list [<options>] [tracepoint | <system>:<name>...]",
				    NULL};
static const struct options options = {"perf list", usage, table};

/* The next line of the text, without its newline; *pos moves past it. NULL at the end. */
static const char *next_line(const char **pos, int *ret_len)
{
	const char *line = *pos;
	size_t len = strcspn(line, "\n");

	if (!*line)
		return NULL;
	*pos = line + len + (line[len] == '\n');
	*ret_len = (int)len;
	return line;
}

/* Print "\tfield:TYPE NAME;\toffset:..", except for fields common to all events. */
static void print_fields(const char *format)
{
	static const char mark[] = "\tfield:";
	const char *line;
	int len;

	while ((line = next_line(&format, &len))) {
		const char *end = memchr(line, ';', (size_t)len);

		if (!end || strncmp(line, mark, sizeof(mark) - 1) != 0 ||
		    memmem(line, (size_t)(end - line), " common_", 8))
			continue;
		line += sizeof(mark) - 1;
		printf("        %.*s\n", (int)(end - line), line);
	}
}

/* Print the format string of a print fmt, without its arguments. */
static void print_text(const char *format)
{
	const char *text = strstr(format, "\nprint fmt: \"");
	const char *end;

	if (!text)
		return;
	text += strlen("\nprint fmt: ");
	for (end = text + 1; *end && *end != '"'; end++)
		if (*end == '\\' && end[1])
			end++;
	if (*end)
		printf("        %.*s\n", (int)(end + 1 - text), text);
}

struct listing {
	struct list_command *command;
	const struct tracefs *tracefs;
};

static bool is_wanted(const struct list_command *c, const char *name)
{
	for (int i = 0; i < c->nr_globs; i++)
		if (!fnmatch(c->globs[i], name, 0))
			return true;
	return !c->nr_globs;
}

/* A tracefs_event_fn. */
static int print_event(void *ctx, const char *system, const char *name, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf format = STRBUF_INIT, full = STRBUF_INIT;
	const struct listing *l = ctx;
	uint64_t id;
	int ret;

	if (strbuf_addf(&full, "%s:%s", system, name))
		return error_nomem(err);
	if (!is_wanted(l->command, full.buf))
		return 0;
	/* some of ftrace's own events have no id: they cannot be opened */
	if (tracefs_event_id(l->tracefs, system, name, &id, NULL))
		return 0;
	l->command->found = true;
	printf("  %-50s [Tracepoint event]\n", full.buf);
	if (l->command->details) {
		ret = tracefs_event_format(l->tracefs, system, name, &format, err);
		if (ret)
			return ret;
		print_text(format.buf);
		print_fields(format.buf);
		putchar('\n');
	}
	return 0;
}

static int find_tracefs(const struct list_command *c, struct tracefs *tracefs, struct error *err)
{
	return c->tracefs_dir ? tracefs_at(tracefs, c->tracefs_dir, err)
			      : tracefs_find(tracefs, !c->no_mount, err);
}

static int list(struct list_command *c, struct error *err)
{
	struct pager pager = PAGER_INIT;
	struct tracefs tracefs;
	struct listing l = {c, &tracefs};
	int ret = find_tracefs(c, &tracefs, err);

	if (ret)
		return ret;
	ret = pager_start(&pager, err);
	if (!ret)
		ret = tracefs_for_each_event(&tracefs, "*", "*", print_event, &l, err);
	if (!pager_finish(&pager) && !ret)
		ret = tracefs_for_each_event(&tracefs, "*", "*", print_event, &l, err);
	if (!ret && !c->found)
		ret = error_set(err, ENOENT, "no tracepoint matches '%.200s'", c->globs[0]);
	return ret;
}

/* Whether all words name tracepoints. Other events are listed better by stock. */
static bool are_tracepoints(int argc, const char **argv)
{
	for (int i = 0; i < argc; i++)
		if (strcmp(argv[i], "tracepoint") != 0 && !strchr(argv[i], ':'))
			return false;
	return argc > 0;
}

/* The words without "tracepoint", which means all of them. */
static void take_globs(struct list_command *c, int argc, const char **argv)
{
	c->globs = argv;
	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "tracepoint")) {
			c->nr_globs = 0;
			return;
		}
		c->nr_globs++;
	}
}

static int run(int argc, const char **argv, void *context)
{
	_cleanup_free_ const char **next = builtin_command_line(argc, argv);
	struct list_command c = {.details = false};
	struct error err = ERROR_INIT;
	int status = builtin_options_or_next(&options, &c, &argc, argv, 0);

	(void)context;
	if (status >= 0)
		return status;
	if (!are_tracepoints(argc, argv) && next && builtin_next_exists())
		return builtin_hand_over(next);
	next_program_forget();
	take_globs(&c, argc, argv);
	return list(&c, &err) ? builtin_error(options.command, &err) : 0;
}

const struct subcommand cmd_list = {
	.name = "list",
	.help = "list the tracepoints of this kernel",
	.options = &options,
	.hands_over = true,
	.run = run,
};
