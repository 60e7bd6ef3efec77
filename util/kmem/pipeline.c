// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/pipeline.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/printable.h"
#include "util/base/strbuf.h"
#include "util/base/thread.h"
#include "util/kmem/decoding.h"
#include "util/kmem/formats.h"

/* A recording has some ten events; in a hostile one, not each of 65,535 gets a line. */
#define UNUSABLE_TOLD 10

static int name_event(struct source_event *ev, const struct tep_event *event)
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

/* According to its format, or to the source; KMEM_OTHER: not a kmem event. */
static unsigned int kind_of_event(const struct kmem_pipeline *p, size_t index)
{
	const struct kmem_decoder *d = p->decoding.decoders[index];

	return d ? kmem_decoder_kind(d) : p->facts->events[index]->kind;
}

static void tell_accounts(struct kmem_pipeline *p, size_t index)
{
	const struct source_event *ev = p->facts->events[index];
	const struct kmem_decoder *d = p->decoding.decoders[index];
	unsigned int kind = kind_of_event(p, index);

	if (kind != KMEM_OTHER)
		accounts_bind(
			&p->accounts,
			&(struct account_event){
				.kind = kind,
				.own = d ? kmem_decoder_own(d) : 0,
				.has_callchain = ev->has_callchain,
				.format = d ? trace_event(&p->decoding.trace, ev->config) : NULL,
			});
}

static int new_decoder(const struct trace *trace, const struct tep_event *event,
		       struct kmem_decoder **ret_decoder, struct error *err)
{
	const struct account_tracepoint own =
		accounts_find_tracepoint(trace_event_system(event), trace_event_name(event));

	if (!own.tracepoint)
		return kmem_decoder_new(trace, event, ret_decoder, err);
	return kmem_decoder_new_own(trace, event, own.tracepoint, own.kind, own.own, ret_decoder,
				    err);
}

/* Find the decoder of an event; events arrive one by one, late in a pipe. */
static int bind_event(struct kmem_pipeline *p, struct source_event *ev, struct error *err)
{
	const struct tep_event *event = NULL;
	struct kmem_decoder *d = NULL;
	int ret;

	/* grow at powers of two */
	if (!(p->decoding.nr_decoders & (p->decoding.nr_decoders - 1))) {
		size_t cap = p->decoding.nr_decoders ? p->decoding.nr_decoders * 2 : 1;
		struct kmem_decoder **v = reallocarray(p->decoding.decoders, cap, sizeof(*v));

		if (!v)
			return error_nomem(err);
		p->decoding.decoders = v;
	}
	if (ev->type == PERF_TYPE_TRACEPOINT)
		event = trace_event(&p->decoding.trace, ev->config);
	if (name_event(ev, event))
		return error_nomem(err);
	if (event) {
		struct error why = ERROR_INIT;

		ret = new_decoder(&p->decoding.trace, event, &d, &why);
		if (ret == -ENOMEM)
			return error_nomem(err);
		if (ret && p->decoding.nr_unusable_events++ < UNUSABLE_TOLD)
			log_warn("'%s': %s: its samples are ignored", p->facts->path, why.msg);
	}
	p->decoding.decoders[p->decoding.nr_decoders++] = d;
	if (d && kmem_decoder_kind(d) == KMEM_PAGE_ALLOC)
		p->naming.pages_by_pfn = kmem_decoder_has_pfn(d);
	return 0;
}

static int bind_events(struct kmem_pipeline *p, struct error *err)
{
	while (p->decoding.nr_decoders < p->facts->nr_events) {
		size_t index = p->decoding.nr_decoders;
		int ret = bind_event(p, p->facts->events[index], err);

		if (ret)
			return ret;
		if (!p->decoding.has_accounts)
			continue;
		/* late: nothing may use the accounts while they are told */
		if (handoff_drain(&p->decoding.handoff))
			return error_nomem(err);
		tell_accounts(p, index);
	}
	return 0;
}

/* Bits of them. */
static uint32_t recorded_kinds(const struct kmem_pipeline *p)
{
	uint32_t kinds = 0;

	for (size_t i = 0; i < p->decoding.nr_decoders; i++)
		kinds |= KIND_BIT(kind_of_event(p, i));
	return kinds & ~KIND_BIT(KMEM_OTHER);
}

/* The function that an address is in, for accounts, which know no symbols. */
static uint64_t find_function(const void *ctx, uint64_t address, const char **ret_name)
{
	const struct symbol *sym = symbols_find(ctx, address);

	if (!sym)
		return 0;
	*ret_name = sym->name;
	return sym->start;
}

static int init_accounts(struct kmem_pipeline *p, struct error *err)
{
	const struct account_setup setup = {
		.options = &p->options,
		.names = &p->naming.names,
		.page_size = p->naming.page_size,
		.pageblock_order = p->naming.pageblock_order,
		.span = kmem_pipeline_span(p),
		.is_filtered = p->decoding.has_filter,
		.functions = {find_function, &p->naming.symbols},
	};

	accounts_choose(p->options.wanted, recorded_kinds(p), p->chosen);
	if (accounts_init(&p->accounts, p->chosen, &setup))
		return error_nomem(err);
	p->decoding.has_accounts = true;
	for (size_t i = 0; i < p->decoding.nr_decoders; i++)
		tell_accounts(p, i);
	p->decoding.needs = accounts_needs(&p->accounts);
	p->decoding.completer.wanted |= p->decoding.needs.keys;
	return 0;
}

/* Until the symbols are made of it. */
static int keep_kallsyms(struct kmem_decoding *d, const struct trace_text *kallsyms)
{
	if (!kallsyms->len)
		return 0;
	d->kallsyms = strndup(kallsyms->text, kallsyms->len);
	if (!d->kallsyms)
		return -ENOMEM;
	d->kallsyms_len = strlen(d->kallsyms);
	return 0;
}

/* The formats have arrived: determine what each event means, and make the tables. */
static int take_formats(void *ctx, const struct tracing_data *formats, struct error *err)
{
	struct kmem_pipeline *p = ctx;
	int ret = trace_init(&p->decoding.trace, formats, err);

	if (ret)
		return ret;
	if (gfp_init(&p->naming.gfp, formats, p->facts->osrelease) ||
	    keep_kallsyms(&p->decoding, &formats->kallsyms))
		return error_nomem(err);
	p->decoding.has_trace = true;
	p->naming.page_size = formats->page_size;
	p->naming.pageblock_order = pageblock_order_of(formats);
	p->decoding.completer.page_size = formats->page_size;
	p->decoding.completer.gfp = p->naming.gfp.masks;
	ret = bind_events(p, err);
	if (ret)
		return ret;
	if (p->options.filter)
		ret = kmem_filter_check(p->options.filter, &p->naming.gfp.names, err);
	return ret ? ret : init_accounts(p, err);
}

/* The source handed over no formats. */
static int find_formats(struct kmem_pipeline *p, struct error *err)
{
	struct tracing_data formats;
	int ret = formats_find(&formats, p->facts, p->options.tracefs_dir, err);

	if (ret)
		return ret;
	ret = take_formats(p, &formats, err);
	tracing_data_deinit(&formats);
	return ret;
}

/* From what the recording has said so far. */
static int name_caches(struct kmem_pipeline *p)
{
	cache_aliases_deinit(&p->naming.cache_aliases);
	return cache_aliases_init(&p->naming.cache_aliases, &p->naming.names.strings,
				  p->facts->cache_aliases.buf);
}

/* In a pipe this comes only after the tracing data: needed from the first sample on. */
static int init_symbols(struct kmem_pipeline *p, struct error *err)
{
	struct kmem_decoding *d = &p->decoding;
	int ret = symbols_init(&p->naming.symbols, p->facts, steal_ptr(&d->kallsyms),
			       d->kallsyms_len, p->options.kallsyms_path, err);

	if (ret)
		return ret;
	p->decoding.has_symbols = true;
	migratetypes_init(&p->naming.migratetypes, p->facts);
	if (name_caches(p))
		return error_nomem(err);
	kmalloc_caches_init(&p->decoding.completer.kmalloc, p->facts, &p->naming.gfp.masks,
			    p->naming.page_size);
	return 0;
}

/* What must be known before the first sample, and about each event before its first sample. */
static int prepare(struct kmem_pipeline *p, struct error *err)
{
	int ret = 0;

	if (!p->decoding.has_trace)
		ret = find_formats(p, err);
	if (!ret && !p->decoding.has_symbols)
		ret = init_symbols(p, err);
	return ret ? ret : bind_events(p, err);
}

static inline bool is_prepared(const struct kmem_pipeline *p)
{
	return p->decoding.has_symbols && p->decoding.nr_decoders == p->facts->nr_events;
}

/* All events so far have been accounted; an error, or the request to stop, ends reading. */
static int tell_interval(struct kmem_pipeline *p, struct tick_interval interval)
{
	const struct kmem_ticks *t = &p->options.ticks;
	int ret = handoff_drain(&p->decoding.handoff);

	if (!ret)
		ret = t->interval(t->ctx, p, interval);
	p->has_enough |= ret > 0;
	return ret > 0 ? -ECANCELED : ret;
}

/* The events to come are not before this time. */
static int pass_time(struct kmem_pipeline *p, uint64_t time_ns)
{
	struct tick_interval ended;
	int ret = 0;

	while (!ret &&
	       tick_clock_next(&p->clock, source_facts_span(p->facts).start_ns, time_ns, &ended))
		ret = tell_interval(p, ended);
	return ret;
}

/* The source's last interval, unless somebody has had enough before it. */
static int pass_end(struct kmem_pipeline *p)
{
	struct tick_interval ended;

	if (p->has_enough ||
	    !tick_clock_end(&p->clock, source_facts_span(p->facts).stop_ns, &ended))
		return 0;
	return tell_interval(p, ended);
}

/* What comes before an event of this time. */
static inline int before_event(struct kmem_pipeline *p, uint64_t time_ns, struct error *err)
{
	int ret = is_prepared(p) ? 0 : prepare(p, err);

	if (!ret && tick_clock_passes(&p->clock, time_ns))
		ret = pass_time(p, time_ns);
	return ret;
}

/* From a source that goes on by itself, even if there are no events. */
static int take_tick(void *ctx, uint64_t time_ns, struct error *err)
{
	struct kmem_pipeline *p = ctx;
	const struct kmem_ticks *t = &p->options.ticks;
	int ret = before_event(p, time_ns, err);

	if (!ret && t->poll)
		ret = t->poll(t->ctx);
	p->has_enough |= ret > 0;
	return ret > 0 ? -ECANCELED : ret;
}

/* The first stage, on the source's thread. */
static int take_sample(void *ctx, const struct sample *sample, struct error *err)
{
	struct kmem_pipeline *p = ctx;
	int ret = before_event(p, sample->time_ns, err);

	if (!ret)
		ret = decoding_take(&p->decoding, sample, handoff_room(&p->decoding.handoff));
	return ret > 0 ? handoff_add(&p->decoding.handoff) : ret;
}

static int take_complete(void *ctx, const struct complete_event *event, struct error *err)
{
	struct kmem_pipeline *p = ctx;
	int ret = before_event(p, event->event->time_ns, err);

	if (!ret)
		ret = decoding_take_complete(&p->decoding, event,
					     handoff_room(&p->decoding.handoff));
	return ret > 0 ? handoff_add(&p->decoding.handoff) : ret;
}

/* Rows are few: the accounts take them here, while nothing else uses them. */
static int take_row(void *ctx, const struct complete_event *keys,
		    const struct source_figures *figures, struct error *err)
{
	struct kmem_pipeline *p = ctx;
	struct kmem_event ev;
	int ret = is_prepared(p) ? 0 : prepare(p, err);

	if (!ret && p->decoding.completer.wanted & (1u << KEY_PTR | 1u << KEY_PAGE))
		return error_set(err, ENODATA,
				 "'%s' has no individual objects or pages: group by anything but "
				 "%s and %s",
				 p->facts->path, kmem_key_name(KEY_PTR), kmem_key_name(KEY_PAGE));
	if (!ret)
		ret = decoding_take_row(&p->decoding, keys, figures, &ev);
	if (ret <= 0)
		return ret;
	ret = handoff_drain(&p->decoding.handoff);
	return ret ? ret : accounts_add_row(&p->accounts, &ev, figures);
}

/* The second stage. */
static int take_events(void *ctx, const void *events, size_t nr)
{
	struct kmem_pipeline *p = ctx;

	return accounts_take(&p->accounts, events, nr);
}

static int take_comm(void *ctx, uint32_t tid, const char *comm)
{
	struct kmem_pipeline *p = ctx;

	return threads_set_comm(&p->decoding.completer.threads, tid, comm);
}

static int take_fork(void *ctx, uint32_t parent_tid, uint32_t tid)
{
	struct kmem_pipeline *p = ctx;

	return threads_fork(&p->decoding.completer.threads, parent_tid, tid);
}

/* "it has: sched:sched_switch, ..." */
static int error_no_kmem_events(const struct kmem_pipeline *p, struct error *err)
{
	struct strbuf sb = STRBUF_INIT;
	int ret;

	for (size_t i = 0; i < p->facts->nr_events; i++) {
		const struct source_event *ev = p->facts->events[i];

		if (ev->is_dummy)
			continue;
		if (sb.len)
			strbuf_addstr(&sb, ", ");
		if (ev->name)
			strbuf_addstr(&sb, ev->name);
		else
			strbuf_addf(&sb, "type %u config 0x%" PRIx64, ev->type, ev->config);
	}
	if (p->facts->page_size)
		ret = error_set(err, ENODATA, "'%s' holds no kmem events", p->facts->path);
	else
		ret = error_set(
			err, ENODATA,
			"'%s' holds no kmem events, says its tracing data at offset 0x%" PRIx64
			", but: %s (make a recording with 'perf kmem record')",
			p->facts->path, p->facts->formats_pos,
			sb.len ? sb.buf : "no events at all");
	strbuf_deinit(&sb);
	return ret;
}

static int check_events(struct kmem_pipeline *p, struct error *err)
{
	const struct source_facts *r = p->facts;
	uint32_t kinds;

	if (!r->nr_samples && r->stop.stopped)
		return error_set(err, ECANCELED, "'%s': stopped before the first event was read",
				 r->path);
	if (!r->nr_samples && r->damage.what[0])
		return error_set(err, EIO, "nothing can be read from '%s': %s at offset 0x%" PRIx64,
				 r->path, r->damage.what, r->damage.first_pos);
	if (!p->decoding.has_trace) {
		int ret = find_formats(p, err);

		if (ret)
			return ret;
	}
	kinds = recorded_kinds(p);
	if (!kinds)
		return error_no_kmem_events(p, err);
	return accounts_check(p->options.wanted, p->chosen, kinds, r->path, err);
}

static int read_source(struct kmem_pipeline *p, struct event_source *source, struct error *err)
{
	static const struct event_sink sink = {
		.formats = take_formats,
		.sample = take_sample,
		.event = take_complete,
		.row = take_row,
		.comm = take_comm,
		.fork = take_fork,
		.tick = take_tick,
	};
	int ret = handoff_init(&p->decoding.handoff, sizeof(struct kmem_event), take_events, p,
			       thread_wanted(p->options.jobs));

	if (ret)
		return error_nomem(err);
	ret = event_source_read(source, &sink, p, err);
	if (!ret)
		ret = pass_end(p);
	if (p->has_enough)
		ret = 0;
	if (!ret && handoff_drain(&p->decoding.handoff))
		ret = error_nomem(err);
	handoff_deinit(&p->decoding.handoff);
	return ret;
}

static int init_callsites(struct kmem_pipeline *p, struct error *err)
{
	const struct kmem_options *o = &p->options;
	struct callsite_finder *inside = &p->decoding.inside_callsites;
	struct callsite_finder *callsites = &p->decoding.callsites;
	int ret = callsite_finder_init(inside, &p->naming.symbols, err);

	if (!ret)
		ret = callsite_finder_skip_inside(inside, err);
	if (!ret)
		ret = callsite_finder_init(callsites, &p->naming.symbols, err);
	for (size_t i = 0; !ret && i < o->nr_skip_callsites; i++) {
		ret = callsite_finder_skip(inside, o->skip_callsites[i], err);
		if (!ret)
			ret = callsite_finder_skip(callsites, o->skip_callsites[i], err);
	}
	return ret;
}

/* What the recording says about its events is complete. */
static void count_kinds(struct kmem_pipeline *p)
{
	const struct kmem_decoding *d = &p->decoding;

	event_kinds_init(&p->kinds, p->facts);
	for (size_t i = 0; i < d->nr_decoders && i < p->facts->nr_events; i++)
		event_kinds_add(&p->kinds, kind_of_event(p, i), p->facts->events[i]);
}

int kmem_pipeline_run(struct kmem_pipeline *p, struct event_source *source,
		      const struct kmem_options *options, struct error *err)
{
	int ret;

	*p = (struct kmem_pipeline){
		.options = *options,
		.facts = source->facts,
		.naming = {.pages_by_pfn = true},
		.decoding.options = &p->options,
		.decoding.naming = &p->naming,
		.decoding.has_filter = options->filter && options->filter->nr,
	};
	tick_clock_init(&p->clock, options->ticks.interval_ns);
	key_names_init(&p->naming.names);
	table_init(&p->naming.looked_through, sizeof(uint64_t), sizeof(uint64_t));
	event_completer_init(&p->decoding.completer, &p->naming.names, &p->decoding.callsites,
			     &p->naming.symbols, p->facts);
	if (options->max_stack && options->max_stack < MAX_STACK_DEFAULT)
		p->decoding.completer.max_stack = options->max_stack;
	if (options->filter)
		kmem_filter_want(options->filter, &p->decoding.completer);
	ret = filter_tally_init(&p->decoding.tally, options->filter ? options->filter->nr : 0);
	if (ret)
		error_nomem(err);
	if (!ret)
		ret = init_callsites(p, err);
	if (!ret)
		ret = read_source(p, source, err);
	if (!ret)
		ret = check_events(p, err);
	if (!ret && !p->decoding.has_symbols)
		ret = init_symbols(p, err);
	if (!ret && (name_caches(p) ||
		     callsite_looked_through(&p->decoding.callsites, &p->naming.looked_through)))
		ret = error_nomem(err);
	if (ret)
		kmem_pipeline_deinit(p);
	else {
		accounts_finish(&p->accounts, kmem_pipeline_span(p).stop_ns);
		count_kinds(p);
	}
	return ret;
}

struct source_span kmem_pipeline_span(const struct kmem_pipeline *p)
{
	return windows_clip(p->options.windows, p->options.nr_windows, source_facts_span(p->facts));
}

uint64_t kmem_pipeline_length_ns(const struct kmem_pipeline *p)
{
	return windows_length_ns(p->options.windows, p->options.nr_windows,
				 source_facts_span(p->facts));
}

void kmem_pipeline_deinit(struct kmem_pipeline *p)
{
	for (size_t i = 0; i < p->decoding.nr_decoders; i++)
		kmem_decoder_free(p->decoding.decoders[i]);
	free(p->decoding.decoders);
	callsite_finder_deinit(&p->decoding.inside_callsites);
	callsite_finder_deinit(&p->decoding.callsites);
	cache_aliases_deinit(&p->naming.cache_aliases);
	table_deinit(&p->naming.looked_through);
	event_completer_deinit(&p->decoding.completer);
	filter_tally_deinit(&p->decoding.tally);
	key_names_deinit(&p->naming.names);
	accounts_deinit(&p->accounts);
	symbols_deinit(&p->naming.symbols);
	gfp_deinit(&p->naming.gfp);
	trace_deinit(&p->decoding.trace);
	free(p->decoding.kallsyms);
}
