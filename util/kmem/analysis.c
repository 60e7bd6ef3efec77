// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/analysis.h"

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
static unsigned int kind_of_event(const struct kmem_analysis *a, size_t index)
{
	const struct kmem_decoder *d = a->decoding.decoders[index];

	return d ? kmem_decoder_kind(d) : a->recording->events[index]->kind;
}

static void tell_accounts(struct kmem_analysis *a, size_t index)
{
	const struct source_event *ev = a->recording->events[index];
	const struct kmem_decoder *d = a->decoding.decoders[index];
	unsigned int kind = kind_of_event(a, index);

	if (kind != KMEM_OTHER)
		accounts_bind(
			&a->accounts,
			&(struct account_event){
				.kind = kind,
				.own = d ? kmem_decoder_own(d) : 0,
				.has_callchain = ev->has_callchain,
				.format = d ? trace_event(&a->decoding.trace, ev->config) : NULL,
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
static int bind_event(struct kmem_analysis *a, struct source_event *ev, struct error *err)
{
	const struct tep_event *event = NULL;
	struct kmem_decoder *d = NULL;
	int ret;

	/* grow at powers of two */
	if (!(a->decoding.nr_decoders & (a->decoding.nr_decoders - 1))) {
		size_t cap = a->decoding.nr_decoders ? a->decoding.nr_decoders * 2 : 1;
		struct kmem_decoder **v = reallocarray(a->decoding.decoders, cap, sizeof(*v));

		if (!v)
			return error_nomem(err);
		a->decoding.decoders = v;
	}
	if (ev->type == PERF_TYPE_TRACEPOINT)
		event = trace_event(&a->decoding.trace, ev->config);
	if (name_event(ev, event))
		return error_nomem(err);
	if (event) {
		struct error why = ERROR_INIT;

		ret = new_decoder(&a->decoding.trace, event, &d, &why);
		if (ret == -ENOMEM)
			return error_nomem(err);
		if (ret && a->decoding.nr_unusable_events++ < UNUSABLE_TOLD)
			log_warn("'%s': %s: its samples are ignored", a->recording->path, why.msg);
	}
	a->decoding.decoders[a->decoding.nr_decoders++] = d;
	if (d && kmem_decoder_kind(d) == KMEM_PAGE_ALLOC)
		a->naming.pages_by_pfn = kmem_decoder_has_pfn(d);
	return 0;
}

static int bind_events(struct kmem_analysis *a, struct error *err)
{
	while (a->decoding.nr_decoders < a->recording->nr_events) {
		size_t index = a->decoding.nr_decoders;
		int ret = bind_event(a, a->recording->events[index], err);

		if (ret)
			return ret;
		if (!a->decoding.has_accounts)
			continue;
		/* late: nothing may use the accounts while they are told */
		if (handoff_drain(&a->decoding.handoff))
			return error_nomem(err);
		tell_accounts(a, index);
	}
	return 0;
}

/* Bits of them. */
static uint32_t recorded_kinds(const struct kmem_analysis *a)
{
	uint32_t kinds = 0;

	for (size_t i = 0; i < a->decoding.nr_decoders; i++)
		kinds |= KIND_BIT(kind_of_event(a, i));
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

static int init_accounts(struct kmem_analysis *a, struct error *err)
{
	const struct account_setup setup = {
		.options = &a->options,
		.names = &a->naming.names,
		.page_size = a->naming.page_size,
		.pageblock_order = a->naming.pageblock_order,
		.span = kmem_analysis_span(a),
		.is_filtered = a->decoding.has_filter,
		.functions = {find_function, &a->naming.symbols},
	};

	accounts_choose(a->options.wanted, recorded_kinds(a), a->chosen);
	if (accounts_init(&a->accounts, a->chosen, &setup))
		return error_nomem(err);
	a->decoding.has_accounts = true;
	for (size_t i = 0; i < a->decoding.nr_decoders; i++)
		tell_accounts(a, i);
	a->decoding.needs = accounts_needs(&a->accounts);
	a->decoding.facts.wanted |= a->decoding.needs.keys;
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
	struct kmem_analysis *a = ctx;
	int ret = trace_init(&a->decoding.trace, formats, err);

	if (ret)
		return ret;
	if (gfp_init(&a->naming.gfp, formats, a->recording->osrelease) ||
	    keep_kallsyms(&a->decoding, &formats->kallsyms))
		return error_nomem(err);
	a->decoding.has_trace = true;
	a->naming.page_size = formats->page_size;
	a->naming.pageblock_order = pageblock_order_of(formats);
	a->decoding.facts.page_size = formats->page_size;
	a->decoding.facts.gfp = a->naming.gfp.masks;
	ret = bind_events(a, err);
	if (ret)
		return ret;
	if (a->options.filter)
		ret = kmem_filter_check(a->options.filter, &a->naming.gfp.names, err);
	return ret ? ret : init_accounts(a, err);
}

/* The source handed over no formats. */
static int find_formats(struct kmem_analysis *a, struct error *err)
{
	struct tracing_data formats;
	int ret = formats_find(&formats, a->recording, a->options.tracefs_dir, err);

	if (ret)
		return ret;
	ret = take_formats(a, &formats, err);
	tracing_data_deinit(&formats);
	return ret;
}

/* From what the recording has said so far. */
static int name_caches(struct kmem_analysis *a)
{
	cache_aliases_deinit(&a->naming.cache_aliases);
	return cache_aliases_init(&a->naming.cache_aliases, &a->naming.names.strings,
				  a->recording->cache_aliases.buf);
}

/* In a pipe this comes only after the tracing data: needed from the first sample on. */
static int init_symbols(struct kmem_analysis *a, struct error *err)
{
	struct kmem_decoding *d = &a->decoding;
	int ret = symbols_init(&a->naming.symbols, a->recording, steal_ptr(&d->kallsyms),
			       d->kallsyms_len, a->options.kallsyms_path, err);

	if (ret)
		return ret;
	a->decoding.has_symbols = true;
	migratetypes_init(&a->naming.migratetypes, a->recording);
	if (name_caches(a))
		return error_nomem(err);
	kmalloc_caches_init(&a->decoding.facts.kmalloc, a->recording, &a->naming.gfp.masks,
			    a->naming.page_size);
	return 0;
}

/* What must be known before the first sample, and about each event before its first sample. */
static int prepare(struct kmem_analysis *a, struct error *err)
{
	int ret = 0;

	if (!a->decoding.has_trace)
		ret = find_formats(a, err);
	if (!ret && !a->decoding.has_symbols)
		ret = init_symbols(a, err);
	return ret ? ret : bind_events(a, err);
}

static inline bool is_prepared(const struct kmem_analysis *a)
{
	return a->decoding.has_symbols && a->decoding.nr_decoders == a->recording->nr_events;
}

/* The first stage, on the source's thread. */
static int take_sample(void *ctx, const struct sample *sample, struct error *err)
{
	struct kmem_analysis *a = ctx;
	int ret = is_prepared(a) ? 0 : prepare(a, err);

	if (!ret)
		ret = decoding_take(&a->decoding, sample, handoff_room(&a->decoding.handoff));
	return ret > 0 ? handoff_add(&a->decoding.handoff) : ret;
}

static int take_complete(void *ctx, const struct complete_event *event, struct error *err)
{
	struct kmem_analysis *a = ctx;
	int ret = is_prepared(a) ? 0 : prepare(a, err);

	if (!ret)
		ret = decoding_take_complete(&a->decoding, event,
					     handoff_room(&a->decoding.handoff));
	return ret > 0 ? handoff_add(&a->decoding.handoff) : ret;
}

/* Rows are few: the accounts take them here, while nothing else uses them. */
static int take_row(void *ctx, const struct complete_event *keys,
		    const struct source_figures *figures, struct error *err)
{
	struct kmem_analysis *a = ctx;
	struct kmem_event ev;
	int ret = is_prepared(a) ? 0 : prepare(a, err);

	if (!ret && a->decoding.facts.wanted & (1u << KEY_PTR | 1u << KEY_PAGE))
		return error_set(err, ENODATA,
				 "'%s' has no individual objects or pages: group by anything but "
				 "%s and %s",
				 a->recording->path, kmem_key_name(KEY_PTR),
				 kmem_key_name(KEY_PAGE));
	if (!ret)
		ret = decoding_take_row(&a->decoding, keys, figures, &ev);
	if (ret <= 0)
		return ret;
	ret = handoff_drain(&a->decoding.handoff);
	return ret ? ret : accounts_add_row(&a->accounts, &ev, figures);
}

/* The second stage. */
static int take_events(void *ctx, const void *events, size_t nr)
{
	struct kmem_analysis *a = ctx;

	return accounts_take(&a->accounts, events, nr);
}

static int take_comm(void *ctx, uint32_t tid, const char *comm)
{
	struct kmem_analysis *a = ctx;

	return threads_set_comm(&a->decoding.facts.threads, tid, comm);
}

static int take_fork(void *ctx, uint32_t parent_tid, uint32_t tid)
{
	struct kmem_analysis *a = ctx;

	return threads_fork(&a->decoding.facts.threads, parent_tid, tid);
}

/* "it has: sched:sched_switch, ..." */
static int error_no_kmem_events(const struct kmem_analysis *a, struct error *err)
{
	struct strbuf sb = STRBUF_INIT;
	int ret;

	for (size_t i = 0; i < a->recording->nr_events; i++) {
		const struct source_event *ev = a->recording->events[i];

		if (ev->is_dummy)
			continue;
		if (sb.len)
			strbuf_addstr(&sb, ", ");
		if (ev->name)
			strbuf_addstr(&sb, ev->name);
		else
			strbuf_addf(&sb, "type %u config 0x%" PRIx64, ev->type, ev->config);
	}
	if (a->recording->page_size)
		ret = error_set(err, ENODATA, "'%s' holds no kmem events", a->recording->path);
	else
		ret = error_set(
			err, ENODATA,
			"'%s' holds no kmem events, says its tracing data at offset 0x%" PRIx64
			", but: %s (make a recording with 'perf kmem record')",
			a->recording->path, a->recording->formats_pos,
			sb.len ? sb.buf : "no events at all");
	strbuf_deinit(&sb);
	return ret;
}

static int check_events(struct kmem_analysis *a, struct error *err)
{
	const struct source_facts *r = a->recording;
	uint32_t kinds;

	if (!r->nr_samples && r->stop.stopped)
		return error_set(err, ECANCELED, "'%s': stopped before the first event was read",
				 r->path);
	if (!r->nr_samples && r->damage.what[0])
		return error_set(err, EIO, "nothing can be read from '%s': %s at offset 0x%" PRIx64,
				 r->path, r->damage.what, r->damage.first_pos);
	if (!a->decoding.has_trace) {
		int ret = find_formats(a, err);

		if (ret)
			return ret;
	}
	kinds = recorded_kinds(a);
	if (!kinds)
		return error_no_kmem_events(a, err);
	return accounts_check(a->options.wanted, a->chosen, kinds, r->path, err);
}

static int read_source(struct kmem_analysis *a, struct event_source *source, struct error *err)
{
	static const struct event_sink sink = {
		.formats = take_formats,
		.sample = take_sample,
		.event = take_complete,
		.row = take_row,
		.comm = take_comm,
		.fork = take_fork,
	};
	int ret = handoff_init(&a->decoding.handoff, sizeof(struct kmem_event), take_events, a,
			       thread_wanted(a->options.jobs));

	if (ret)
		return error_nomem(err);
	ret = event_source_read(source, &sink, a, err);
	if (!ret && handoff_drain(&a->decoding.handoff))
		ret = error_nomem(err);
	handoff_deinit(&a->decoding.handoff);
	return ret;
}

static int init_callsites(struct kmem_analysis *a, struct error *err)
{
	const struct kmem_options *o = &a->options;
	struct callsite_finder *inside = &a->decoding.inside_callsites;
	struct callsite_finder *callsites = &a->decoding.callsites;
	int ret = callsite_finder_init(inside, &a->naming.symbols, err);

	if (!ret)
		ret = callsite_finder_skip_inside(inside, err);
	if (!ret)
		ret = callsite_finder_init(callsites, &a->naming.symbols, err);
	for (size_t i = 0; !ret && i < o->nr_skip_callsites; i++) {
		ret = callsite_finder_skip(inside, o->skip_callsites[i], err);
		if (!ret)
			ret = callsite_finder_skip(callsites, o->skip_callsites[i], err);
	}
	return ret;
}

/* What the recording says about its events is complete. */
static void count_kinds(struct kmem_analysis *a)
{
	const struct kmem_decoding *d = &a->decoding;

	event_kinds_init(&a->kinds, a->recording);
	for (size_t i = 0; i < d->nr_decoders && i < a->recording->nr_events; i++)
		event_kinds_add(&a->kinds, kind_of_event(a, i), a->recording->events[i]);
}

int kmem_analysis_run(struct kmem_analysis *a, struct event_source *source,
		      const struct kmem_options *options, struct error *err)
{
	int ret;

	*a = (struct kmem_analysis){
		.options = *options,
		.recording = source->facts,
		.naming = {.pages_by_pfn = true},
		.decoding.options = &a->options,
		.decoding.naming = &a->naming,
		.decoding.has_filter = options->filter && options->filter->nr,
	};
	key_names_init(&a->naming.names);
	table_init(&a->naming.looked_through, sizeof(uint64_t), sizeof(uint64_t));
	fact_maker_init(&a->decoding.facts, &a->naming.names, &a->decoding.callsites,
			&a->naming.symbols, a->recording);
	if (options->max_stack && options->max_stack < MAX_STACK_DEFAULT)
		a->decoding.facts.max_stack = options->max_stack;
	if (options->filter)
		kmem_filter_want(options->filter, &a->decoding.facts);
	ret = filter_tally_init(&a->decoding.tally, options->filter ? options->filter->nr : 0);
	if (ret)
		error_nomem(err);
	if (!ret)
		ret = init_callsites(a, err);
	if (!ret)
		ret = read_source(a, source, err);
	if (!ret)
		ret = check_events(a, err);
	if (!ret && !a->decoding.has_symbols)
		ret = init_symbols(a, err);
	if (!ret && (name_caches(a) ||
		     callsite_looked_through(&a->decoding.callsites, &a->naming.looked_through)))
		ret = error_nomem(err);
	if (ret)
		kmem_analysis_deinit(a);
	else {
		accounts_finish(&a->accounts, kmem_analysis_span(a).stop_ns);
		count_kinds(a);
	}
	return ret;
}

struct source_span kmem_analysis_span(const struct kmem_analysis *a)
{
	return windows_clip(a->options.windows, a->options.nr_windows,
			    source_facts_span(a->recording));
}

uint64_t kmem_analysis_length_ns(const struct kmem_analysis *a)
{
	return windows_length_ns(a->options.windows, a->options.nr_windows,
				 source_facts_span(a->recording));
}

void kmem_analysis_deinit(struct kmem_analysis *a)
{
	for (size_t i = 0; i < a->decoding.nr_decoders; i++)
		kmem_decoder_free(a->decoding.decoders[i]);
	free(a->decoding.decoders);
	callsite_finder_deinit(&a->decoding.inside_callsites);
	callsite_finder_deinit(&a->decoding.callsites);
	cache_aliases_deinit(&a->naming.cache_aliases);
	table_deinit(&a->naming.looked_through);
	fact_maker_deinit(&a->decoding.facts);
	filter_tally_deinit(&a->decoding.tally);
	key_names_deinit(&a->naming.names);
	accounts_deinit(&a->accounts);
	symbols_deinit(&a->naming.symbols);
	gfp_deinit(&a->naming.gfp);
	trace_deinit(&a->decoding.trace);
	free(a->decoding.kallsyms);
}
