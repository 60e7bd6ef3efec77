// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report: adds up the samples of a recording and prints the result as text. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "builtin/command.h"
#include "builtin/perf/event-texts.h"
#include "builtin/perf/kernel-names.h"
#include "builtin/recording-input.h"
#include "builtin/perf/report-options.h"
#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/word_list.h"
#include "util/cli/next_program.h"
#include "util/cli/pager.h"
#include "util/profile/report_profile.h"
#include "util/usersym/kernel_image.h"
#include "util/tracepoint/tracing_data.h"

static const char *const usage[] = {"perf report [<options>]", NULL};
static const struct options options = {"perf report", usage, report_options};

/* Filters whose values a recording may lack: their name in messages, and the field that lists the
 * existing values. */
static const struct name_filter {
	const char *option, *what, *field;
} name_filters[] = {
	{"-c", "of the command", "comm"},    {"--pid", "of the process", "pid"},
	{"--tid", "of the thread", "tid"},   {"-d", "in the program or library", "dso"},
	{"-S", "in the function", "symbol"},
};

enum { FILTER_COMMS, FILTER_PIDS, FILTER_TIDS, FILTER_DSOS, FILTER_SYMBOLS, NR_NAME_FILTERS };

struct report {
	struct profile profile; /* first member: it takes task records from the sink */
	const struct report_command *command;
	struct event_source *source;
	struct event_texts texts;
	struct kernel_names kernel;
	struct kernel_image image;
	bool has_image;
	struct functions functions;
	struct profile_report columns;
	struct histogram_options rows;
	struct histogram_limits limits;
	struct strbuf text;
	uint64_t nr_samples;
	uint64_t seen[NR_NAME_FILTERS]; /* values seen of those, by their bits (word_list_note()) */
	bool ready;			/* the settings are final */
	bool has_texts;			/* a key distinguishes samples by their events' text */
};

/* ---- reading ---- */

static int take_formats(void *ctx, const struct tracing_data *formats, struct error *err)
{
	struct report *r = ctx;
	int ret = event_texts_take_formats(&r->texts, formats, err);

	/* opened later: the kernel's location comes after the formats */
	return ret ? ret : kernel_names_take_formats(&r->kernel, formats, err);
}

/* The number of the sample's text. INTERN_NONE if out of memory. */
static uint32_t text_of(struct report *r, const struct sample *sample)
{
	if (!r->has_texts)
		return 0;
	strbuf_reset(&r->text);
	if (event_texts_add(&r->texts, &r->text, sample, kernel_names_add, &r->kernel) ||
	    r->text.failed)
		return INTERN_NONE;
	return intern_add_str(&r->profile.strings, r->text.buf);
}

static unsigned int parts_needed(const struct report *r)
{
	const struct report_command *c = r->command;
	unsigned int parts = fields_parts(&r->rows.keys);

	parts |= c->filter.comms ? PROFILE_COMM : 0;
	parts |= c->filter.pids ? PROFILE_PID : 0;
	parts |= c->filter.tids ? PROFILE_TID : 0;
	return parts | (r->rows.trees || r->rows.children ? PROFILE_CHAIN : 0);
}

/* Before the first sample, when the events are known, even from a pipe. */
static int prepare(struct report *r, struct error *err)
{
	int ret = report_columns_init(&r->columns, r->command, r->source->facts, &r->rows, err);

	r->profile.parts = parts_needed(r);
	r->has_texts = histogram_fields_have(&r->rows.keys, FIELD_TRACE);
	r->ready = true;
	return ret;
}

static int take_sample(void *ctx, const struct sample *sample, struct error *err)
{
	struct report *r = ctx;
	uint32_t text;

	r->nr_samples++;
	if (!r->ready && prepare(r, err))
		return -err->code;
	if (!sample_filter_takes_sample(&r->command->filter, sample))
		return 0;
	if (kernel_names_at(&r->kernel, sample->time_ns, err))
		return -err->code;
	text = text_of(r, sample);
	if (r->kernel.err.code) {
		*err = r->kernel.err;
		return -err->code;
	}
	if (text == INTERN_NONE || profile_add(&r->profile, sample, text))
		return error_nomem(err);
	return 0;
}

_Static_assert(offsetof(struct report, profile) == 0, "a report is its profile");

static int read_samples(struct report *r, struct error *err)
{
	static const struct event_sink sink = {.formats = take_formats,
					       .sample = take_sample,
					       .comm = profile_take_comm,
					       .fork = profile_take_fork,
					       .map = profile_take_map,
					       .process = profile_take_process};
	int ret = event_source_read(r->source, &sink, r, err);

	if (!ret && !r->nr_samples)
		ret = recording_input_check_samples(r->source, "report", err);
	if (!ret && !r->ready)
		ret = prepare(r, err);
	/* opened late: they are many, and user-space samples may need none */
	if (!ret && (r->command->kallsyms || profile_has_kernel(&r->profile)))
		ret = kernel_names_open(&r->kernel, err);
	return ret;
}

/* ---- the document ---- */

/* The value that the user gave for a filter; may be NULL. */
static const char *filter_list(const struct report *r, unsigned int filter)
{
	const struct report_command *c = r->command;
	const char *const lists[NR_NAME_FILTERS] = {
		[FILTER_COMMS] = c->filter.comms, [FILTER_PIDS] = c->filter.pids,
		[FILTER_TIDS] = c->filter.tids,	  [FILTER_DSOS] = c->dsos,
		[FILTER_SYMBOLS] = c->symbols,
	};

	return lists[filter];
}

static bool filter_has(struct report *r, unsigned int filter, const char *word)
{
	return word_list_note(filter_list(r, filter), word, &r->seen[filter]);
}

static bool filter_has_number(struct report *r, unsigned int filter, uint32_t number)
{
	char word[16];

	if (!filter_list(r, filter))
		return true;
	snprintf(word, sizeof(word), "%" PRIu32, number);
	return filter_has(r, filter, word);
}

/* Whether the sample is shown. Each filter notes its value, even if another one rejects it. */
static bool is_wanted(void *ctx, const struct profile_row *row, uint32_t function)
{
	struct report *r = ctx;
	const struct function *fn = function_at(&r->functions, function);
	const char *dso = profile_string(&r->profile, fn->dso);
	bool wanted = filter_has(r, FILTER_COMMS,
				 profile_string(&r->profile, profile_row_comm(&r->profile, row)));
	bool by_path;

	wanted &= filter_has_number(r, FILTER_PIDS, row->pid);
	wanted &= filter_has_number(r, FILTER_TIDS, row->tid);
	by_path = filter_has(r, FILTER_DSOS, dso);
	wanted &= filter_has(r, FILTER_DSOS, dso_short_name(dso)) || by_path;
	if (r->command->symbols)
		wanted &= fn->name != INTERN_NONE &&
			  filter_has(r, FILTER_SYMBOLS, profile_string(&r->profile, fn->name));
	return wanted;
}

static void warn_unseen(const struct report *r)
{
	for (unsigned int i = 0; r->profile.rows.nr && i < NR_NAME_FILTERS; i++) {
		const struct name_filter *f = &name_filters[i];
		size_t len;
		const char *word = word_list_unseen(filter_list(r, i), r->seen[i], &len);

		if (word)
			log_warn("'%s': no sample is %s '%.*s' (%s); perf report -s %s lists "
				 "them",
				 r->source->facts->path, f->what, (int)(len < 200 ? len : 200),
				 word, f->option, f->field);
	}
}

/* The histograms of a report, each in a section of its document. */
struct parts {
	struct histogram *histograms;
	struct fields_context *contexts;
	size_t nr;
};

static void parts_deinit(struct parts *p)
{
	for (size_t i = 0; i < p->nr; i++)
		histogram_deinit(&p->histograms[i]);
	free(p->histograms);
	free(p->contexts);
}

/* Warn of parts that are omitted because they exceed the limits for the file's size. */
static void warn_limits(const struct report *r)
{
	const char *path = r->source->facts->path;
	const uint64_t nr_chains = profile_chains_left_out(&r->profile);

	if (r->profile.nr_left_out)
		log_warn("'%s': left out %" PRIu64 " samples: too many different ones for a file "
			 "of this size",
			 path, r->profile.nr_left_out);
	if (nr_chains)
		log_warn("'%s': left out %" PRIu64 " callchains: too many different ones for a "
			 "file of this size",
			 path, nr_chains);
	if (r->limits.rows_reached)
		log_warn("'%s': left out rows: too many for a file of this size", path);
	if (r->limits.trees.reached)
		log_warn("'%s': cut callchains: too many different ones for a file of this size",
			 path);
}

static const char *event_name(const struct source_event *ev)
{
	return ev->name ? ev->name : "unknown event";
}

/* "a, b", in memory of the document. NULL if out of memory. */
static const char *all_names(const struct source_facts *facts, struct document *d)
{
	struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < facts->nr_events; i++)
		if (facts->events[i]->nr_samples)
			strbuf_addf(&names, "%s%s", names.len ? ", " : "",
				    event_name(facts->events[i]));
	if (names.failed) {
		strbuf_deinit(&names);
		return NULL;
	}
	return document_own(d, strbuf_detach(&names));
}

static int add_part(struct report *r, struct parts *p, struct document_section *in, uint32_t event,
		    const char *name)
{
	struct histogram *h = &p->histograms[p->nr];

	if (!name || histogram_init(h, &r->profile, &r->functions, &r->rows, event))
		return -ENOMEM;
	p->contexts[p->nr].histogram = h;
	profile_report_event(in, &r->columns, name, &p->contexts[p->nr++]);
	return 0;
}

static int add_parts(struct report *r, struct parts *p, struct document *d)
{
	const struct source_facts *facts = r->source->facts;
	struct document_section *in;

	profile_report_begin(&d->root, &r->columns, facts);
	in = profile_report_events(&d->root);
	if (!in)
		return -ENOMEM;
	if (histogram_fields_have(&r->rows.keys, FIELD_EVENT))
		return add_part(r, p, in, HISTOGRAM_ALL_EVENTS, all_names(facts, d));
	for (size_t i = 0; i < facts->nr_events; i++)
		if (facts->events[i]->nr_samples &&
		    add_part(r, p, in, (uint32_t)i, event_name(facts->events[i])))
			return -ENOMEM;
	return 0;
}

static int print_document(struct report *r, const struct document *d, const struct parts *p,
			  struct error *err)
{
	const struct render_options how = {.thousands_sep = "", .separator = r->command->separator};
	struct pager pager = PAGER_INIT;
	int ret = pager_start(&pager, err);

	if (ret)
		return ret;
	ret = form_write(r->command->form, stdout, &how, d, err);
	if (!pager_finish(&pager) && !ret)
		ret = form_write(r->command->form, stdout, &how, d, err);
	for (size_t i = 0; i < p->nr; i++)
		if (p->contexts[i].failed)
			ret = error_nomem(err);
	return ret;
}

static int print_report(struct report *r, struct error *err)
{
	const size_t nr = r->source->facts->nr_events + 1;
	struct parts p = {.histograms = calloc(nr, sizeof(struct histogram)),
			  .contexts = calloc(nr, sizeof(struct fields_context))};
	struct document d;
	int ret;

	document_init(&d, r->command->form->audience);
	histogram_limits_init(&r->limits, r->source->facts->stored_bytes);
	if (!p.histograms || !p.contexts || add_parts(r, &p, &d) || document_failed(&d))
		ret = error_nomem(err);
	else
		ret = print_document(r, &d, &p, err);
	if (!ret) {
		warn_unseen(r);
		warn_limits(r);
	}
	document_deinit(&d);
	parts_deinit(&p);
	return ret;
}

/* ---- the command ---- */

static bool has_lines(const struct report *r)
{
	return histogram_fields_have(&r->rows.keys, FIELD_SRCLINE) ||
	       histogram_fields_have(&r->rows.keys, FIELD_SRCFILE);
}

/* Whether inlined functions are wanted for kernel callchains. */
static bool has_inlined(const struct report *r)
{
	return r->functions.inlined && (r->rows.trees || r->rows.children) &&
	       profile_has_kernel(&r->profile);
}

/* Errors: the named file is not of the recorded kernel. */
static int open_image(struct report *r, struct error *err)
{
	const struct report_command *c = r->command;
	struct dso_search search = c->files.search;

	if (!c->vmlinux && !has_lines(r) && !has_inlined(r))
		return 0;
	/* Debug files of hundreds of megabytes are only downloaded if the user asked for something
	 * that needs them. */
	if (!has_lines(r))
		search.debuginfod = NULL;
	r->has_image = !kernel_image_open(&r->image, c->vmlinux, r->source->facts, &search,
					  c->vmlinux ? err : NULL);
	if (r->has_image)
		r->functions.image = &r->image;
	return r->has_image || !c->vmlinux ? 0 : -err->code;
}

static int report_recording(struct report *r, struct error *err)
{
	int ret = profile_init(&r->profile, r->source->facts, 0, &r->command->files.search, err);

	if (ret)
		return ret;
	event_texts_init(&r->texts, r->source->facts);
	kernel_names_init(&r->kernel, r->source->facts,
			  r->command->kallsyms ? r->command->kallsyms : r->command->vmlinux);
	r->profile.kernel = &r->kernel.symbols;
	functions_init(&r->functions, &r->profile, &r->kernel.symbols, !r->command->no_inline);
	r->functions.whole_paths = r->command->full_source_path;
	ret = read_samples(r, err);
	if (!ret)
		ret = open_image(r, err);
	if (!ret)
		ret = print_report(r, err);
	if (r->has_image)
		kernel_image_close(&r->image);
	event_texts_deinit(&r->texts);
	functions_deinit(&r->functions);
	kernel_names_deinit(&r->kernel);
	profile_deinit(&r->profile);
	strbuf_deinit(&r->text);
	return ret;
}

static int run_report(struct report_command *c)
{
	struct report r = {.command = c, .text = STRBUF_INIT, .rows.wants = is_wanted};
	struct error err = ERROR_INIT;
	int ret;

	if (user_files_load_config(&c->files, &err) ||
	    recording_input_open(&c->input, false, &r.source, &err))
		return builtin_error(options.command, &err);
	r.rows.ctx = &r;
	r.rows.limits = &r.limits;
	ret = report_recording(&r, &err);
	return recording_input_close(r.source, options.command, ret, &err);
}

static int run(int argc, const char **argv, void *context)
{
	_cleanup_free_ const char **next = builtin_command_line(argc, argv);
	struct error err = ERROR_INIT;
	struct report_command c;
	int status;

	(void)context;
	report_command_init(&c);
	status = builtin_options_or_next(&options, &c, &argc, argv, 0);
	if (status < 0) {
		int ret = report_command_check(&c, &err);

		/* fields that only stock has, or the symbol to look for in its browser */
		if ((argc || ret == -EINVAL) && next && builtin_next_exists()) {
			status = builtin_hand_over(next);
		} else if (ret) {
			builtin_error(options.command, &err);
			status = EXIT_USAGE;
		} else {
			next_program_forget();
			status = argc ? builtin_takes_none(&options, argv[0]) : run_report(&c);
		}
	}
	user_files_deinit(&c.files);
	sample_filter_deinit(&c.filter);
	return status;
}

const struct subcommand cmd_report = {
	.name = "report",
	.help = "print what the samples of a recording add up to",
	.options = &options,
	.hands_over = true,
	.run = run,
};
