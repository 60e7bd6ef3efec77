// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/decode/decoding.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/decode/formats.h"
#include "util/decode/filter.h"
#include "util/decode/kmem_decoder.h"
#include "util/event/naming.h"

/* A recording has about ten events. A hostile one may have 65,535: warnings are limited to this
 * number. */
#define UNUSABLE_TOLD 10

static int skip_of_user(const struct kmem_decoding *d, struct callsite_finder *f, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < d->options.nr_skip_callsites; i++)
		ret = callsite_finder_skip(f, d->options.skip_callsites[i], err);
	return ret;
}

static int init_callsites(struct kmem_decoding *d, struct error *err)
{
	struct callsite_finder *inside = &d->inside_callsites;
	struct callsite_finder *callsites = &d->callsites;
	int ret = callsite_finder_init(inside, &d->naming->symbols, err);

	if (!ret)
		ret = callsite_finder_skip_inside(inside, err);
	if (!ret)
		ret = callsite_finder_init(callsites, &d->naming->symbols, err);
	if (!ret)
		ret = skip_of_user(d, inside, err);
	return ret ? ret : skip_of_user(d, callsites, err);
}

/* Most recordings have no events of such kinds. Returns 0, or -ENOMEM. */
static int make_own_callsites(struct kmem_decoding *d)
{
	int ret;

	d->own_callsites = malloc(sizeof(*d->own_callsites));
	if (!d->own_callsites)
		return -ENOMEM;
	ret = callsite_finder_init(d->own_callsites, &d->naming->symbols, NULL);
	if (!ret)
		ret = callsite_finder_skip_waiting(d->own_callsites, NULL);
	return ret ? ret : skip_of_user(d, d->own_callsites, NULL);
}

/* The call site, and the name of the task in a field. Returns 0, or -ENOMEM. */
static int complete_own(struct kmem_decoding *d, const struct sample *sample, struct kmem_event *ev)
{
	const struct kmem_tracepoint *tracepoint =
		d->options.tracepoints[ev->kind - KMEM_OWN].tracepoint;

	if (tracepoint->callchain) {
		if (!d->own_callsites && make_own_callsites(d))
			return -ENOMEM;
		ev->call_site = callsite_find(d->own_callsites, sample);
	}
	if (tracepoint->task_field) {
		uint64_t tid = ev->values[tracepoint->task_field - 1];

		ev->task_comm = threads_comm(&d->completer.threads, (uint32_t)tid);
		return ev->task_comm == INTERN_NONE ? -ENOMEM : 0;
	}
	return 0;
}

/* Made with the first event of vmalloc, because few recordings have any. */
static int make_areas(struct kmem_decoding *d, struct error *err)
{
	int ret;

	d->areas = malloc(sizeof(*d->areas));
	if (!d->areas)
		return error_nomem(err);
	d->completer.areas = d->areas;
	ret = callsite_finder_init(d->areas, &d->naming->symbols, err);
	if (!ret)
		ret = callsite_finder_skip_vmalloc(d->areas, err);
	return ret ? ret : skip_of_user(d, d->areas, err);
}

int decoding_init(struct kmem_decoding *d, const struct decoding_options *options,
		  struct naming *naming, const struct source_facts *facts, struct error *err)
{
	const struct kmem_filter *filter = options->filter;

	*d = (struct kmem_decoding){
		.options = *options,
		.naming = naming,
		.facts = facts,
		.has_filter = filter && filter->nr,
	};
	event_completer_init(&d->completer, &naming->names, &d->callsites, &naming->symbols, facts);
	d->completer.user_in_stack = options->user_stacks;
	if (options->max_stack && options->max_stack < MAX_STACK_DEFAULT)
		d->completer.max_stack = options->max_stack;
	d->completer.user_later = d->has_filter;
	if (filter)
		kmem_filter_want(filter, &d->completer);
	if (filter_tally_init(&d->tally, filter ? filter->nr : 0))
		return error_nomem(err);
	return init_callsites(d, err);
}

void decoding_deinit(struct kmem_decoding *d)
{
	for (size_t i = 0; i < d->nr_decoders; i++)
		kmem_decoder_free(d->decoders[i]);
	free(d->decoders);
	callsite_finder_deinit(&d->inside_callsites);
	callsite_finder_deinit(&d->callsites);
	if (d->own_callsites)
		callsite_finder_deinit(d->own_callsites);
	free(d->own_callsites);
	if (d->areas)
		callsite_finder_deinit(d->areas);
	free(d->areas);
	event_completer_deinit(&d->completer);
	filter_tally_deinit(&d->tally);
	trace_deinit(&d->trace);
	free(d->kallsyms);
}

/* Kept until the symbols are made from it. */
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

int decoding_take_formats(struct kmem_decoding *d, const struct tracing_data *formats,
			  struct error *err)
{
	int ret = trace_init(&d->trace, formats, err);

	if (ret)
		return ret;
	if (gfp_init(&d->naming->gfp, formats, d->facts->osrelease) ||
	    keep_kallsyms(d, &formats->kallsyms))
		return error_nomem(err);
	d->naming->gfp.texts = d->facts->gfp_texts;
	d->has_trace = true;
	d->naming->page_size = formats->page_size;
	d->naming->pageblock_order = pageblock_order_of(formats);
	d->completer.page_size = formats->page_size;
	d->completer.gfp = d->naming->gfp.masks;
	return 0;
}

static bool is_named(const struct tep_event *event, const char *name)
{
	const char *system = trace_event_system(event);
	size_t len = strlen(system);

	return !strncmp(name, system, len) && name[len] == ':' &&
	       !strcmp(name + len + 1, trace_event_name(event));
}

static int new_decoder(const struct kmem_decoding *d, const struct tep_event *event,
		       struct kmem_decoder **ret_decoder, struct error *err)
{
	for (size_t i = 0; i < d->options.nr_tracepoints; i++) {
		const struct own_tracepoint *own = &d->options.tracepoints[i];

		if (is_named(event, own->tracepoint->name))
			return kmem_decoder_new_own(&d->trace, event, own->tracepoint, own->kind,
						    own->own, ret_decoder, err);
	}
	return kmem_decoder_new(&d->trace, event, ret_decoder, err);
}

/* The kind by the format, or by the source; KMEM_OTHER if it is not a kmem event. */
static unsigned int kind_of_event(const struct kmem_decoding *d, size_t index)
{
	const struct kmem_decoder *decoder = d->decoders[index];

	return decoder ? kmem_decoder_kind(decoder) : d->facts->events[index]->kind;
}

static int grow_decoders(struct kmem_decoding *d)
{
	size_t cap = d->nr_decoders ? d->nr_decoders * 2 : 1;
	struct kmem_decoder **v;

	/* grows at powers of two */
	if (d->nr_decoders & (d->nr_decoders - 1))
		return 0;
	v = reallocarray(d->decoders, cap, sizeof(struct kmem_decoder *));
	if (!v)
		return -ENOMEM;
	d->decoders = v;
	return 0;
}

int decoding_bind_next(struct kmem_decoding *d, struct error *err)
{
	struct source_event *ev = d->facts->events[d->nr_decoders];
	const struct tep_event *event = NULL;
	struct kmem_decoder *decoder = NULL;

	if (grow_decoders(d))
		return error_nomem(err);
	if (ev->type == PERF_TYPE_TRACEPOINT)
		event = trace_event(&d->trace, ev->config);
	if (event_names_add(ev, event))
		return error_nomem(err);
	if (event) {
		struct error why = ERROR_INIT;
		int ret = new_decoder(d, event, &decoder, &why);

		if (ret == -ENOMEM)
			return error_nomem(err);
		if (ret && d->nr_unusable_events++ < UNUSABLE_TOLD)
			log_warn("'%s': %s: its samples are ignored", d->facts->path, why.msg);
	}
	d->decoders[d->nr_decoders++] = decoder;
	if (decoder && kmem_decoder_kind(decoder) == KMEM_PAGE_ALLOC)
		d->naming->pages_by_pfn = kmem_decoder_has_pfn(decoder);
	if (!d->areas && kind_of_event(d, d->nr_decoders - 1) == KMEM_VMALLOC_ALLOC)
		return make_areas(d, err);
	return 0;
}

/* The number of a kind among its account's tracepoints; 0 for shared kinds. */
static unsigned int own_number(const struct kmem_decoding *d, unsigned int kind)
{
	return kind < KMEM_OWN ? 0 : d->options.tracepoints[kind - KMEM_OWN].own;
}

struct event_type decoding_event(const struct kmem_decoding *d, size_t index)
{
	const struct source_event *ev = d->facts->events[index];
	const struct kmem_decoder *decoder = d->decoders[index];

	return (struct event_type){
		.kind = kind_of_event(d, index),
		.own = own_number(d, kind_of_event(d, index)),
		.has_callchain = ev->has_callchain,
		.format = decoder ? trace_event(&d->trace, ev->config) : NULL,
	};
}

uint32_t decoding_kinds(const struct kmem_decoding *d)
{
	uint32_t kinds = 0;

	for (size_t i = 0; i < d->nr_decoders; i++)
		kinds |= KIND_BIT(kind_of_event(d, i));
	return kinds & ~KIND_BIT(KMEM_OTHER);
}

/* The steps between decoding an event of a kind and the accounts. */
enum handling {
	IS_DROPPED = 0,
	IS_PASSED = 1,
	IS_COMPLETED,
	NEEDS_PARTS, /* the call site, or names */
};

static enum handling handling_of(const struct decoding_needs *needs, unsigned int kind)
{
	if (!(needs->kinds >> kind & 1))
		return IS_DROPPED;
	if (needs->completed >> kind & 1)
		return IS_COMPLETED;
	return (needs->callers | needs->named) >> kind & 1 ? NEEDS_PARTS : IS_PASSED;
}

void decoding_set_needs(struct kmem_decoding *d, const struct decoding_needs *needs)
{
	d->needs = *needs;
	if (d->has_filter)
		d->needs.named |= needs->filtered;
	for (unsigned int kind = 0; kind < KMEM_KINDS; kind++)
		d->handling[kind] = (uint8_t)handling_of(&d->needs, kind);
}

static bool is_over(const struct decoding_options *o, uint64_t time_ns)
{
	return windows_before(o->windows, o->nr_windows, time_ns);
}

static void note_in_window(struct kmem_decoding *d, uint64_t time_ns)
{
	d->nr_in_window++;
	if (!d->last_ns)
		d->first_ns = time_ns;
	d->last_ns = time_ns;
}

/*
 * Is the event so long after all windows that it is not needed?  The second trace of an allocation
 * in a window may follow shortly after the window.
 */
static bool is_too_late(const struct kmem_decoding *d, uint64_t time_ns)
{
	return __builtin_expect(d->options.nr_windows != 0, false) && time_ns > TRACE_PAIR_NS &&
	       is_over(&d->options, time_ns - TRACE_PAIR_NS);
}

/* Determine in_window and late. Returns false if the event is after all windows. */
static __attribute__((noinline)) bool find_window(const struct kmem_decoding *d,
						  struct kmem_event *ev)
{
	const struct decoding_options *o = &d->options;

	ev->late = is_over(o, ev->time_ns);
	ev->in_window = windows_have(o->windows, o->nr_windows, ev->time_ns);
	return !ev->late;
}

/* Find the call site of an event that no account needs completed, or name and filter it. */
static __attribute__((noinline)) int add_parts(struct kmem_decoding *d, const struct sample *sample,
					       const struct complete_event *whole,
					       struct kmem_event *ev)
{
	int ret;

	if (d->needs.callers >> ev->kind & 1)
		ev->call_site = callsite_find(&d->inside_callsites, sample);
	if (!(d->needs.named >> ev->kind & 1))
		return 1;
	ret = event_completer_fill_context(&d->completer, sample, whole ? whole->comm : NULL, ev);
	if (ret)
		return ret;
	if (d->has_filter)
		ev->filtered_out = !kmem_filter_matches(d->options.filter, d->naming, ev,
							ev->in_window ? &d->tally : NULL);
	return ev->kind < KMEM_OWN || !complete_own(d, sample, ev) ? 1 : -ENOMEM;
}

/* NULL: the event has none, or nobody wants it. */
static inline const char *cache_name(const struct kmem_decoding *d,
				     const struct kmem_decoder *decoder,
				     const struct sample *sample)
{
	return decoder && event_completer_wants(&d->completer, KEY_CACHE)
		       ? kmem_decoder_cache(decoder, sample)
		       : NULL;
}

/*
 * Complete the event if an account needs it.  The decoder supplies a sample's cache name; a
 * complete event carries its names.  Inlined for speed.
 */
static inline __attribute__((always_inline)) int
finish(struct kmem_decoding *d, const struct sample *sample, const struct kmem_decoder *decoder,
       const struct complete_event *whole, struct kmem_event *ev)
{
	struct event_names names;
	uint8_t handling;
	int ret;

	ev->call_site = symbols_identity(&d->naming->symbols, ev->call_site, sample->time_ns);
	if (__builtin_expect(d->options.nr_windows != 0, false) && !find_window(d, ev))
		return d->needs.late >> ev->kind & 1;
	if (ev->in_window)
		note_in_window(d, sample->time_ns);
	handling = d->handling[ev->kind];
	if (handling <= IS_PASSED)
		return handling;
	if (handling == NEEDS_PARTS)
		return add_parts(d, sample, whole, ev);
	if (whole)
		names = (struct event_names){whole->comm, whole->cache, whole->memcg,
					     whole->cache_id};
	else
		names = (struct event_names){.cache = cache_name(d, decoder, sample)};
	ret = event_completer_fill(&d->completer, sample, &names, ev);
	if (!ret && d->has_filter) {
		ev->filtered_out = !kmem_filter_matches(d->options.filter, d->naming, ev,
							ev->in_window ? &d->tally : NULL);
		if (!ev->filtered_out)
			ret = event_completer_fill_user(&d->completer, sample, ev);
	}
	return ret ? ret : 1;
}

static inline __attribute__((always_inline)) int
take_sample(struct kmem_decoding *d, const struct sample *sample, struct kmem_event *ret_event)
{
	const struct kmem_decoder *decoder = d->decoders[sample->event->index];

	if (!decoder || is_too_late(d, sample->time_ns))
		return 0;
	if (kmem_decoder_decode(decoder, sample, ret_event)) {
		sample->event->nr_bad++;
		return 0;
	}
	return finish(d, sample, decoder, NULL, ret_event);
}

int decoding_take_samples(struct kmem_decoding *d, const struct sample *samples, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		int ret = take_sample(d, &samples[i], handoff_slot(&d->handoff));

		if (ret > 0)
			ret = handoff_add(&d->handoff);
		if (ret < 0)
			return ret;
	}
	return (int)nr;
}

int decoding_take_complete(struct kmem_decoding *d, const struct complete_event *event,
			   struct kmem_event *ret_event)
{
	/* reused: clearing one takes longer than the rest of this function */
	struct sample *sample = &d->complete;

	if (is_too_late(d, event->event->time_ns))
		return 0;
	sample->event = event->source;
	sample->time_ns = event->event->time_ns;
	sample->pid = event->event->pid;
	sample->callchain = (const uint8_t *)event->callchain;
	sample->nr_callchain = event->nr_callchain;
	sample->cgroup = event->cgroup;
	if (event->event != ret_event)
		*ret_event = *event->event;
	ret_event->in_window = true;
	ret_event->late = ret_event->filtered_out = ret_event->cross_node = false;
	if (!kmem_event_is_sound(ret_event)) {
		event->source->nr_bad++;
		return 0;
	}
	return finish(d, sample, NULL, event, ret_event);
}

static bool is_sum_of(const struct source_figures *f)
{
	return f->live_hits <= f->hits && f->live_bytes <= f->bytes_alloc &&
	       f->live_bytes_req <= f->bytes_req;
}

int decoding_take_row(struct kmem_decoding *d, const struct complete_event *keys,
		      const struct source_figures *figures, struct kmem_event *ret_keys)
{
	int ret;

	if (!is_sum_of(figures) || !(KMEM_ALLOCATIONS >> keys->event->kind & 1)) {
		keys->source->nr_bad++;
		return 0;
	}
	d->nr_rows++;
	ret = decoding_take_complete(d, keys, ret_keys);
	return ret > 0 ? ret_keys->in_window : ret;
}

/* For any key: a superfluous mark only keeps a name longer. */
static void mark_tally(struct key_marks *m, const struct filter_tally *tally)
{
	for (size_t i = 0; i < tally->nr; i++) {
		const uint64_t *value;
		uint64_t at = 0;

		while ((value = table_next(&tally->v[i].values, &at))) {
			key_marks_add_string(m, *value);
			key_marks_add_stack(m, *value);
		}
	}
}

static void mark_comm(void *ctx, uint32_t comm)
{
	key_marks_add_string(ctx, comm);
}

int decoding_sweep_names(struct kmem_decoding *d, void (*mark)(void *ctx, struct key_marks *marks),
			 void *ctx)
{
	struct key_names *names = &d->naming->names;
	struct key_marks marks;
	int ret = threads_sweep(&d->completer.threads);

	if (ret || !key_names_sweep_is_due(names))
		return ret;
	ret = key_marks_init(&marks, names);
	if (ret)
		return ret;
	mark(ctx, &marks);
	mark_tally(&marks, &d->tally);
	threads_for_each_name(&d->completer.threads, mark_comm, &marks);
	ret = key_names_sweep(names, &marks);
	event_completer_forget_stacks(&d->completer);
	key_marks_deinit(&marks);
	return ret;
}
