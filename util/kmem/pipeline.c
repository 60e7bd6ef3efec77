// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/pipeline.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/thread.h"
#include "util/decode/formats.h"
#include "util/kmem/source_checks.h"
#include "util/usersym/user_stacks.h"

static void bind_accounts(struct kmem_pipeline *p, size_t index)
{
	const struct event_type type = decoding_event(&p->decoding, index);

	if (type.kind != KMEM_OTHER)
		accounts_bind(&p->accounts, &type);
}

static int bind_events(struct kmem_pipeline *p, struct error *err)
{
	while (p->decoding.nr_decoders < p->facts->nr_events) {
		size_t index = p->decoding.nr_decoders;
		int ret = decoding_bind_next(&p->decoding, err);

		if (ret)
			return ret;
		if (!p->decoding.has_accounts)
			continue;
		/* late in the run: the accounts must not be in use now */
		if (handoff_drain(&p->decoding.handoff))
			return error_nomem(err);
		bind_accounts(p, index);
	}
	return 0;
}

/* Finds the function that contains an address, for accounts, which have no symbols. */
static uint64_t find_function(const void *ctx, uint64_t address, const char **ret_name)
{
	const struct symbol *sym = symbols_find(ctx, address);

	if (!sym)
		return 0;
	*ret_name = sym->name;
	return sym->start;
}

/* Ages refer to the end, which must be found first. */
static int find_end(struct kmem_pipeline *p, struct error *err)
{
	struct event_source *s = p->source;
	int ret = 0;

	if (!event_completer_wants(&p->decoding.completer, KEY_AGE))
		return 0;
	if (s->ops->find_end)
		ret = s->ops->find_end(s, err);
	else if (!p->facts->stated_stop_ns)
		ret = error_set(err, ENODATA,
				"'%s' does not have its end time in advance, to which ages refer",
				p->facts->path);
	p->decoding.completer.end_ns = kmem_pipeline_span(p).stop_ns;
	return ret;
}

static struct source_checks checks_of(const struct kmem_pipeline *p)
{
	return (struct source_checks){
		.facts = p->facts,
		.options = &p->options,
		.chosen = p->chosen,
		.accounts = &p->accounts,
		.decoding = &p->decoding,
	};
}

/* The keys that accounts want of any event, and that the source has. */
static key_mask_t context_keys(const struct kmem_pipeline *p)
{
	key_mask_t keys = p->decoding.needs.context & ~CGROUP_KEYS;

	for (size_t i = 0; i < p->facts->nr_events; i++)
		if (p->facts->events[i]->has_cgroup)
			keys = p->decoding.needs.context;
	return keys;
}

static int init_accounts(struct kmem_pipeline *p, struct error *err)
{
	const struct account_setup setup = {
		.options = &p->options,
		.names = &p->naming.names,
		.page_size = p->naming.page_size,
		.pageblock_order = p->naming.pageblock_order,
		.facts = p->facts,
		.span = kmem_pipeline_span(p),
		.is_filtered = p->decoding.has_filter,
		.functions = {find_function, &p->naming.symbols},
		.limit = p->facts->is_live && !p->options.bounds.full_rows ? NULL
									   : &p->accounts.limit,
	};
	key_mask_t filtered = p->decoding.completer.wanted;
	struct source_checks checks;
	struct decoding_needs needs;
	int ret;

	accounts_choose(p->options.wanted, decoding_kinds(&p->decoding), p->chosen);
	/* a snapshot may have tables only */
	if (p->facts->is_snapshot && !decoding_kinds(&p->decoding))
		memset(p->chosen, 0, sizeof(p->chosen));
	ret = accounts_check_traces(p->chosen, err);
	if (ret)
		return ret;
	if (accounts_init(&p->accounts, p->chosen, &setup))
		return error_nomem(err);
	if (stat_limit_init(&p->accounts.limit, &p->facts->stored_bytes,
			    p->options.bounds.full_rows, &p->naming.names))
		return error_nomem(err);
	p->decoding.has_accounts = true;
	for (size_t i = 0; i < p->decoding.nr_decoders; i++)
		bind_accounts(p, i);
	needs = accounts_needs(&p->accounts);
	decoding_set_needs(&p->decoding, &needs);
	p->accounts.event_size = p->decoding.needs.event_size;
	handoff_shorten(&p->decoding.handoff, p->accounts.event_size);
	p->decoding.completer.wanted |= p->decoding.needs.keys | context_keys(p);
	checks = checks_of(p);
	ret = source_check_keys(&checks, filtered, err);
	if (!ret)
		ret = source_check_histories(&checks, err);
	if (!ret)
		ret = source_check_all_told(&checks, err);
	if (!ret && p->options.filter)
		ret = accounts_check_filter(&p->accounts, p->options.filter, err);
	return ret ? ret : find_end(p, err);
}

/* Determine what each event means, and make the tables, once the formats have arrived. */
static int take_formats(void *ctx, const struct tracing_data *formats, struct error *err)
{
	struct kmem_pipeline *p = ctx;
	int ret = decoding_take_formats(&p->decoding, formats, err);

	if (!ret)
		ret = bind_events(p, err);
	if (ret)
		return ret;
	if (p->options.filter)
		ret = kmem_filter_check(p->options.filter, &p->naming.gfp, err);
	return ret ? ret : init_accounts(p, err);
}

/* Fallback if the source handed over no formats. */
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

/* From the facts received so far. */
static int name_caches(struct kmem_pipeline *p)
{
	struct naming *n = &p->naming;

	cache_aliases_deinit(&n->cache_aliases);
	reclaimable_caches_deinit(&n->reclaimable);
	if (cache_aliases_init(&n->cache_aliases, &n->names.strings, p->facts->cache_aliases.buf))
		return -ENOMEM;
	return reclaimable_caches_init(&n->reclaimable, &n->names.strings,
				       p->facts->reclaimable_caches);
}

/* In a pipe, symbols arrive after the tracing data; they are needed from the first sample on. */
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

static bool has_user_stacks(const struct kmem_pipeline *p)
{
	for (size_t i = 0; i < p->facts->nr_events; i++)
		if (p->facts->events[i]->has_user_stack)
			return true;
	return false;
}

/* Called once the source is known to have user callchains. */
static int make_user_stacks(struct kmem_pipeline *p, struct error *err)
{
	int ret;

	if (p->naming.user || !has_user_stacks(p))
		return 0;
	ret = user_stacks_new(&p->naming.user, p->facts, p->options.search, err);
	p->decoding.completer.user = p->naming.user;
	for (size_t i = 0; !ret && i < p->options.nr_skip_user; i++)
		ret = user_stacks_skip(p->naming.user, p->options.skip_user[i], err);
	return ret;
}

/* Grows with the events and modules that the source reports. */
static inline uint64_t size_of_facts(const struct kmem_pipeline *p)
{
	return 1 + p->facts->nr_events + p->facts->modules.len;
}

/* Called when the facts of the source are known. */
static void expect_frees(struct kmem_pipeline *p)
{
	for (int i = 0; p->facts->frees_of_others && i < ACCOUNTS_NR; i++) {
		struct allocator_accounts *a = accounts_allocator(&p->accounts, i);

		if (a)
			a->count_unmatched_frees = false;
	}
}

/* Called before the first sample, and before the first sample of each new event. */
static int prepare(struct kmem_pipeline *p, struct error *err)
{
	const struct source_checks checks = checks_of(p);
	const uint64_t size = size_of_facts(p);
	int ret = 0;

	if (!p->decoding.has_trace)
		ret = find_formats(p, err);
	if (!ret && !p->decoding.has_symbols)
		ret = init_symbols(p, err);
	if (!ret && symbols_read_modules(&p->naming.symbols))
		ret = error_nomem(err);
	if (!ret)
		ret = bind_events(p, err);
	if (!ret)
		ret = make_user_stacks(p, err);
	if (!ret)
		ret = source_check_user_stacks(&checks, err);
	if (!ret)
		ret = source_check_cgroups(&checks, err);
	if (ret)
		return ret;
	expect_frees(p);
	p->prepared_for = size;
	return 0;
}

static inline int be_prepared(struct kmem_pipeline *p, struct error *err)
{
	return p->prepared_for == size_of_facts(p) ? 0 : prepare(p, err);
}

/* taken: result of decoding the event in the handoff's slot. */
static inline int hand_over(struct kmem_pipeline *p, int taken)
{
	return taken > 0 ? handoff_add(&p->decoding.handoff) : taken;
}

/* Warn once, unless there are intervals: then the figures are watched and show it. */
static void warn_max_live(struct kmem_pipeline *p)
{
	p->warned_max_live = accounts_sample_one_in(&p->accounts) > 1;
	if (p->warned_max_live && !p->options.ticks.interval)
		log_warn("more than %" PRIu64 " objects or blocks of pages are live: only a sample "
			 "of them is followed from now on (--memory, --max-live)",
			 p->options.bounds.max_live);
}

static void mark_names(void *ctx, struct key_marks *marks)
{
	accounts_mark_names(ctx, marks);
}

/* Close the accounts' intervals, and drop data that are no longer needed. */
static int end_interval(struct kmem_pipeline *p, uint64_t time_ns)
{
	const struct account_tick tick = {time_ns, &p->naming.names, &p->options.bounds};
	int ret = accounts_tick(&p->accounts, &tick);

	if (!ret && kmem_bounds_any(&p->options.bounds))
		ret = decoding_sweep_names(&p->decoding, mark_names, &p->accounts);
	if (!ret && !p->warned_max_live)
		warn_max_live(p);
	return ret;
}

int kmem_pipeline_settle(struct kmem_pipeline *p)
{
	return handoff_drain(&p->decoding.handoff);
}

/* End an interval when all events so far have been accounted. An error or the request to stop ends
 * reading. */
static int pass_interval(struct kmem_pipeline *p, struct tick_interval interval)
{
	const struct kmem_ticks *t = &p->options.ticks;
	int ret = handoff_drain(&p->decoding.handoff);

	if (!ret)
		ret = end_interval(p, interval.end_ns);
	if (!ret && t->interval)
		ret = t->interval(t->ctx, p, interval);
	p->stopped |= ret > 0;
	return ret > 0 ? -ECANCELED : ret;
}

/* Called when all following events are at this time or later. */
static int pass_time(struct kmem_pipeline *p, uint64_t time_ns)
{
	struct tick_interval ended = {0};
	int ret = 0;

	while (!ret &&
	       tick_clock_next(&p->clock, source_facts_span(p->facts).start_ns, time_ns, &ended))
		ret = pass_interval(p, ended);
	return ret;
}

/* End the source's last interval, unless a callback has stopped reading. */
static int pass_end(struct kmem_pipeline *p)
{
	struct tick_interval ended = {0};

	if (p->stopped || !tick_clock_end(&p->clock, source_facts_span(p->facts).stop_ns, &ended))
		return 0;
	return pass_interval(p, ended);
}

/* Called before an event of this time. */
static inline int before_event(struct kmem_pipeline *p, uint64_t time_ns, struct error *err)
{
	int ret = be_prepared(p, err);

	if (!ret && tick_clock_passes(&p->clock, time_ns))
		ret = pass_time(p, time_ns);
	return ret;
}

/* Read the symbols before the load starts: it takes 40 ms and more. */
static int take_ready(void *ctx, struct error *err)
{
	return be_prepared(ctx, err);
}

/* Called regularly by a live source, even without events. */
static int take_tick(void *ctx, uint64_t time_ns, struct error *err)
{
	struct kmem_pipeline *p = ctx;
	const struct kmem_ticks *t = &p->options.ticks;
	int ret = before_event(p, time_ns, err);

	if (!ret && t->poll)
		ret = t->poll(t->ctx, p);
	p->stopped |= ret > 0;
	return ret > 0 ? -ECANCELED : ret;
}

/* First stage, on the source's thread. Stops where before_event() has something to do. */
static int take_samples(void *ctx, const struct sample *samples, size_t nr, struct error *err)
{
	struct kmem_pipeline *p = ctx;

	(void)err;
	if (p->prepared_for != size_of_facts(p))
		return 0;
	while (nr && tick_clock_passes(&p->clock, samples[nr - 1].time_ns))
		nr--;
	return decoding_take_samples(&p->decoding, samples, nr);
}

static int take_sample(void *ctx, const struct sample *sample, struct error *err)
{
	struct kmem_pipeline *p = ctx;
	int ret = before_event(p, sample->time_ns, err);

	if (!ret)
		ret = decoding_take_samples(&p->decoding, sample, 1);
	return ret < 0 ? ret : 0;
}

static struct kmem_event *give_room(void *ctx)
{
	struct kmem_pipeline *p = ctx;

	return handoff_slot(&p->decoding.handoff);
}

static int take_complete(void *ctx, const struct complete_event *event, struct error *err)
{
	struct kmem_pipeline *p = ctx;
	struct kmem_event *room;
	int ret = before_event(p, event->event->time_ns, err);

	room = handoff_slot(&p->decoding.handoff);
	return ret ? ret : hand_over(p, decoding_take_complete(&p->decoding, event, room));
}

/* Rows are few: take them on this thread, while the accounts are not in use. */
static int take_row(void *ctx, const struct complete_event *keys,
		    const struct source_figures *figures, struct error *err)
{
	struct kmem_pipeline *p = ctx;
	struct kmem_event ev;
	int ret = be_prepared(p, err);

	if (!ret && !p->facts->keys &&
	    p->decoding.completer.wanted & (KEY_BIT(KEY_PTR) | KEY_BIT(KEY_PAGE)))
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

/* Second stage. */
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

static int take_exit(void *ctx, uint32_t tid)
{
	struct kmem_pipeline *p = ctx;

	threads_exit(&p->decoding.completer.threads, tid);
	return 0;
}

static int take_fork(void *ctx, uint32_t parent_tid, uint32_t tid)
{
	struct kmem_pipeline *p = ctx;

	return threads_fork(&p->decoding.completer.threads, parent_tid, tid);
}

static int take_map(void *ctx, const struct source_map *map)
{
	struct kmem_pipeline *p = ctx;
	int ret = make_user_stacks(p, NULL);

	return ret || !p->naming.user ? ret : user_stacks_map(p->naming.user, map);
}

static int take_process(void *ctx, enum source_process_change change, uint32_t pid,
			uint32_t parent_pid)
{
	struct kmem_pipeline *p = ctx;
	int ret = make_user_stacks(p, NULL);

	if (change == PROCESS_EXITED)
		threads_exit(&p->decoding.completer.threads, pid);
	return ret || !p->naming.user
		       ? ret
		       : user_stacks_process(p->naming.user, change, pid, parent_pid);
}

static int take_cgroup(void *ctx, uint64_t id, const char *path)
{
	struct kmem_pipeline *p = ctx;

	return cgroups_set_path(&p->decoding.completer.cgroups, id, path);
}

/*
 * Events are accounted in a second thread. The text of a dump takes longer to read than to account:
 * there the handoff would cost more than it gains (twice the CPU time, and 1.6 times as long).
 */
static bool wants_thread(const struct kmem_pipeline *p)
{
	return thread_wanted(!p->options.jobs && p->facts->is_snapshot ? 1 : p->options.jobs);
}

static int read_source(struct kmem_pipeline *p, struct event_source *source, struct error *err)
{
	static const struct event_sink sink = {
		.formats = take_formats,
		.ready = take_ready,
		.sample = take_sample,
		.samples = take_samples,
		.event = take_complete,
		.room = give_room,
		.row = take_row,
		.comm = take_comm,
		.fork = take_fork,
		.exit = take_exit,
		.tick = take_tick,
		.cgroup = take_cgroup,
		.map = take_map,
		.process = take_process,
	};
	int ret = handoff_init(&p->decoding.handoff, sizeof(struct kmem_event), take_events, p,
			       wants_thread(p));

	if (ret)
		return error_nomem(err);
	ret = event_source_read(source, &sink, p, err);
	if (!ret)
		ret = pass_end(p);
	if (p->stopped)
		ret = 0;
	if (!ret && handoff_drain(&p->decoding.handoff))
		ret = error_nomem(err);
	handoff_deinit(&p->decoding.handoff);
	return ret;
}

static int check_events(struct kmem_pipeline *p, struct error *err)
{
	const struct source_checks checks = checks_of(p);
	int ret = source_check_read(&checks, err);

	if (!ret && !p->decoding.has_trace)
		ret = find_formats(p, err);
	return ret ? ret : source_check_kinds(&checks, err);
}

static void count_kinds(struct kmem_pipeline *p)
{
	const struct kmem_decoding *d = &p->decoding;

	event_kinds_init(&p->kinds, p->facts);
	for (size_t i = 0; i < d->nr_decoders && i < p->facts->nr_events; i++) {
		const struct event_type type = decoding_event(d, i);

		event_kinds_add(&p->kinds, type.kind, type.format, p->facts->events[i]);
	}
}

int kmem_pipeline_conclude(struct kmem_pipeline *p, uint64_t end_ns)
{
	if (name_caches(p) ||
	    callsite_skipped_functions(&p->decoding.callsites, &p->naming.skipped_functions))
		return -ENOMEM;
	accounts_finish(&p->accounts, end_ns);
	count_kinds(p);
	return 0;
}

static int init_decoding(struct kmem_pipeline *p, struct error *err)
{
	const struct kmem_options *o = &p->options;
	struct decoding_options options = {
		.windows = o->windows,
		.nr_windows = o->nr_windows,
		.filter = o->filter,
		.skip_callsites = o->skip_callsites,
		.nr_skip_callsites = o->nr_skip_callsites,
		.user_stacks = o->user_stacks,
		.max_stack = o->max_stack,
	};

	options.nr_tracepoints = accounts_tracepoints(options.tracepoints);
	return decoding_init(&p->decoding, &options, &p->naming, p->facts, err);
}

int kmem_pipeline_run(struct kmem_pipeline *p, struct event_source *source,
		      const struct kmem_options *options, struct error *err)
{
	int ret;

	*p = (struct kmem_pipeline){
		.options = *options,
		.source = source,
		.facts = source->facts,
		.naming = {.pages_by_pfn = !source->facts->pages_relative},
	};
	tick_clock_init(&p->clock, options->ticks.interval_ns);
	key_names_init(&p->naming.names);
	table_init(&p->naming.skipped_functions, sizeof(uint64_t), sizeof(uint64_t));
	ret = init_decoding(p, err);
	if (!ret)
		ret = read_source(p, source, err);
	if (!ret)
		ret = check_events(p, err);
	if (!ret && !p->decoding.has_symbols)
		ret = init_symbols(p, err);
	if (!ret && kmem_pipeline_conclude(p, kmem_pipeline_span(p).stop_ns))
		ret = error_nomem(err);
	if (ret)
		kmem_pipeline_deinit(p);
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
	decoding_deinit(&p->decoding);
	cache_aliases_deinit(&p->naming.cache_aliases);
	reclaimable_caches_deinit(&p->naming.reclaimable);
	table_deinit(&p->naming.skipped_functions);
	key_names_deinit(&p->naming.names);
	accounts_deinit(&p->accounts);
	symbols_deinit(&p->naming.symbols);
	user_stacks_free(p->naming.user);
	gfp_deinit(&p->naming.gfp);
}
