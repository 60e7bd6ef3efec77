// SPDX-License-Identifier: GPL-2.0-or-later
/* perf script: prints the events of a recording as text, one after the other. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "builtin/command.h"
#include "builtin/perf/event-lines.h"
#include "builtin/recording-input.h"
#include "builtin/perf/sample-filter.h"
#include "builtin/user-files.h"
#include "util/base/cleanup.h"
#include "util/cli/next_program.h"
#include "util/cli/pager.h"
#include "util/machine/threads.h"

struct script_command {
	struct recording_input input;
	struct sample_filter filter;
	struct user_files files;
	const char *fields, *kallsyms;
	struct event_lines_style style;
};

static const struct option table[] = {
	OPT_GROUP("Output"),
	OPT_STRING('F', "fields", struct script_command, fields, "<list>",
		   "of " EVENT_LINES_FIELDS "; +name or -name: "
		   "the usual ones with or without it"),
	OPT_BOOL(0, "ns", struct script_command, style.ns, "times in nanoseconds"),
	OPT_BOOL('G', "hide-call-graph", struct script_command, style.no_callchain,
		 "no callchains, only where the sample was taken"),
	OPT_STRING(0, "kallsyms", struct script_command, kallsyms, "<file>",
		   "kernel symbols, as /proc/kallsyms of the recorded boot has them"),
	OPT_GROUP("Which events"),
	OPT_INCLUDE_FOR(struct script_command, filter, sample_filter_options),
	OPT_INCLUDE_FOR(struct script_command, input, recording_input_options),
	OPT_INCLUDE_FOR(struct script_command, files, user_files_options),
	OPT_END(),
};
static const char *const usage[] = {"perf script [<options>]", NULL};
static const struct options options = {"perf script", usage, table};

struct script {
	const struct script_command *command;
	struct event_source *source;
	FILE *to;
	struct event_lines lines;
	struct intern strings;
	struct threads threads;
	uint64_t nr_samples;
};

/* ---- reading ---- */

#define FLUSH_BYTES (1u << 16)

static int take_formats(void *ctx, const struct tracing_data *formats, struct error *err)
{
	return event_lines_take_formats(&((struct script *)ctx)->lines, formats, err);
}

static int flush(struct script *s, struct error *err)
{
	struct strbuf *out = &s->lines.out;

	if (event_lines_failed(&s->lines))
		return error_nomem(err);
	fwrite(out->buf, 1, out->len, s->to);
	strbuf_reset(out);
	/* a closed pipe ends it */
	return ferror(s->to) ? -EPIPE : 0;
}

static int take_sample(void *ctx, const struct sample *sample, struct error *err)
{
	struct script *s = ctx;
	const struct sample_filter *filter = &s->command->filter;
	uint32_t number = threads_comm(&s->threads, sample->tid);
	const char *comm;
	int ret;

	if (number == INTERN_NONE)
		return error_nomem(err);
	s->nr_samples++;
	comm = intern_get(&s->strings, number, NULL);
	if (!sample_filter_takes_sample(filter, sample) ||
	    !sample_filter_takes_thread(filter, comm, sample->pid, sample->tid))
		return 0;
	ret = event_lines_add(&s->lines, sample, comm, err);
	if (!ret && s->lines.out.len > FLUSH_BYTES)
		ret = flush(s, err);
	return ret;
}

static int take_comm(void *ctx, uint32_t tid, const char *comm)
{
	return threads_set_comm(&((struct script *)ctx)->threads, tid, comm);
}

static int take_fork(void *ctx, uint32_t parent_tid, uint32_t tid)
{
	return threads_fork(&((struct script *)ctx)->threads, parent_tid, tid);
}

static int take_map(void *ctx, const struct source_map *map)
{
	return event_lines_map(&((struct script *)ctx)->lines, map);
}

static int take_process(void *ctx, enum source_process_change change, uint32_t pid,
			uint32_t parent_pid)
{
	return event_lines_process(&((struct script *)ctx)->lines, change, pid, parent_pid);
}

static void init(struct script *s, const struct script_command *c, struct event_source *source)
{
	*s = (struct script){.command = c, .source = source, .to = stdout};
	event_lines_init(&s->lines, source->facts, &c->style, c->kallsyms, &c->files.search);
	intern_init(&s->strings);
	threads_init(&s->threads, &s->strings);
}

static void deinit(struct script *s)
{
	event_lines_deinit(&s->lines);
	threads_deinit(&s->threads);
	intern_deinit(&s->strings);
}

static int print_events(const struct script_command *c, struct event_source *source,
			struct error *err)
{
	static const struct event_sink sink = {.formats = take_formats,
					       .sample = take_sample,
					       .comm = take_comm,
					       .fork = take_fork,
					       .map = take_map,
					       .process = take_process};
	struct pager pager = PAGER_INIT;
	struct script s;
	int ret = pager_start(&pager, err);

	if (ret)
		return ret;
	init(&s, c, source);
	ret = event_source_read(source, &sink, &s, err);
	if (!ret)
		ret = flush(&s, err);
	deinit(&s);
	if (ret == -EPIPE)
		ret = 0;
	if (!ret && !s.nr_samples)
		ret = recording_input_check_samples(source, "print", err);
	return pager_finish_once(&pager, ret, err);
}

/* ---- the command line ---- */

/* Stock prints samples of events that are not tracepoints. */
static bool has_other_events(const struct source_facts *facts)
{
	for (size_t i = 0; i < facts->nr_events; i++)
		if (facts->events[i]->type != PERF_TYPE_TRACEPOINT && !facts->events[i]->is_dummy)
			return true;
	return false;
}

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* A file in the form of a pipe has its events among its data: read it for them first. */
static bool has_other_events_inside(const struct recording_input *in)
{
	struct event_source *source;
	bool has;

	if (!is_file(in->path) || recording_input_open(in, true, &source, NULL))
		return false;
	has = has_other_events(source->facts);
	event_source_free(source);
	return has;
}

static int run_script(struct script_command *c, const char **next)
{
	bool other = next && builtin_next_exists();
	struct error err = ERROR_INIT;
	struct event_source *source;
	int ret;

	c->style.usual_fields = !c->fields;
	if (c->fields && event_lines_parse_fields(c->fields, &c->style.fields)) {
		if (other)
			return builtin_hand_over(next);
		error_set(&err, EINVAL, "'%.200s' is not a list of fields (%s)", c->fields,
			  EVENT_LINES_FIELDS);
		builtin_error(options.command, &err);
		return EXIT_USAGE;
	}
	if (user_files_load_config(&c->files, &err) ||
	    recording_input_open(&c->input, false, &source, &err))
		return builtin_error(options.command, &err);
	if (other && (source->facts->nr_events ? has_other_events(source->facts)
					       : has_other_events_inside(&c->input))) {
		event_source_free(source);
		return builtin_hand_over(next);
	}
	next_program_forget();
	ret = print_events(c, source, &err);
	return recording_input_close(source, options.command, ret, &err);
}

static int run(int argc, const char **argv, void *context)
{
	_cleanup_free_ const char **next = builtin_command_line(argc, argv);
	struct script_command c = {.fields = NULL};
	int status;

	(void)context;
	recording_input_init(&c.input);
	sample_filter_init(&c.filter);
	status = builtin_options_or_next(&options, &c, &argc, argv, OPTIONS_STOP_AT_NON_OPTION);
	if (status < 0) {
		/* a script to run */
		if (argc && next && builtin_next_exists())
			status = builtin_hand_over(next);
		else
			status =
				argc ? builtin_takes_none(&options, argv[0]) : run_script(&c, next);
	}
	user_files_deinit(&c.files);
	sample_filter_deinit(&c.filter);
	return status;
}

const struct subcommand cmd_script = {
	.name = "script",
	.help = "print the events of a recording",
	.options = &options,
	.hands_over = true,
	.run = run,
};
