// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/accounts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/event_key.h"
#include "util/decode/filter.h"

const struct slab_counts *accounts_slab_counts(const struct source_facts *facts,
					       const struct kmem_options *options)
{
	const struct slab_counts *c = &facts->slab_counts;

	return c->whole && !options->nr_windows && !facts->stop.stopped ? c : NULL;
}

#define ACCOUNT_OPS(name) [ACCOUNT_##name] = &account_##name,

const struct account_ops *const account_table[ACCOUNTS_NR] = {KMEM_ACCOUNTS(ACCOUNT_OPS)};

const struct account_ops *accounts_of(unsigned int allocators)
{
	int i = 0;

	while (!(account_allocator_bit(i) & allocators))
		i++;
	return account_table[i];
}

bool accounts_any(const bool v[ACCOUNTS_NR], enum accounts_set set)
{
	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (v[i] &&
		    set & (account_table[i]->allocator ? ACCOUNTS_ALLOCATORS : ACCOUNTS_OWN_TABLES))
			return true;
	return false;
}

void accounts_want(bool wanted[ACCOUNTS_NR], unsigned int allocators)
{
	for (int i = 0; i < ACCOUNTS_NR; i++)
		wanted[i] |= (account_allocator_bit(i) & allocators) != 0;
}

void accounts_want_any(bool wanted[ACCOUNTS_NR], unsigned int allocators)
{
	unsigned int has = 0;

	for (int i = 0; i < ACCOUNTS_NR; i++)
		has |= wanted[i] ? account_allocator_bit(i) : 0;
	if (allocators && !(allocators & has) && (allocators & ALLOCATOR_BOTH) != ALLOCATOR_BOTH)
		accounts_want(wanted, accounts_of(allocators)->allocator->bit);
}

/* Returns the kinds of an account's own tracepoints, or only of those recorded with callchains. */
static uint32_t own_kinds(enum account_id id, bool with_callchains)
{
	unsigned int kind = KMEM_OWN;
	uint32_t kinds = 0;

	for (unsigned int i = 0; i < id; i++)
		kind += account_table[i]->nr_tracepoints;
	for (unsigned int i = 0; i < account_table[id]->nr_tracepoints; i++, kind++)
		if (kind < KMEM_KINDS &&
		    (!with_callchains || account_table[id]->tracepoints[i].callchain))
			kinds |= KIND_BIT(kind);
	return kinds;
}

static uint32_t kinds_of(enum account_id id)
{
	return account_table[id]->kinds | own_kinds(id, false);
}

static bool sufficient(enum account_id id, uint32_t recorded)
{
	return recorded & (account_table[id]->sufficient | own_kinds(id, false));
}

size_t accounts_tracepoints(struct own_tracepoint ret_v[OWN_TRACEPOINTS_MAX])
{
	size_t nr = 0;

	for (int id = 0; id < ACCOUNTS_NR; id++)
		for (unsigned int i = 0; i < account_table[id]->nr_tracepoints; i++)
			if (nr < OWN_TRACEPOINTS_MAX) {
				ret_v[nr] =
					(struct own_tracepoint){&account_table[id]->tracepoints[i],
								KMEM_OWN + (unsigned int)nr, i};
				nr++;
			}
	return nr;
}

/* Returns the allocators' kinds of events, which other accounts may also take. */
static uint32_t allocator_kinds(void)
{
	uint32_t kinds = 0;

	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (account_table[i]->allocator)
			kinds |= kinds_of(i);
	return kinds;
}

/* Without frees, an allocator's events may have been recorded for another account. */
static bool is_default(enum account_id id, uint32_t recorded, uint32_t others)
{
	const struct allocator_ops *allocator = account_table[id]->allocator;

	return allocator && sufficient(id, recorded) &&
	       (!others || recorded & KIND_BIT(allocator->free));
}

void accounts_choose(const bool wanted[ACCOUNTS_NR], uint32_t recorded,
		     bool ret_chosen[ACCOUNTS_NR])
{
	uint32_t others = recorded & ~allocator_kinds();

	memcpy(ret_chosen, wanted, ACCOUNTS_NR * sizeof(*wanted));
	for (int i = 0; i < ACCOUNTS_NR && !accounts_any(ret_chosen, ACCOUNTS_ALL); i++)
		ret_chosen[i] = is_default(i, recorded, others);
	if (accounts_any(ret_chosen, ACCOUNTS_ALL))
		return;
	for (int i = 0; i < ACCOUNTS_NR; i++)
		ret_chosen[i] = !account_table[i]->allocator && !account_table[i]->source_keys &&
				sufficient(i, others);
	/* the first one is the default */
	ret_chosen[0] = !accounts_any(ret_chosen, ACCOUNTS_ALL);
}

static int error_not_recorded(const struct account_ops *missing, const struct account_ops *has,
			      const struct source_facts *facts, struct error *err)
{
	const char *path = facts->path;

	if (facts->is_snapshot)
		return error_set(err, ENODATA, "'%s' (%s) has no %s figures%s%s%s", path,
				 facts->format, missing->what, has ? ", only " : "",
				 has ? has->what : "", has ? " ones" : "");
	if (facts->is_live)
		return error_set(err, ENODATA, "this kernel has no %s events, which --%s needs",
				 missing->what, missing->id);
	if (!has)
		return error_set(
			err, ENODATA,
			"'%s' holds no %s events (record them with 'perf kmem record --%s')", path,
			missing->what, missing->id);
	return error_set(err, ENODATA,
			 "'%s' holds no %s events, only %s ones (record them with 'perf kmem "
			 "record --%s')",
			 path, missing->what, has->what, missing->id);
}

/* Returns a recorded allocator's account that was not requested, or NULL. */
static const struct account_ops *other_allocator(const bool wanted[ACCOUNTS_NR], uint32_t recorded)
{
	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (account_table[i]->allocator && !wanted[i] && sufficient(i, recorded))
			return account_table[i];
	return NULL;
}

int accounts_check(const bool wanted[ACCOUNTS_NR], const bool chosen[ACCOUNTS_NR],
		   uint32_t recorded, const struct source_facts *facts, struct error *err)
{
	const struct account_ops *missing = NULL;
	const struct account_ops *other = other_allocator(wanted, recorded);
	bool allocators = false;

	for (int i = 0; i < ACCOUNTS_NR; i++)
		allocators |= chosen[i] && account_table[i]->allocator;
	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (chosen[i] && facts->is_snapshot && !account_table[i]->add_row &&
		    sufficient(i, recorded))
			return error_set(err, ENODATA, "'%s' (%s) has no events, which --%s needs",
					 facts->path, facts->format, account_table[i]->id);
	for (int i = 0; i < ACCOUNTS_NR; i++) {
		const struct account_ops *ops = account_table[i];

		if (!chosen[i] || allocators != (ops->allocator != NULL))
			continue;
		if (sufficient(i, recorded) || (allocators && !wanted[i]))
			return 0;
		missing = missing ? missing : ops;
	}
	return error_not_recorded(missing, allocators ? other : NULL, facts, err);
}

/* Returns the account's i-th recorded event, shared ones first, then its own tracepoints; false
 * after the last. */
static bool record_at(int id, unsigned int i, struct account_record *ret_record)
{
	const struct account_ops *ops = account_table[id];

	if (i < ops->nr_recorded) {
		*ret_record = ops->recorded[i];
		return true;
	}
	i -= ops->nr_recorded;
	if (i >= ops->nr_tracepoints)
		return false;
	*ret_record = (struct account_record){
		.event = ops->tracepoints[i].name,
		.callchain = ops->tracepoints[i].callchain,
		.optional = ops->tracepoints[i].optional,
	};
	return true;
}

/* Whether no earlier entry of the list records the same event. */
static bool is_first_mention(int account, unsigned int index, const char *event)
{
	struct account_record r;

	for (int i = 0; i <= account; i++)
		for (unsigned int k = 0; record_at(i, k, &r); k++) {
			if (i == account && k == index)
				return true;
			if (!strcmp(r.event, event))
				return false;
		}
	return true;
}

/* Whether the event must be listed, and with which callchains. With `all`, kmem:* lists the kmem
 * events that need no callchain, and some kernels lack the others. */
static bool is_needed(const char *event, const bool wanted[ACCOUNTS_NR], bool all,
		      struct account_record *ret_record)
{
	const bool elsewhere = strncmp(event, "kmem:", strlen("kmem:")) != 0;
	bool needed = all && elsewhere;
	struct account_record r;

	ret_record->callchain = ret_record->allocates = ret_record->optional = false;
	ret_record->failed_only = !all;
	for (int i = 0; i < ACCOUNTS_NR; i++)
		for (unsigned int k = 0; record_at(i, k, &r); k++) {
			if (strcmp(r.event, event) != 0)
				continue;
			needed |= wanted[i] || (all && r.callchain);
			ret_record->callchain |= (wanted[i] || all) && r.callchain;
			ret_record->allocates |= (wanted[i] || all) && r.allocates;
			ret_record->optional |= r.optional || (all && elsewhere);
			ret_record->failed_only &= !wanted[i] || r.failed_only;
		}
	return needed;
}

int accounts_each_recorded(const bool wanted[ACCOUNTS_NR], bool all, account_record_fn fn,
			   void *ctx, struct error *err)
{
	bool chosen[ACCOUNTS_NR];
	struct account_record r;
	int ret = 0;

	memcpy(chosen, wanted, sizeof(chosen));
	if (!all)
		accounts_choose(wanted, 0, chosen);
	for (int i = 0; i < ACCOUNTS_NR; i++)
		for (unsigned int k = 0; !ret && record_at(i, k, &r); k++)
			if (is_needed(r.event, chosen, all, &r) && is_first_mention(i, k, r.event))
				ret = fn(ctx, &r, err);
	return ret;
}

unsigned int accounts_callsite_frames(const char *event)
{
	struct own_tracepoint own[OWN_TRACEPOINTS_MAX];
	size_t nr = accounts_tracepoints(own);

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(own[i].tracepoint->name, event))
			return OWN_CALLSITE_FRAMES;
	return CALLSITE_FRAMES;
}

struct listing {
	struct strbuf *sb;
	bool user_stacks;
};

/* An account_record_fn. */
static int add_event(void *ctx, const struct account_record *record, struct error *err)
{
	const struct listing *l = ctx;
	size_t terms;

	(void)err;
	strbuf_addf(l->sb, "%s%s", l->sb->len ? "," : "", record->event);
	terms = l->sb->len;
	if (record->allocates && l->user_stacks)
		strbuf_addstr(l->sb, ",call-graph=user");
	else if (record->callchain)
		strbuf_addf(l->sb, ",call-graph=kernel,max-stack=%u",
			    accounts_callsite_frames(record->event));
	if (record->failed_only)
		strbuf_addstr(l->sb, ",failed");
	if (record->optional)
		strbuf_addstr(l->sb, ",optional");
	if (l->sb->len > terms) {
		l->sb->buf[terms] = '/';
		strbuf_addch(l->sb, '/');
	}
	return 0;
}

/* Adds the events of kmem that profit from a user callchain, for any account. */
static void add_allocations(struct listing *l)
{
	struct account_record r;

	for (int i = 0; i < ACCOUNTS_NR; i++)
		for (unsigned int k = 0; record_at(i, k, &r); k++)
			if (r.allocates && !strncmp(r.event, "kmem:", strlen("kmem:")))
				add_event(l, &r, NULL);
}

void accounts_add_recorded(struct strbuf *sb, const bool wanted[ACCOUNTS_NR], bool all,
			   bool user_stacks)
{
	struct listing l = {sb, user_stacks};

	accounts_each_recorded(wanted, all, add_event, &l, NULL);
	if (!all)
		return;
	/* last, because the first mention of an event counts, and earlier ones ask for more */
	if (user_stacks)
		add_allocations(&l);
	strbuf_addf(sb, "%skmem:*", sb->len ? "," : "");
}

int accounts_check_traces(const bool chosen[ACCOUNTS_NR], struct error *err)
{
	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (chosen[i] && !account_declares_traces(account_table[i]))
			return error_set(err, EINVAL,
					 "--%s takes slab allocations, which may be traced twice: "
					 "its account must declare them in 'twice'",
					 account_table[i]->id);
	return 0;
}

/* Whether an account that takes events skips some of the needed kinds. */
static bool any_takes_less(const struct kmem_accounts *a)
{
	const uint32_t kinds = accounts_needs(a).kinds;

	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (a->v[i].state && a->v[i].ops->take && a->v[i].kinds != kinds)
			return true;
	return false;
}

int accounts_init(struct kmem_accounts *a, const bool chosen[ACCOUNTS_NR],
		  const struct account_setup *setup)
{
	*a = (struct kmem_accounts){.event_size = sizeof(struct kmem_event)};
	for (int i = 0; i < ACCOUNTS_NR; i++) {
		struct account *account = &a->v[i];
		size_t size = (account_table[i]->size + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1);
		int ret;

		account->ops = account_table[i];
		account->kinds = kinds_of(i);
		if (!chosen[i])
			continue;
		account->state = aligned_alloc(CACHE_LINE, size);
		if (!account->state)
			return -ENOMEM;
		memset(account->state, 0, size);
		ret = account->ops->init(account->state, setup);
		if (ret)
			return ret;
	}
	a->mixed = any_takes_less(a);
	return 0;
}

void accounts_deinit(struct kmem_accounts *a)
{
	for (int i = 0; i < ACCOUNTS_NR; i++) {
		if (!a->v[i].state)
			continue;
		a->v[i].ops->deinit(a->v[i].state);
		free(a->v[i].state);
	}
	*a = (struct kmem_accounts){0};
}

uint64_t accounts_sample_one_in(const struct kmem_accounts *a)
{
	uint64_t most = 1;

	for (int i = 0; i < ACCOUNTS_NR; i++) {
		const struct allocator_accounts *allocator = accounts_allocator(a, i);

		if (allocator && allocator_accounts_weight(allocator) > most)
			most = allocator_accounts_weight(allocator);
	}
	return most;
}

static void mark_rows(struct key_marks *m, const struct stat_table *t)
{
	uint32_t row;

	stat_table_for_each (row, t)
		for (unsigned int i = 0; i < t->nr_by; i++)
			key_marks_add(m, t->by[i], stat_table_keys(t, row)[i]);
}

void accounts_mark_names(const struct kmem_accounts *a, struct key_marks *marks)
{
	for (int i = 0; i < ACCOUNTS_NR; i++) {
		const struct allocator_accounts *allocator = accounts_allocator(a, i);

		for (unsigned int t = 0; allocator && t < allocator->nr_tables; t++)
			mark_rows(marks, &allocator->tables[t]);
		if (a->v[i].state && a->v[i].ops->mark_names)
			a->v[i].ops->mark_names(a->v[i].state, marks);
	}
	if (a->limit.free_rows) {
		key_marks_add_string(marks, a->limit.others.string);
		key_marks_add_stack(marks, a->limit.others.stack);
	}
}

bool accounts_have_any(const struct kmem_accounts *a, enum accounts_set set)
{
	bool chosen[ACCOUNTS_NR];

	for (int i = 0; i < ACCOUNTS_NR; i++)
		chosen[i] = a->v[i].state != NULL;
	return accounts_any(chosen, set);
}

struct decoding_needs accounts_needs(const struct kmem_accounts *a)
{
	struct decoding_needs needs = {0};

	for (int i = 0; i < ACCOUNTS_NR; i++) {
		const struct account_ops *ops = a->v[i].ops;

		if (!a->v[i].state)
			continue;
		needs.kinds |= kinds_of(i);
		needs.completed |= ops->completed;
		needs.callers |= ops->callers;
		needs.late |= ops->twice;
		needs.filtered |= ops->allocator ? 0 : kinds_of(i);
		needs.named |= own_kinds(i, !ops->context);
		needs.context |= ops->context;
		needs.keys |= ops->keys ? ops->keys(a->v[i].state) : 0;
	}
	needs.event_size = kmem_event_extent(needs.kinds, needs.keys | needs.context);
	return needs;
}

int accounts_check_filter(const struct kmem_accounts *a, const struct kmem_filter *filter,
			  struct error *err)
{
	int ret = 0;

	for (int i = 0; !ret && i < ACCOUNTS_NR; i++) {
		const struct account_ops *ops = a->v[i].ops;
		key_mask_t keys = ops->allocator ? kmem_keys_of(ops->allocator->bit) | BYTES_BIT
						 : ops->filter_keys;

		if (a->v[i].state)
			ret = kmem_filter_check_keys(filter, keys, ops->id, err);
	}
	return ret;
}

void accounts_bind(struct kmem_accounts *a, const struct event_type *type)
{
	for (int i = 0; i < ACCOUNTS_NR; i++) {
		const struct account *account = &a->v[i];

		if (account->state && account->ops->bind && kinds_of(i) & KIND_BIT(type->kind))
			account->ops->bind(account->state, type);
	}
}

int accounts_take(struct kmem_accounts *a, const void *events, size_t nr)
{
	const struct account_events all = {events, nr, a->event_size, a->mixed};
	int ret = 0;

	for (int i = 0; !ret && i < ACCOUNTS_NR; i++)
		if (a->v[i].state && a->v[i].ops->take)
			ret = a->v[i].ops->take(a->v[i].state, &all, a->v[i].kinds);
	return ret;
}

int accounts_add_row(struct kmem_accounts *a, const struct kmem_event *keys,
		     const struct source_figures *figures)
{
	int ret = 0;

	for (int i = 0; !ret && i < ACCOUNTS_NR; i++)
		if (a->v[i].state && a->v[i].ops->add_row &&
		    account_takes(a->v[i].ops->kinds, keys) &&
		    (a->v[i].ops->rows_filtered || !keys->filtered_out))
			ret = a->v[i].ops->add_row(a->v[i].state, keys, figures);
	return ret;
}

int accounts_tick(struct kmem_accounts *a, const struct account_tick *tick)
{
	int ret = 0;

	for (int i = 0; !ret && i < ACCOUNTS_NR; i++)
		if (a->v[i].state && a->v[i].ops->tick)
			ret = a->v[i].ops->tick(a->v[i].state, tick);
	return ret;
}

void accounts_finish(struct kmem_accounts *a, uint64_t stop_ns)
{
	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (a->v[i].state && a->v[i].ops->finish)
			a->v[i].ops->finish(a->v[i].state, stop_ns);
}

/* Steps need a known span, and rows that are never folded. */
static bool wants_steps(const struct account_setup *setup)
{
	const struct kmem_options *o = setup->options;

	return o->steps && setup->span.stop_ns > setup->span.start_ns && !o->ticks.interval_ns &&
	       !kmem_bounds_any(&o->bounds);
}

/* Returns 0, or -ENOMEM. */
static int prepare_table(const struct account_setup *setup, struct stat_table *t,
			 const struct table_spec *spec)
{
	t->names = setup->names;
	t->limit = setup->limit;
	t->want_lifetimes = setup->options->lifetimes;
	t->unfiltered = spec->unfiltered;
	t->want_history = spec->history;
	t->want_recent = spec->recent;
	/* a report of each interval needs as many buckets in the first one as in the last */
	if (spec->history && setup->options->ticks.interval)
		history_init(&t->history, 0, 0);
	else if (spec->history)
		history_init(&t->history, setup->span.start_ns, setup->span.stop_ns);
	if (spec->timeline)
		t->timeline = timeline_new(setup->span.start_ns, setup->span.stop_ns);
	if (wants_steps(setup))
		t->steps = stat_steps_new(setup->span.start_ns, setup->span.stop_ns);
	return (spec->timeline && !t->timeline) || (wants_steps(setup) && !t->steps) ? -ENOMEM : 0;
}

int accounts_prepare_allocator(const struct account_setup *setup, struct allocator_accounts *a,
			       const struct tables_spec *tables)
{
	static const struct table_spec own = {.nr_by = 0};
	const uint64_t max_live = setup->options->bounds.max_live;
	int ret = 0;

	a->count_unmatched_frees = !setup->is_filtered;
	if (max_live)
		a->max_live = max_live;
	a->peak.windows = setup->options->windows;
	a->peak.nr_windows = setup->options->nr_windows;
	a->peak.stop_event = tables->stop;
	if (setup->options->cpu_pairs) {
		a->cpu_pairs = cpu_pairs_new();
		ret = a->cpu_pairs ? 0 : -ENOMEM;
	}
	for (unsigned int i = 0; !ret && i < a->nr_tables; i++)
		ret = prepare_table(setup, &a->tables[i], i < tables->nr ? &tables->v[i] : &own);
	if (!ret && !setup->options->ticks.interval_ns && !kmem_bounds_any(&setup->options->bounds))
		allocator_accounts_roll_up(a);
	return ret;
}
