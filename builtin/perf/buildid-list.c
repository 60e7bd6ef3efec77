// SPDX-License-Identifier: GPL-2.0-or-later
/* perf buildid-list: the build-ids of the files in a recording, or of the running kernel. */
#include <errno.h>
#include <stdio.h>

#include "builtin/command.h"
#include "builtin/recording-input.h"
#include "util/base/cleanup.h"
#include "util/base/printable.h"
#include "util/cli/next_program.h"
#include "util/host/running_kernel.h"

struct buildid_command {
	struct recording_input input;
	bool kernel;
};

static const struct option table[] = {
	OPT_INCLUDE_FOR(struct buildid_command, input, recording_input_options),
	OPT_GROUP("Instead of a recording"),
	OPT_BOOL('k', "kernel", struct buildid_command, kernel,
		 "print the build-id of the running kernel"),
	OPT_END(),
};
static const char *const usage[] = {"perf buildid-list [<options>]", NULL};
static const struct options options = {"perf buildid-list", usage, table};

static void print_build_id(const uint8_t *id, size_t size)
{
	for (size_t i = 0; i < size; i++)
		printf("%02x", id[i]);
}

/* Paths come from the programs that were run: make them printable. */
static int print_list(const struct source_facts *facts, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT;

	for (size_t i = 0; i < facts->nr_build_ids; i++) {
		const struct source_build_id *id = &facts->build_ids[i];

		strbuf_reset(&path);
		strbuf_addstr(&path, id->path);
		printable_strbuf(&path, 0);
		if (path.failed)
			return error_nomem(err);
		print_build_id(id->id, id->size);
		printf(" %s\n", path.buf);
	}
	return 0;
}

static int print_kernel(void)
{
	struct error err = ERROR_INIT;
	uint8_t id[BUILD_ID_MAX];
	size_t size = running_kernel_build_id(id);

	if (!size) {
		error_set(&err, ENOENT,
			  "the running kernel has no build-id in '/sys/kernel/notes'");
		return builtin_error(options.command, &err);
	}
	print_build_id(id, size);
	putchar('\n');
	return 0;
}

static int run(int argc, const char **argv, void *context)
{
	struct buildid_command command = {.kernel = false};
	struct error err = ERROR_INIT;
	struct event_source *source;
	int status, ret;

	(void)context;
	recording_input_init(&command.input);
	status = builtin_options_or_next(&options, &command, &argc, argv, 0);
	if (status >= 0)
		return status;
	if (argc)
		return builtin_takes_none(&options, argv[0]);
	next_program_forget();
	if (command.kernel)
		return print_kernel();
	if (recording_input_open(&command.input, true, &source, &err))
		return builtin_error(options.command, &err);
	ret = print_list(source->facts, &err);
	return recording_input_close(source, options.command, ret, &err);
}

const struct subcommand cmd_buildid_list = {
	.name = "buildid-list",
	.help = "list the build-ids of the files that a recording names",
	.options = &options,
	.hands_over = true,
	.run = run,
};
