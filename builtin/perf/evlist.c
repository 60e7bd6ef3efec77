// SPDX-License-Identifier: GPL-2.0-or-later
/* perf evlist: the events of a recording. */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include "builtin/command.h"
#include "builtin/recording-input.h"
#include "util/base/cleanup.h"
#include "util/cli/next_program.h"
#include "util/perfdata/attr_text.h"
#include "util/session/session.h"

static const struct option table[] = {
	OPT_INCLUDE(recording_input_options),
	OPT_END(),
};
static const char *const usage[] = {"perf evlist [<options>]", NULL};
static const struct options options = {
	"perf evlist",
	usage,
	table,
	.note = "With -v, the attributes that each event was opened with follow its name.",
};

static void print_name(const struct source_event *ev)
{
	if (ev->name)
		printf("%s", ev->name);
	else if (ev->is_dummy)
		printf("dummy");
	else
		printf("unknown event (type %" PRIu32 ", config 0x%" PRIx64 ")", ev->type,
		       ev->config);
}

static int print_events(const struct event_source *source, bool attributes, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < source->facts->nr_events; i++) {
		const struct event_attr *attr = attributes ? session_event_attr(source, i) : NULL;

		print_name(source->facts->events[i]);
		if (attr) {
			strbuf_reset(&text);
			attr_text_add(&text, attr);
			if (text.failed)
				return error_nomem(err);
			printf(": %s", text.buf);
		}
		putchar('\n');
	}
	return 0;
}

static int run(int argc, const char **argv, void *context)
{
	struct error err = ERROR_INIT;
	struct event_source *source;
	struct recording_input in;
	int status, ret;

	(void)context;
	recording_input_init(&in);
	status = builtin_options_or_next(&options, &in, &argc, argv, 0);
	if (status >= 0)
		return status;
	if (argc)
		return builtin_takes_none(&options, argv[0]);
	next_program_forget();
	if (recording_input_open(&in, true, &source, &err))
		return builtin_error(options.command, &err);
	ret = print_events(source, in.verbose > 0, &err);
	return recording_input_close(source, options.command, ret, &err);
}

const struct subcommand cmd_evlist = {
	.name = "evlist",
	.help = "list the events of a recording",
	.options = &options,
	.hands_over = true,
	.run = run,
};
