// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/recording-input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "builtin/command.h"
#include "util/base/log.h"
#include "util/decode/formats.h"
#include "util/session/session.h"
#include "util/tracepoint/event_format.h"

const struct option recording_input_options[] = {
	OPT_GROUP("The recording"),
	OPT_STRING('i', "input", struct recording_input, path, "<file>",
		   "the recording to read (perf.data; - for a pipe)"),
	OPT_BOOL('f', "force", struct recording_input, force,
		 "read it even if it is someone else's"),
	OPT_U64_BOUNDED('j', "jobs", struct recording_input, jobs, "<n>",
			"threads to read with (as many as there are CPUs)", 1, 1024),
	OPT_COUNT('v', "verbose", struct recording_input, verbose, "print more"),
	OPT_BOOL('q', "quiet", struct recording_input, quiet, "no warnings"),
	OPT_END(),
};

void recording_input_init(struct recording_input *in)
{
	*in = (struct recording_input){.path = "perf.data"};
}

/* Data kept while reading only the list of events. */
struct looking {
	struct trace trace;
	bool has_trace;
};

static int take_formats(void *ctx, const struct tracing_data *formats, struct error *err)
{
	struct looking *l = ctx;
	int ret = trace_init(&l->trace, formats, err);

	l->has_trace = !ret;
	return ret;
}

static int ignore_sample(void *ctx, const struct sample *sample, struct error *err)
{
	(void)ctx, (void)sample, (void)err;
	return 0;
}

static int look_at_events(struct event_source *source, struct error *err)
{
	static const struct event_sink sink = {.formats = take_formats, .sample = ignore_sample};
	struct looking l = {.has_trace = false};
	int ret = event_source_read(source, &sink, &l, err);

	if (!ret && l.has_trace && event_names_from_formats(source->facts, &l.trace))
		ret = error_nomem(err);
	if (l.has_trace)
		trace_deinit(&l.trace);
	return ret;
}

int recording_input_open(const struct recording_input *in, bool events,
			 struct event_source **ret_source, struct error *err)
{
	const struct source_options how = {
		.if_missing = "make one with 'perf record', or name another with -i",
		.force = in->force,
		.jobs = (unsigned int)in->jobs,
		.sample_details = true,
	};
	struct event_source *source;
	int ret;

	if (in->verbose)
		log_set_level(in->verbose);
	if (in->quiet)
		log_set_level(LOG_QUIET);
	ret = event_source_open(in->path, &how, &source, err);
	if (ret)
		return ret;
	if (events && !source->facts->nr_events)
		ret = look_at_events(source, err);
	if (ret)
		event_source_free(source);
	else
		*ret_source = source;
	return ret;
}

int recording_input_check_samples(const struct event_source *source, const char *to,
				  struct error *err)
{
	if (source->ops == &event_source_perfdata)
		return 0;
	return error_set(err, ENODATA,
			 "'%s' (%s) has no samples to %s; 'perf kmem stat -i' reads it",
			 source->facts->path, source->ops->name, to);
}

int recording_input_close(struct event_source *source, const char *command, int ret,
			  const struct error *err)
{
	const bool partial = source->facts->damage.what[0];

	recording_input_warn_damage(source->facts, "");
	event_source_free(source);
	if (ret)
		return builtin_error(command, err);
	return partial ? EXIT_PARTIAL : 0;
}

void recording_input_warn_damage(const struct source_facts *facts, const char *so)
{
	const struct source_damage *d = &facts->damage;
	char skipped[96] = "";

	const uint64_t records = d->nr_skipped_records, bytes = d->nr_skipped_bytes;
	const char *s_of_bytes = bytes == 1 ? "" : "s", *s_of_records = records == 1 ? "" : "s";

	if (records && bytes)
		snprintf(skipped, sizeof(skipped),
			 "; skipped %" PRIu64 " record%s (%" PRIu64 " byte%s)", records,
			 s_of_records, bytes, s_of_bytes);
	else if (records || bytes)
		snprintf(skipped, sizeof(skipped), "; skipped %" PRIu64 " %s%s",
			 records ? records : bytes, records ? "record" : "byte",
			 records ? s_of_records : s_of_bytes);
	if (d->what[0])
		log_warn("'%s': %s at offset 0x%" PRIx64 "%s%s", facts->path, d->what, d->first_pos,
			 skipped, so);
	if (facts->nr_unknown_ids)
		log_warn("'%s': %" PRIu64 " samples are of events that the recording does not "
			 "describe",
			 facts->path, facts->nr_unknown_ids);
}
