// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem snapshot: saves the data that the kernel exports about its memory. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "builtin/command.h"
#include "builtin/kmem/common.h"
#include "util/base/log.h"
#include "util/base/out_file.h"
#include "util/base/units.h"
#include "util/dump/take.h"
#include "util/where/collect.h"

struct snapshot_command {
	const char *output;
	bool quiet;
	/* while it is running */
	struct out_file file;
	unsigned int nr_parts;
};

static const struct option table[] = {
	OPT_STRING('o', "output", struct snapshot_command, output, "<file>",
		   "the file to write (kmem.snapshot; - for standard output)"),
	OPT_BOOL('q', "quiet", struct snapshot_command, quiet, "print nothing but errors"),
	OPT_END(),
};
static const char *const usage[] = {"perf kmem snapshot [<options>]", NULL};
static const struct options options = {"perf kmem snapshot", usage, table,
				       .siblings = kmem_subcommands};

static int write_bytes(void *ctx, const uint8_t *data, size_t len)
{
	struct snapshot_command *c = ctx;

	return out_file_append(&c->file, data, len);
}

static void report(void *ctx, const char *name, uint64_t bytes, const char *why)
{
	struct snapshot_command *c = ctx;
	char text[UNITS_BUF];

	c->nr_parts += !why;
	if (c->quiet)
		return;
	if (why)
		fprintf(stderr, "[ %s: %s ]\n", name, why);
	else
		log_info("%s: %s", name, units_bytes(text, sizeof(text), bytes));
}

static int take(struct snapshot_command *c, struct error *err)
{
	static const struct snapshot_part holders = {COLLECT_PART, collect_holders};
	const struct snapshot_taking how = {
		.root = "", .part = &holders, .write = write_bytes, .report = report, .ctx = c};
	const struct out_file_how to_file = {.keep_old = true};
	int ret = out_file_open(&c->file, c->output, &to_file, err);

	if (!ret)
		ret = snapshot_take(&how, err);
	if (ret && !err->code)
		ret = error_set_errno(err, -ret, "cannot write '%s'", c->output);
	return ret ? ret : out_file_publish(&c->file, err);
}

static int run_snapshot(int argc, const char **argv, void *config)
{
	struct snapshot_command c = {.output = "kmem.snapshot", .file = OUT_FILE_INIT};
	struct error err = ERROR_INIT;
	char text[UNITS_BUF];
	int status = builtin_options(&options, &c, &argc, argv, 0);

	(void)config;
	if (status >= 0)
		return status;
	if (argc)
		return builtin_takes_none(&options, argv[0]);
	status = take(&c, &err) ? builtin_error(options.command, &err) : 0;
	if (!status && !c.quiet)
		fprintf(stderr, "[ perf kmem snapshot: wrote %s with %u parts to %s ]\n",
			units_bytes(text, sizeof(text), c.file.len), c.nr_parts, c.output);
	out_file_deinit(&c.file);
	return status;
}

const struct subcommand kmem_snapshot = {
	.name = "snapshot",
	.help = "keep what the kernel says about its memory now",
	.options = &options,
	.run = run_snapshot,
};
