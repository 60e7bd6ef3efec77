// SPDX-License-Identifier: GPL-2.0-or-later
/* perf script: the events of a recording as text, one after the other. */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/command.h"
#include "builtin/event-texts.h"
#include "builtin/frame-names.h"
#include "builtin/recording-input.h"
#include "util/base/cleanup.h"
#include "util/base/printable.h"
#include "util/base/timespan.h"
#include "util/base/word_list.h"
#include "util/cli/next_program.h"
#include "util/cli/pager.h"
#include "util/machine/callchain.h"
#include "util/machine/threads.h"
#include "util/perfdata/session.h"

enum {
	FIELD_COMM = 1 << 0,
	FIELD_TID = 1 << 1,
	FIELD_PID = 1 << 2,
	FIELD_TIME = 1 << 3,
	FIELD_CPU = 1 << 4,
	FIELD_EVENT = 1 << 5,
	FIELD_TRACE = 1 << 6,
	FIELD_IP = 1 << 7,
	FIELD_SYM = 1 << 8,
	FIELD_DSO = 1 << 9,
	FIELD_SYMOFF = 1 << 10,
};
#define FIELDS_OF_EVENTS                                                                           \
	(FIELD_COMM | FIELD_TID | FIELD_TIME | FIELD_CPU | FIELD_EVENT | FIELD_TRACE)
#define FIELDS_OF_FRAMES (FIELD_IP | FIELD_SYM | FIELD_DSO | FIELD_SYMOFF)

static const struct {
	const char *name;
	unsigned int field;
} field_names[] = {
	{"comm", FIELD_COMM},	{"tid", FIELD_TID},	  {"pid", FIELD_PID},
	{"time", FIELD_TIME},	{"cpu", FIELD_CPU},	  {"event", FIELD_EVENT},
	{"trace", FIELD_TRACE}, {"ip", FIELD_IP},	  {"sym", FIELD_SYM},
	{"dso", FIELD_DSO},	{"symoff", FIELD_SYMOFF},
};

struct script_command {
	struct recording_input input;
	const char *fields, *kallsyms, *comms, *pids, *tids;
	bool ns, no_callchain;
	struct cpulist cpus;
	uint64_t start_ns, stop_ns;
};

static int opt_time(const struct option *opt, void *into, const char *arg, bool unset,
		    struct error *err)
{
	struct script_command *c = into;

	(void)opt, (void)unset;
	if (timespan_parse(arg, &c->start_ns, &c->stop_ns))
		return error_set(err, EINVAL, "'%.200s' is not START,STOP in seconds", arg);
	return 0;
}

static int opt_cpus(const struct option *opt, void *into, const char *arg, bool unset,
		    struct error *err)
{
	struct script_command *c = into;

	(void)opt, (void)unset;
	return cpulist_parse(&c->cpus, arg, err);
}

static const struct option table[] = {
	OPT_GROUP("What is printed"),
	OPT_STRING('F', "fields", struct script_command, fields, "<list>",
		   "of comm,tid,pid,time,cpu,event,trace,ip,sym,symoff,dso; +name or -name: "
		   "the usual ones with or without it"),
	OPT_BOOL(0, "ns", struct script_command, ns, "times in nanoseconds"),
	OPT_BOOL('G', "hide-call-graph", struct script_command, no_callchain,
		 "no callchains, only where the sample was taken"),
	OPT_STRING(0, "kallsyms", struct script_command, kallsyms, "<file>",
		   "kernel symbols, as /proc/kallsyms of the recorded boot has them"),
	OPT_GROUP("Which events"),
	OPT_CALLBACK(0, "time", "<start>,<stop>", "those in this time span, in seconds", opt_time),
	OPT_STRING('c', "comms", struct script_command, comms, "<comm,...>", "of these commands"),
	OPT_STRING(0, "pid", struct script_command, pids, "<pid,...>", "of these processes"),
	OPT_STRING(0, "tid", struct script_command, tids, "<tid,...>", "of these threads"),
	OPT_CALLBACK('C', "cpu", "<list>", "on these CPUs, such as 0-3,8", opt_cpus),
	OPT_INCLUDE_FOR(struct script_command, input, recording_input_options),
	OPT_END(),
};
static const char *const usage[] = {"perf script [<options>]", NULL};
static const struct options options = {"perf script", usage, table};

/* The text of a frame, of an address of the kernel. */
struct frame_row {
	uint64_t address;
	size_t offset, len; /* in frame_texts */
};

struct script {
	const struct script_command *command;
	struct event_source *source;
	FILE *to;
	unsigned int fields;
	bool callchains; /* of at least one event */
	int name_width;	 /* 0: not known yet */
	struct strbuf out;
	struct frame_names names;
	struct intern strings;
	struct threads threads;
	struct event_texts texts;
	struct table frames;
	struct strbuf frame_texts;
	struct error *err;
	uint64_t nr_samples;
};

static int take_formats(void *ctx, const struct tracing_data *formats, struct error *err)
{
	struct script *s = ctx;
	int ret = event_texts_take_formats(&s->texts, formats, err);

	return ret ? ret : kernel_names_take_formats(&s->names.kernel, formats, err);
}

/* The longest name, and whether there are callchains: once, before the first sample. */
static void look_at_events(struct script *s)
{
	const struct source_facts *f = s->source->facts;

	s->name_width = 1;
	for (size_t i = 0; i < f->nr_events; i++) {
		int len = f->events[i]->name ? (int)strlen(f->events[i]->name) : 0;

		s->name_width = len > s->name_width ? len : s->name_width;
		s->callchains |= f->events[i]->has_callchain;
	}
	if (!s->command->fields && s->callchains)
		s->fields |= FIELDS_OF_FRAMES;
	s->callchains &= !s->command->no_callchain;
}

/* ---- which events ---- */

static bool is_wanted(const struct script_command *c, const struct sample *sample, const char *comm)
{
	return sample->time_ns >= c->start_ns && sample->time_ns <= c->stop_ns &&
	       word_list_has(c->comms, comm) && word_list_has_number(c->pids, sample->pid) &&
	       word_list_has_number(c->tids, sample->tid) &&
	       (!c->cpus.nr || cpulist_has(&c->cpus, sample->cpu));
}

/* ---- text ---- */

/* Appends a number with at least `width` characters, filled up with `fill`. */
static void add_number(struct strbuf *sb, uint64_t v, int width, char fill)
{
	char digits[24];
	int n = sizeof(digits);

	do
		digits[--n] = (char)('0' + v % 10);
	while (v /= 10);
	while ((int)sizeof(digits) - n < width && n)
		digits[--n] = fill;
	strbuf_add(sb, digits + n, sizeof(digits) - (size_t)n);
}

/* At least `width` columns, filled on the left. */
static void add_name(struct strbuf *sb, const char *name, int width)
{
	int len = (int)strlen(name);
	size_t start;

	for (; len < width; len++)
		strbuf_addch(sb, ' ');
	start = sb->len;
	strbuf_addstr(sb, name);
	for (; *name; name++)
		if (*name < ' ' || *name > '~') {
			printable_strbuf(sb, start);
			break;
		}
}

static void add_time(struct strbuf *sb, uint64_t ns, bool all)
{
	add_number(sb, ns / 1000000000, 5, ' ');
	strbuf_addch(sb, '.');
	if (all)
		add_number(sb, ns % 1000000000, 9, '0');
	else
		add_number(sb, ns % 1000000000 / 1000, 6, '0');
	strbuf_addstr(sb, ": ");
}

static void add_frame_name(struct script *s, struct strbuf *sb, const struct frame_name *name)
{
	strbuf_add_hex(sb, name->address, 16);
	if (s->fields & FIELD_SYM) {
		strbuf_addch(sb, ' ');
		strbuf_addstr(sb, name->symbol ? name->symbol : "[unknown]");
		if (name->symbol && s->fields & FIELD_SYMOFF) {
			strbuf_addstr(sb, "+0x");
			strbuf_add_hex(sb, name->offset, 1);
		}
	}
	if (s->fields & FIELD_DSO)
		strbuf_addf(sb, " (%s)", name->dso ? name->dso : "[unknown]");
}

/* An address of the kernel has the same text whenever it comes. */
static int add_kernel_frame(struct script *s, uint64_t address)
{
	struct frame_row *row = table_insert(&s->frames, &address);
	struct frame_name name;

	if (!row)
		return error_nomem(s->err);
	if (!row->len) {
		if (frame_names_kernel(&s->names, address, &name, s->err))
			return -s->err->code;
		row->offset = s->frame_texts.len;
		add_frame_name(s, &s->frame_texts, &name);
		row->len = s->frame_texts.len - row->offset;
	}
	strbuf_add(&s->out, s->frame_texts.buf + row->offset, row->len);
	return 0;
}

static int add_frame(struct script *s, uint32_t pid, uint64_t address,
		     enum callchain_context context)
{
	struct frame_name name;

	if (context == CONTEXT_KERNEL || context == CONTEXT_NONE)
		return add_kernel_frame(s, address);
	if (frame_names_user(&s->names, pid, address, &name, s->err))
		return -s->err->code;
	add_frame_name(s, &s->out, &name);
	return 0;
}

static int add_callchain_frame(struct script *s, uint32_t pid, uint64_t address,
			       enum callchain_context context)
{
	int ret;

	strbuf_addch(&s->out, '\t');
	ret = add_frame(s, pid, address, context);
	strbuf_addch(&s->out, '\n');
	return ret;
}

static int add_callchain(struct script *s, const struct sample *sample)
{
	struct callchain chain =
		callchain_make(sample->callchain, sample->nr_callchain, sample->swap);
	uint64_t address, frames[FRAME_NAMES_MAX];
	bool has_user = false;
	size_t nr = 0;
	int ret = 0;

	strbuf_addch(&s->out, '\n');
	while (!ret && callchain_next(&chain, &address)) {
		has_user |= chain.context == CONTEXT_USER;
		ret = add_callchain_frame(s, sample->pid, address, chain.context);
	}
	if (!ret && !has_user)
		ret = frame_names_unwind(&s->names, sample, frames, &nr, s->err);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = add_callchain_frame(s, sample->pid, frames[i], CONTEXT_USER);
	return ret;
}

static void add_task(struct script *s, const struct sample *sample, const char *comm)
{
	struct strbuf *sb = &s->out;

	if (s->fields & FIELD_COMM) {
		bool above = s->fields & FIELD_IP && s->callchains && sample->event->has_callchain;

		add_name(sb, comm, above ? 0 : 16);
		strbuf_addch(sb, ' ');
	}
	if (s->fields & FIELD_PID)
		strbuf_addf(sb, "%5d", (int)sample->pid);
	if (s->fields & FIELD_PID && s->fields & FIELD_TID)
		strbuf_addf(sb, "/%-5d", (int)sample->tid);
	else if (s->fields & FIELD_TID && (int32_t)sample->tid >= 0)
		add_number(sb, sample->tid, 5, ' ');
	else if (s->fields & FIELD_TID)
		strbuf_addf(sb, "%5d", (int)sample->tid);
	if (s->fields & (FIELD_PID | FIELD_TID))
		strbuf_addch(sb, ' ');
}

static int add_sample(struct script *s, const struct sample *sample, const char *comm)
{
	struct strbuf *sb = &s->out;
	int ret = 0;

	add_task(s, sample, comm);
	if (s->fields & FIELD_CPU) {
		strbuf_addch(sb, '[');
		add_number(sb, sample->cpu < 0 ? 0 : (uint64_t)sample->cpu, 3, '0');
		strbuf_addstr(sb, "] ");
	}
	if (s->fields & FIELD_TIME)
		add_time(sb, sample->time_ns, s->command->ns);
	if (s->fields & FIELD_EVENT) {
		add_name(sb, sample->event->name ? sample->event->name : "[unknown]",
			 s->name_width);
		strbuf_addstr(sb, ": ");
	}
	if (s->fields & FIELD_TRACE &&
	    event_texts_add(&s->texts, &s->out, sample, kernel_names_add, &s->names.kernel))
		return error_nomem(s->err);
	if (s->names.kernel.err.code) {
		*s->err = s->names.kernel.err;
		return -s->err->code;
	}
	if (s->fields & FIELD_IP && s->callchains && sample->event->has_callchain) {
		ret = add_callchain(s, sample);
	} else if (s->fields & FIELD_IP) {
		strbuf_addch(sb, ' ');
		ret = add_frame(s, sample->pid, sample->ip,
				sample->in_user ? CONTEXT_USER : CONTEXT_KERNEL);
	}
	strbuf_addch(sb, '\n');
	return ret;
}

/* ---- reading ---- */

#define FLUSH_BYTES (1u << 16)

static int flush(struct script *s)
{
	if (s->out.failed || s->frame_texts.failed)
		return error_nomem(s->err);
	fwrite(s->out.buf, 1, s->out.len, s->to);
	strbuf_reset(&s->out);
	/* a reader that has seen enough ends it */
	return ferror(s->to) ? -EPIPE : 0;
}

static int take_sample(void *ctx, const struct sample *sample, struct error *err)
{
	struct script *s = ctx;
	uint32_t number = threads_comm(&s->threads, sample->tid);
	const char *comm;
	int ret;

	if (number == INTERN_NONE)
		return error_nomem(err);
	s->nr_samples++;
	comm = intern_get(&s->strings, number, NULL);
	if (!is_wanted(s->command, sample, comm))
		return 0;
	s->err = err;
	if (!s->name_width)
		look_at_events(s);
	ret = add_sample(s, sample, comm);
	if (!ret && s->out.len > FLUSH_BYTES)
		ret = flush(s);
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
	return frame_names_map(&((struct script *)ctx)->names, map);
}

static int take_process(void *ctx, enum source_process_change change, uint32_t pid,
			uint32_t parent_pid)
{
	return frame_names_process(&((struct script *)ctx)->names, change, pid, parent_pid);
}

static void init(struct script *s, const struct script_command *c, struct event_source *source,
		 unsigned int fields)
{
	*s = (struct script){.command = c,
			     .source = source,
			     .to = stdout,
			     .fields = fields,
			     .out = STRBUF_INIT,
			     .frame_texts = STRBUF_INIT};
	event_texts_init(&s->texts, source->facts);
	frame_names_init(&s->names, source->facts, c->kallsyms);
	intern_init(&s->strings);
	threads_init(&s->threads, &s->strings);
	table_init(&s->frames, sizeof(struct frame_row), sizeof(uint64_t));
}

static void deinit(struct script *s)
{
	event_texts_deinit(&s->texts);
	threads_deinit(&s->threads);
	intern_deinit(&s->strings);
	table_deinit(&s->frames);
	frame_names_deinit(&s->names);
	strbuf_deinit(&s->frame_texts);
	strbuf_deinit(&s->out);
}

static int print_events(const struct script_command *c, unsigned int fields,
			struct event_source *source, struct error *err)
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
	init(&s, c, source, fields);
	ret = event_source_read(source, &sink, &s, err);
	if (!ret) {
		s.err = err;
		ret = flush(&s);
	}
	deinit(&s);
	if (ret == -EPIPE)
		ret = 0;
	/* texts of the kernel, for one, have been decoded already */
	if (!ret && !s.nr_samples && source->ops != &event_source_perfdata)
		ret = error_set(err, ENODATA,
				"'%s' (%s) has no samples to print; 'perf kmem stat -i' reads it",
				source->facts->path, source->ops->name);
	if (!pager_finish(&pager) && !ret)
		ret = error_set(err, ENOENT,
				"the pager could not be run; set PERF_PAGER to one "
				"that exists, or to cat");
	return ret;
}

/* ---- the command line ---- */

/* "comm,tid", "+pid,-dso", "trace:comm": 0, or -EINVAL if one is not known here. */
static int parse_fields(const char *text, unsigned int *ret_fields)
{
	unsigned int fields = 0;
	const char *colon = strchr(text, ':');
	bool changes = *text == '+' || *text == '-';

	if (colon && strncmp(text, "trace:", 6) != 0)
		return -EINVAL;
	text = colon ? colon + 1 : text;
	if (changes)
		fields = FIELDS_OF_EVENTS | FIELDS_OF_FRAMES;
	while (*text) {
		char sign = *text == '+' || *text == '-' ? *text++ : '+';
		size_t len = strcspn(text, ","), i = 0;

		while (i < sizeof(field_names) / sizeof(field_names[0]) &&
		       (strlen(field_names[i].name) != len ||
			strncmp(field_names[i].name, text, len) != 0))
			i++;
		if (i == sizeof(field_names) / sizeof(field_names[0]))
			return -EINVAL;
		fields = sign == '+' ? fields | field_names[i].field
				     : fields & ~field_names[i].field;
		text += len + (text[len] == ',');
	}
	*ret_fields = fields;
	return 0;
}

/* Samples of anything but tracepoints are printed by stock. */
static bool has_other_events(const struct source_facts *facts)
{
	for (size_t i = 0; i < facts->nr_events; i++)
		if (facts->events[i]->type != PERF_TYPE_TRACEPOINT && !facts->events[i]->is_dummy)
			return true;
	return false;
}

static int run_script(const struct script_command *c, const char **next)
{
	_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT;
	bool other = next && next_program_find("perf", &path);
	unsigned int fields = FIELDS_OF_EVENTS;
	struct error err = ERROR_INIT;
	struct event_source *source;
	int ret;

	if (c->fields && parse_fields(c->fields, &fields)) {
		if (other)
			return builtin_hand_over(next);
		error_set(&err, EINVAL, "'%.200s' is not a list of fields (%s)", c->fields,
			  "comm,tid,pid,time,cpu,event,trace,ip,sym,symoff,dso");
		builtin_error(options.command, &err);
		return EXIT_USAGE;
	}
	if (recording_input_open(&c->input, false, &source, &err))
		return builtin_error(options.command, &err);
	if (other && has_other_events(source->facts)) {
		event_source_free(source);
		return builtin_hand_over(next);
	}
	next_program_forget();
	ret = print_events(c, fields, source, &err);
	recording_input_warn(source->facts);
	event_source_free(source);
	return ret ? builtin_error(options.command, &err) : 0;
}

static int run(int argc, const char **argv, void *context)
{
	_cleanup_free_ const char **next = builtin_command_line(argc, argv);
	struct script_command c = {.stop_ns = UINT64_MAX};
	int status;

	(void)context;
	recording_input_init(&c.input);
	status = builtin_options_or_next(&options, &c, &argc, argv, OPTIONS_STOP_AT_NON_OPTION);
	if (status < 0) {
		_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT;

		/* a script to run */
		if (argc && next && next_program_find("perf", &path))
			status = builtin_hand_over(next);
		else
			status = argc ? builtin_usage(&options) : run_script(&c, next);
	}
	cpulist_deinit(&c.cpus);
	return status;
}

const struct subcommand cmd_script = {
	.name = "script",
	.help = "print the events of a recording",
	.options = &options,
	.hands_over = true,
	.run = run,
};
