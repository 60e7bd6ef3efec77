// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/analysis.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/printable.h"
#include "util/base/strbuf.h"
#include "util/base/thread.h"
#include "util/kmem/accounting.h"
#include "util/kmem/decoding.h"
#include "util/perfdata/format.h"
#include "util/tracepoint/tracefs_formats.h"

/* A recording has some ten events; of a hostile one not each of 65,535 gets a line. */
#define UNUSABLE_TOLD 10

static int name_event(struct recorded_event *ev, const struct tep_event *event)
{
	if (ev->name || !event)
		return 0;
	if (asprintf(&ev->name, "%s:%s", trace_event_system(event), trace_event_name(event)) < 0) {
		ev->name = NULL;
		return -ENOMEM;
	}
	printable_make(ev->name);
	return 0;
}

/* Find the decoder of an event; events come one after the other, those of a pipe late. */
static int bind_event(struct kmem_analysis *a, struct recorded_event *ev, struct error *err)
{
	const struct tep_event *event = NULL;
	struct kmem_decoder *d = NULL;
	int ret;

	/* grow at powers of two */
	if (!(a->nr_decoders & (a->nr_decoders - 1))) {
		size_t cap = a->nr_decoders ? a->nr_decoders * 2 : 1;
		struct kmem_decoder **v = reallocarray(a->decoders, cap, sizeof(*v));

		if (!v)
			return error_nomem(err);
		a->decoders = v;
	}
	if (ev->attr.type == PERF_TYPE_TRACEPOINT)
		event = trace_event(&a->trace, ev->attr.config);
	if (name_event(ev, event))
		return error_nomem(err);
	if (event) {
		struct error why = ERROR_INIT;

		ret = kmem_decoder_new(&a->trace, event, &d, &why);
		if (ret == -ENOMEM)
			return error_nomem(err);
		if (ret && a->nr_unusable_events++ < UNUSABLE_TOLD)
			log_warn("'%s': %s: its samples are left out", a->recording->path, why.msg);
	}
	a->decoders[a->nr_decoders++] = d;
	if (d)
		page_internals_bind(&a->internals, &a->trace, ev, event, kmem_decoder_kind(d));
	if (d && kmem_decoder_kind(d) == KMEM_PAGE_ALLOC) {
		a->pages_by_pfn = kmem_decoder_has_pfn(d);
		a->page_events_have_chain |= (ev->attr.sample_type & PERF_SAMPLE_CALLCHAIN) != 0;
	}
	return 0;
}

static int bind_events(struct kmem_analysis *a, struct error *err)
{
	while (a->nr_decoders < a->recording->nr_events) {
		int ret = bind_event(a, a->recording->events[a->nr_decoders], err);

		if (ret)
			return ret;
	}
	return 0;
}

static bool has_kind(const struct kmem_analysis *a, bool (*is_kind)(enum kmem_kind kind))
{
	for (size_t i = 0; i < a->nr_decoders; i++)
		if (a->decoders[i] && is_kind(kmem_decoder_kind(a->decoders[i])))
			return true;
	return false;
}

/* A table, and its keys for the maker. */
static void prepare_table(struct kmem_analysis *a, struct stat_table *t, bool history)
{
	t->names = &a->names;
	t->want_lifetimes = a->options.lifetimes;
	t->want_history = history;
	if (history) {
		struct recorded_span span = kmem_analysis_span(a);

		history_init(&t->history, span.start_ns, span.stop_ns);
	}
	for (unsigned int i = 0; i < t->nr_by; i++)
		fact_maker_want(&a->facts, t->by[i]);
}

static void add_slab_tables(struct kmem_analysis *a)
{
	slab_init(&a->slab, &a->symbols, a->trace.page_size);
	a->slab.count_unmatched_frees = !a->has_filter;
	for (unsigned int i = 0; a->do_slab && i < a->options.nr_slab_tables; i++) {
		const struct table_spec *spec = &a->options.slab_tables[i];
		int n = slab_add_table(&a->slab, spec->by, spec->nr_by);

		a->slab.tables[n].unfiltered = spec->unfiltered;
		prepare_table(a, &a->slab.tables[n], spec->history);
	}
}

static void add_page_tables(struct kmem_analysis *a)
{
	static const enum kmem_key orders[] = {KEY_ORDER, KEY_MIGRATETYPE};

	page_init(&a->page, a->trace.page_size);
	a->page.count_unmatched_frees = !a->has_filter;
	for (unsigned int i = 0; a->do_page && i < a->options.nr_page_tables; i++) {
		const struct table_spec *spec = &a->options.page_tables[i];
		int n = page_add_table(&a->page, spec->by, spec->nr_by);

		prepare_table(a, &a->page.tables[n], spec->history);
		/* a table of pages can show who had the page last */
		if (stat_table_has(&a->page.tables[n], KEY_PAGE))
			fact_maker_want(&a->facts, KEY_CALLSITE);
	}
	a->page_orders = page_add_table(&a->page, orders, 2);
	prepare_table(a, &a->page.tables[a->page_orders], false);
}

/* The formats are there: what each event means, and the tables. */
static int take_trace(struct kmem_analysis *a, struct error *err)
{
	int ret;

	a->has_trace = true;
	a->facts.page_size = a->trace.page_size;
	a->facts.gfp = a->trace.gfp_masks;
	ret = bind_events(a, err);
	if (ret)
		return ret;
	if (a->options.filter)
		ret = kmem_filter_check(a->options.filter, &a->trace.gfp_names, err);
	if (ret)
		return ret;
	a->do_slab = a->options.slab;
	a->do_page = a->options.page;
	a->internals.do_percpu = a->options.percpu;
	a->internals.do_extfrag = a->options.extfrag;
	if (!a->do_slab && !a->do_page && !a->options.percpu && !a->options.extfrag) {
		bool only_internal =
			!has_kind(a, kmem_kind_is_slab) && has_kind(a, kmem_kind_is_internal);

		a->do_page = !has_kind(a, kmem_kind_is_slab) && has_kind(a, kmem_kind_is_page);
		a->internals.do_percpu = a->internals.do_extfrag = only_internal && !a->do_page;
		a->do_slab = !a->do_page && !only_internal;
	}
	add_slab_tables(a);
	add_page_tables(a);
	return 0;
}

static int take_tracing_data(void *ctx, const uint8_t *data, size_t size, struct error *err)
{
	struct kmem_analysis *a = ctx;
	int ret = trace_init(&a->trace, data, size, a->recording->osrelease, err);

	if (ret)
		return error_prefix(err, "'%s', tracing data at offset 0x%" PRIx64,
				    a->recording->path, a->recording->tracing_pos);
	return take_trace(a, err);
}

/* "; it was never finished at offset 0x1f8" */
static void add_damage(struct strbuf *sb, const struct recording *r)
{
	if (r->damage.what[0])
		strbuf_addf(sb, "; %s at offset 0x%" PRIx64, r->damage.what, r->damage.first_pos);
}

/* The recording holds no formats: those that the person names, or the running kernel's. */
static int find_formats(struct kmem_analysis *a, struct error *err)
{
	struct strbuf damage = STRBUF_INIT;
	const char *dir = a->options.tracefs_dir;
	int ret = dir ? trace_init_tracefs(&a->trace, dir, a->recording, err)
		      : trace_init_running(&a->trace, a->recording, err);

	if (!ret)
		return take_trace(a, err);
	if (ret == -ENOMEM || dir)
		return ret;
	add_damage(&damage, a->recording);
	if (!damage.len)
		strbuf_addf(&damage, "; it has %s",
			    a->recording->pipe ? "none among its first records, from offset 0x10 on"
					       : "no feature 1, says its header at offset 0x48");
	ret = error_prefix(err, "'%s' holds no tracing data (the formats of its events)%s",
			   a->recording->path, damage.buf);
	strbuf_deinit(&damage);
	return ret;
}

/* What a pipe tells only after its tracing data: needed from the first sample on. */
static int init_symbols(struct kmem_analysis *a, struct error *err)
{
	int ret = symbols_init(&a->symbols, a->recording, &a->trace, a->options.kallsyms_path, err);

	if (ret)
		return ret;
	a->has_symbols = true;
	migratetypes_init(&a->migratetypes, a->recording);
	kmalloc_caches_init(&a->facts.kmalloc, a->recording, &a->trace.gfp_masks,
			    a->trace.page_size);
	return 0;
}

/* What must be known before the first sample, and of each event before its first. */
static int prepare(struct kmem_analysis *a, struct error *err)
{
	int ret = 0;

	if (!a->has_trace)
		ret = find_formats(a, err);
	if (!ret && !a->has_symbols)
		ret = init_symbols(a, err);
	return ret ? ret : bind_events(a, err);
}

/* The first stage: on the session's thread. */
static int take_sample(void *ctx, const struct sample *sample, struct error *err)
{
	struct kmem_analysis *a = ctx;
	bool prepared = a->has_symbols && a->nr_decoders == a->recording->nr_events;
	int ret = prepared ? 0 : prepare(a, err);

	if (!ret)
		ret = decoding_take(a, sample, handoff_room(&a->handoff));
	return ret > 0 ? handoff_add(&a->handoff) : ret;
}

/* The second stage. */
static int take_events(void *ctx, const void *events, size_t nr)
{
	return accounting_take(ctx, events, nr);
}

static int take_comm(void *ctx, uint32_t tid, const char *comm)
{
	struct kmem_analysis *a = ctx;

	return threads_set_comm(&a->facts.threads, tid, comm);
}

static int take_fork(void *ctx, uint32_t parent_tid, uint32_t tid)
{
	struct kmem_analysis *a = ctx;

	return threads_fork(&a->facts.threads, parent_tid, tid);
}

/* "it has: sched:sched_switch, ..." */
static int error_no_kmem_events(const struct kmem_analysis *a, struct error *err)
{
	struct strbuf sb = STRBUF_INIT;
	int ret;

	for (size_t i = 0; i < a->recording->nr_events; i++) {
		const struct recorded_event *ev = a->recording->events[i];

		if (recorded_event_is_dummy(ev))
			continue;
		if (sb.len)
			strbuf_addstr(&sb, ", ");
		if (ev->name)
			strbuf_addstr(&sb, ev->name);
		else
			strbuf_addf(&sb, "type %u config 0x%" PRIx64, ev->attr.type,
				    ev->attr.config);
	}
	ret = error_set(err, ENODATA,
			"'%s' holds no kmem events, says its tracing data at offset 0x%" PRIx64
			", but: %s (make a recording with 'perf kmem record')",
			a->recording->path, a->recording->tracing_pos,
			sb.len ? sb.buf : "no events at all");
	strbuf_deinit(&sb);
	return ret;
}

static int error_not_recorded(const struct kmem_analysis *a, const char *what, const char *has,
			      struct error *err)
{
	return error_set(err, ENODATA,
			 "'%s' holds no %s events, only %s ones (record them with 'perf kmem "
			 "record --%s')",
			 a->recording->path, what, has, what);
}

static int check_events(struct kmem_analysis *a, struct error *err)
{
	const struct recording *r = a->recording;
	bool slab, page;

	if (!r->nr_samples && r->stop.stopped)
		return error_set(err, ECANCELED, "'%s': stopped before the first event was read",
				 r->path);
	if (!r->nr_samples && r->damage.what[0])
		return error_set(err, EIO, "nothing can be read from '%s': %s at offset 0x%" PRIx64,
				 r->path, r->damage.what, r->damage.first_pos);
	if (!a->has_trace) {
		int ret = find_formats(a, err);

		if (ret)
			return ret;
	}
	slab = has_kind(a, kmem_kind_is_slab);
	page = has_kind(a, kmem_kind_is_page);
	if (!slab && !page && !has_kind(a, kmem_kind_is_internal))
		return error_no_kmem_events(a, err);
	if (!a->do_slab && !a->do_page)
		return page_internals_check(&a->internals, a->recording->path, err);
	/* one of the two is missing: report the other, or nothing when only this was wanted */
	if (a->options.slab && !slab && !a->options.page)
		return error_not_recorded(a, "slab", "page", err);
	if (a->options.page && !page && !a->options.slab)
		return error_not_recorded(a, "page", "slab", err);
	return 0;
}

static int read_session(struct kmem_analysis *a, struct session *session, struct error *err)
{
	static const struct session_ops ops = {
		.tracing_data = take_tracing_data,
		.sample = take_sample,
		.comm = take_comm,
		.fork = take_fork,
	};
	int ret = handoff_init(&a->handoff, sizeof(struct kmem_event), take_events, a,
			       thread_wanted(a->options.jobs));

	if (ret)
		return error_nomem(err);
	ret = session_read(session, &ops, a, err);
	if (!ret && handoff_drain(&a->handoff))
		ret = error_nomem(err);
	handoff_deinit(&a->handoff);
	accounting_finish(a);
	return ret;
}

static void finish_histories(struct kmem_analysis *a)
{
	uint64_t stop_ns = kmem_analysis_span(a).stop_ns;

	for (unsigned int i = 0; i < a->slab.nr_tables; i++)
		if (a->slab.tables[i].want_history)
			history_finish(&a->slab.tables[i].history, stop_ns);
	for (unsigned int i = 0; i < a->page.nr_tables; i++)
		if (a->page.tables[i].want_history)
			history_finish(&a->page.tables[i].history, stop_ns);
}

int kmem_analysis_run(struct kmem_analysis *a, struct session *session,
		      const struct kmem_options *options, struct error *err)
{
	int ret;

	*a = (struct kmem_analysis){
		.options = *options,
		.recording = session_recording(session),
		.pages_by_pfn = true,
		.has_filter = options->filter && options->filter->nr,
	};
	key_names_init(&a->names);
	fact_maker_init(&a->facts, &a->names, &a->callsites, &a->symbols, a->recording);
	if (options->max_stack && options->max_stack < MAX_STACK_DEFAULT)
		a->facts.max_stack = options->max_stack;
	if (options->filter)
		kmem_filter_want(options->filter, &a->facts);
	ret = filter_tally_init(&a->tally, options->filter ? options->filter->nr : 0);
	if (ret)
		error_nomem(err);
	if (!ret)
		ret = page_internals_init(&a->internals, &a->symbols, options->skip_callsites,
					  options->nr_skip_callsites, err);
	if (!ret)
		ret = callsite_finder_init(&a->callsites, &a->symbols, err);
	for (size_t i = 0; !ret && i < options->nr_skip_callsites; i++)
		ret = callsite_finder_skip(&a->callsites, options->skip_callsites[i], err);
	if (!ret)
		ret = read_session(a, session, err);
	if (!ret)
		ret = check_events(a, err);
	if (!ret && !a->has_symbols)
		ret = init_symbols(a, err);
	if (!ret && cache_aliases_init(&a->cache_aliases, &a->names.strings,
				       a->recording->cache_aliases.buf))
		ret = error_nomem(err);
	if (ret)
		kmem_analysis_deinit(a);
	else
		finish_histories(a);
	return ret;
}

struct recorded_span kmem_analysis_span(const struct kmem_analysis *a)
{
	return windows_clip(a->options.windows, a->options.nr_windows,
			    recording_span(a->recording));
}

uint64_t kmem_analysis_length_ns(const struct kmem_analysis *a)
{
	return windows_length_ns(a->options.windows, a->options.nr_windows,
				 recording_span(a->recording));
}

void kmem_analysis_deinit(struct kmem_analysis *a)
{
	for (size_t i = 0; i < a->nr_decoders; i++)
		kmem_decoder_free(a->decoders[i]);
	free(a->decoders);
	page_internals_deinit(&a->internals);
	callsite_finder_deinit(&a->callsites);
	cache_aliases_deinit(&a->cache_aliases);
	fact_maker_deinit(&a->facts);
	filter_tally_deinit(&a->tally);
	key_names_deinit(&a->names);
	if (a->has_trace) {
		slab_deinit(&a->slab);
		page_deinit(&a->page);
	}
	symbols_deinit(&a->symbols);
	trace_deinit(&a->trace);
}
