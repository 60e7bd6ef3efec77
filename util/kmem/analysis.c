// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/analysis.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/perfdata/format.h"

/* Which kinds of events an allocator's report is made of. */
static bool is_slab(enum kmem_kind kind)
{
	return kind == KMEM_SLAB_ALLOC || kind == KMEM_SLAB_FREE;
}

static bool is_page(enum kmem_kind kind)
{
	return kind == KMEM_PAGE_ALLOC || kind == KMEM_PAGE_FREE;
}

static int name_event(struct recorded_event *ev, const struct tep_event *event)
{
	if (ev->name || !event)
		return 0;
	if (asprintf(&ev->name, "%s:%s", trace_event_system(event), trace_event_name(event)) < 0) {
		ev->name = NULL;
		return -ENOMEM;
	}
	return 0;
}

/* Find the decoder of an event; events come one after the other, those of a pipe late. */
static int bind_event(struct kmem_analysis *a, struct recorded_event *ev, struct error *err)
{
	const struct tep_event *event = NULL;
	struct kmem_decoder **v = reallocarray(a->decoders, a->nr_decoders + 1, sizeof(*v));
	struct kmem_decoder *d = NULL;
	int ret;

	if (!v)
		return error_nomem(err);
	a->decoders = v;
	if (ev->attr.type == PERF_TYPE_TRACEPOINT)
		event = trace_event(&a->trace, ev->attr.config);
	if (name_event(ev, event))
		return error_nomem(err);
	if (event) {
		ret = kmem_decoder_new(&a->trace, event, &d, err);
		if (ret)
			return ret;
	}
	v[a->nr_decoders++] = d;
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

static void add_slab_tables(struct kmem_analysis *a)
{
	static const enum kmem_key caller[] = {KEY_CALLSITE}, alloc[] = {KEY_PTR};

	slab_init(&a->slab, a->recording, &a->symbols, a->trace.page_size);
	if (a->options.by_caller) {
		a->tables.slab_caller = (int)a->slab.nr_tables;
		slab_add_table(&a->slab, caller, 1);
	}
	if (a->options.by_alloc) {
		a->tables.slab_alloc = (int)a->slab.nr_tables;
		slab_add_table(&a->slab, alloc, 1);
	}
}

static void add_page_tables(struct kmem_analysis *a)
{
	static const enum kmem_key caller[] = {KEY_CALLSITE, KEY_ORDER, KEY_MIGRATETYPE, KEY_GFP};
	static const enum kmem_key alloc[] = {KEY_PAGE, KEY_ORDER, KEY_MIGRATETYPE, KEY_GFP};
	static const enum kmem_key orders[] = {KEY_ORDER, KEY_MIGRATETYPE};

	page_init(&a->page, a->trace.page_size);
	a->page_callsites = a->options.by_caller || a->options.by_alloc;
	if (a->options.by_caller) {
		a->tables.page_caller = (int)a->page.nr_tables;
		page_add_table(&a->page, caller, 4);
	}
	if (a->options.by_alloc) {
		a->tables.page_alloc = (int)a->page.nr_tables;
		page_add_table(&a->page, alloc, 4);
	}
	a->tables.page_orders = (int)a->page.nr_tables;
	page_add_table(&a->page, orders, 2);
}

static int take_tracing_data(void *ctx, const uint8_t *data, size_t size, struct error *err)
{
	struct kmem_analysis *a = ctx;
	int ret = trace_init(&a->trace, data, size, err);

	if (ret)
		return error_prefix(err, "'%s'", a->recording->path);
	a->has_trace = true;
	ret = bind_events(a, err);
	if (ret)
		return ret;
	a->do_slab = a->options.slab;
	a->do_page = a->options.page;
	if (!a->do_slab && !a->do_page) {
		a->do_page = !has_kind(a, is_slab) && has_kind(a, is_page);
		a->do_slab = !a->do_page;
	}
	add_slab_tables(a);
	add_page_tables(a);
	return 0;
}

/* What a pipe tells only after its tracing data: needed from the first sample on. */
static int init_symbols(struct kmem_analysis *a, struct error *err)
{
	int ret = symbols_init(&a->symbols, a->recording, &a->trace, a->options.kallsyms_path, err);

	if (ret)
		return ret;
	a->has_symbols = true;
	migratetypes_init(&a->migratetypes, a->recording);
	return 0;
}

static int account(struct kmem_analysis *a, const struct kmem_event *ev, bool in_window)
{
	uint64_t callsite = CALLSITE_UNKNOWN;

	switch (ev->kind) {
	case KMEM_SLAB_ALLOC:
		return a->do_slab ? slab_alloc(&a->slab, ev, in_window) : 0;
	case KMEM_SLAB_FREE:
		return a->do_slab ? slab_free(&a->slab, ev, in_window) : 0;
	case KMEM_PAGE_ALLOC:
		if (!a->do_page)
			return 0;
		if (a->page_callsites)
			callsite = callsite_find(&a->callsites, ev->sample);
		return page_alloc(&a->page, ev, callsite, in_window);
	case KMEM_PAGE_FREE:
		return a->do_page ? page_free(&a->page, ev, in_window) : 0;
	default:
		return 0;
	}
}

static int take_sample(void *ctx, struct recorded_event *event, const struct sample *sample,
		       struct error *err)
{
	struct kmem_analysis *a = ctx;
	const struct kmem_decoder *d;
	struct kmem_event ev;
	bool in_window;
	int ret;

	if (!a->has_trace)
		return 0;
	if (!a->has_symbols) {
		ret = init_symbols(a, err);
		if (ret)
			return ret;
	}
	if (event->index >= a->nr_decoders) {
		ret = bind_events(a, err);
		if (ret)
			return ret;
	}
	d = a->decoders[event->index];
	if (!d || sample->time_ns > a->options.stop_ns)
		return 0;
	if (kmem_decoder_decode(d, sample, &ev)) {
		event->nr_bad++;
		return 0;
	}
	in_window = sample->time_ns >= a->options.start_ns;
	a->kind_samples[ev.kind]++;
	a->nr_in_window += in_window;
	ret = account(a, &ev, in_window);
	if (ret == -EINVAL) {
		event->nr_bad++;
		return 0;
	}
	return ret;
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
			"'%s' holds no kmem events, but: %s (make a recording with 'perf kmem "
			"record')",
			a->recording->path, sb.len ? sb.buf : "no events at all");
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
	bool slab = has_kind(a, is_slab), page = has_kind(a, is_page);

	if (!a->has_trace)
		return error_set(err, ENODATA,
				 "'%s' holds no tracing data (the formats of its events)",
				 a->recording->path);
	if (!slab && !page)
		return error_no_kmem_events(a, err);
	/* one of the two is missing: report the other, or nothing when only this was wanted */
	if (a->options.slab && !slab && !a->options.page)
		return error_not_recorded(a, "slab", "page", err);
	if (a->options.page && !page && !a->options.slab)
		return error_not_recorded(a, "page", "slab", err);
	return 0;
}

int kmem_analysis_run(struct kmem_analysis *a, struct session *session,
		      const struct kmem_options *options, struct error *err)
{
	static const struct session_ops ops = {
		.tracing_data = take_tracing_data,
		.sample = take_sample,
	};
	int ret;

	*a = (struct kmem_analysis){
		.options = *options,
		.tables = {-1, -1, -1, -1, -1},
		.recording = session_recording(session),
		.pages_by_pfn = true,
	};
	ret = callsite_finder_init(&a->callsites, &a->symbols, err);
	for (size_t i = 0; !ret && i < options->nr_skip_callsites; i++)
		ret = callsite_finder_skip(&a->callsites, options->skip_callsites[i], err);
	if (!ret)
		ret = session_read(session, &ops, a, err);
	if (!ret)
		ret = check_events(a, err);
	if (!ret && !a->has_symbols)
		ret = init_symbols(a, err);
	if (ret)
		kmem_analysis_deinit(a);
	return ret;
}

void kmem_analysis_deinit(struct kmem_analysis *a)
{
	for (size_t i = 0; i < a->nr_decoders; i++)
		kmem_decoder_free(a->decoders[i]);
	free(a->decoders);
	callsite_finder_deinit(&a->callsites);
	if (a->has_trace) {
		slab_deinit(&a->slab);
		page_deinit(&a->page);
	}
	symbols_deinit(&a->symbols);
	trace_deinit(&a->trace);
}
