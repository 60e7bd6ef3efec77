// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/kmem/tables.h"

#include <errno.h>
#include <string.h>

#include "util/base/strbuf.h"

/* Rows of each table of the overview. */
#define OVERVIEW_LINES 5

static int error_not_a_key(const char *name, size_t len, struct error *err)
{
	const char *similar = column_similar(name, len, true);

	if (similar)
		return error_set(err, EINVAL, "'%.*s' is not a key to group by, did you mean '%s'?",
				 (int)len, name, similar);
	return error_set(err, EINVAL, "'%.*s' is not a key to group by", (int)len, name);
}

static int parse_by(struct kmem_table *t, const char *text, enum allocator *ret_allocators,
		    struct error *err)
{
	unsigned int allocators = ALLOCATOR_ALL;

	for (;;) {
		size_t len = strcspn(text, ",");
		const struct column *c = column_find(text, len);
		enum kmem_key key;

		if (!c || c->kind != COLUMN_KEY)
			return error_not_a_key(text, len, err);
		key = c->key;
		if (t->nr_by == STAT_BY_MAX)
			return error_set(err, E2BIG, "more than %d keys to group by", STAT_BY_MAX);
		for (unsigned int i = 0; i < t->nr_by; i++)
			if (t->by[i] == key)
				return error_set(err, EINVAL, "key '%s' is given twice",
						 kmem_key_name(key));
		t->by[t->nr_by++] = key;
		allocators &= kmem_key_allocators(key);
		if (!allocators)
			return error_set(err, EINVAL,
					 "key '%s' is of the %s allocator, keys before it are of "
					 "the other",
					 kmem_key_name(key),
					 accounts_of(kmem_key_allocators(key))->id);
		if (!text[len])
			break;
		text += len + 1;
	}
	*ret_allocators = (enum allocator)allocators;
	return 0;
}

/* Several allocators are a choice, which the options may make (accounts_want_any()). */
static void select_only(struct kmem_tables *t, enum allocator allocators)
{
	if (allocators & (allocators - 1))
		t->selected_any = allocators;
	else
		t->selected |= allocators;
}

int kmem_tables_add(struct kmem_tables *t, enum table_kind kind, const char *by, struct error *err)
{
	struct kmem_table *table;

	for (unsigned int i = 0; kind != TABLE_BY && i < t->nr; i++)
		if (t->v[i].kind == kind) {
			t->scope = &t->v[i];
			return 0;
		}
	if (t->nr == TABLES_MAX)
		return error_set(err, E2BIG, "more than %d tables", TABLES_MAX);
	table = &t->v[t->nr];
	*table = (struct kmem_table){.kind = kind};
	if (kind == TABLE_BY) {
		enum allocator allocators = ALLOCATOR_ALL;
		int ret = parse_by(table, by, &allocators, err);

		if (ret)
			return ret;
		select_only(t, allocators);
	}
	t->nr++;
	t->scope = table;
	return 0;
}

static int append_keys(struct sort_keys *to, const struct sort_keys *from, struct error *err)
{
	if (to->nr + from->nr > SORT_KEYS_MAX)
		return error_set(err, E2BIG, "more than %d sort keys", SORT_KEYS_MAX);
	memcpy(&to->v[to->nr], from->v, from->nr * sizeof(from->v[0]));
	to->nr += from->nr;
	return 0;
}

int kmem_tables_sort(struct kmem_tables *t, const char *text, struct error *err)
{
	struct kmem_sort *sort = t->scope ? &t->scope->sort : &t->sort;
	struct sort_keys keys = {.nr = 0};
	enum allocator allocators;
	int ret = sort_keys_parse(&keys, text, &allocators, err);

	if (ret)
		return ret;
	select_only(t, allocators);
	for (int i = 0; !ret && i < ACCOUNTS_NR; i++)
		if (account_allocator_bit(i) & allocators)
			ret = append_keys(&sort->v[i], &keys, err);
	return ret;
}

void kmem_tables_limit(struct kmem_tables *t, uint64_t lines)
{
	if (t->scope) {
		t->scope->lines = lines;
		t->scope->has_lines = true;
	} else {
		t->lines = lines;
	}
}

int kmem_tables_add_defaults(struct kmem_tables *t, unsigned int wants, struct error *err)
{
	unsigned int nr_asked = t->nr;
	int ret = 0;

	if (wants & WANTS_PICTURES)
		ret = kmem_tables_add(t, TABLE_PICTURES, NULL, err);
	if (!ret && wants & WANTS_STACKS)
		ret = kmem_tables_add(t, TABLE_BY, "stack", err);
	if (!ret && wants & WANTS_CALLSITES)
		ret = kmem_tables_add(t, TABLE_BY, "callsite", err);
	/* without pictures, it is the only table */
	for (unsigned int i = nr_asked; i < t->nr; i++)
		t->v[i].is_form_default = wants & WANTS_PICTURES;
	return ret;
}

void kmem_tables_add_overview(struct kmem_tables *t, unsigned int audience)
{
	const bool few = t->lines == LINES_ALL && audience & FOR_PEOPLE;

	for (unsigned int i = 0; i < OVERVIEW_TABLES; i++)
		t->v[t->nr++] = (struct kmem_table){
			.kind = TABLE_OVERVIEW,
			.number = i,
			.lines = few ? OVERVIEW_LINES : t->lines,
			.has_lines = true,
			.is_form_default = true,
		};
}

bool kmem_tables_are_overview(const struct kmem_tables *t)
{
	return t->nr && t->v[0].kind == TABLE_OVERVIEW;
}

uint64_t kmem_tables_lines(const struct kmem_tables *t)
{
	return t->nr && t->v[0].has_lines ? t->v[0].lines : t->lines;
}

static int opt_caller(const struct option_use *use, struct error *err)
{
	return kmem_tables_add(use->into, TABLE_CALLER, NULL, err);
}

static int opt_by(const struct option_use *use, struct error *err)
{
	return kmem_tables_add(use->into, TABLE_BY, use->arg, err);
}

const struct option kmem_table_options[] = {
	OPT_FLAG_CALLBACK(0, "caller", "a table by call site", opt_caller),
	OPT_CALLBACK(0, "by", "<key>[,<key>...]", "a table by any of:" KMEM_KEY_NAMES, opt_by),
	OPT_BOOL(0, "stack", struct kmem_tables, stacks,
		 "a row for each callchain, which is printed below it"),
	OPT_BOOL(0, "user-stacks", struct kmem_tables, user_stacks,
		 "stacks go on into user space (of recordings made with this option)"),
	OPT_U64_BOUNDED(0, "max-stack", struct kmem_tables, max_stack, "<n>",
			"at most n frames of a callchain", 1, MAX_STACK_DEFAULT),
	OPT_END(),
};

/* Input and output of building the tables. */
struct build {
	const struct kmem_tables *tables;
	const struct kmem_config *config;
	struct kmem_options *kmem;
	struct report_options *report;
};

/* A table whose keys depend on the allocator; NULL: --by. */
static const struct default_table *default_of(const struct kmem_table *t,
					      const struct allocator_ops *ops)
{
	switch (t->kind) {
	case TABLE_CALLER:
		return &ops->caller;
	case TABLE_ALLOC:
		return &ops->alloc_table;
	case TABLE_PICTURES:
		return &ops->pictures;
	case TABLE_OVERVIEW:
		return &ops->overview[t->number];
	default:
		return NULL;
	}
}

/* The keys of a table for an allocator, and its default order. Returns false if the table does not
 * apply to it. */
static bool spec_of(const struct kmem_table *t, const struct allocator_ops *ops,
		    struct table_spec *ret_spec, const char **ret_sort)
{
	const struct default_table *defaults = default_of(t, ops);

	if (defaults) {
		*ret_spec = defaults->spec;
		*ret_sort = defaults->sort;
		return defaults->spec.nr_by != 0;
	}
	for (unsigned int i = 0; i < t->nr_by; i++)
		if (!(kmem_key_allocators(t->by[i]) & ops->bit))
			return false;
	memcpy(ret_spec->by, t->by, sizeof(t->by));
	ret_spec->nr_by = t->nr_by;
	*ret_sort = "bytes,hit";
	return true;
}

/* The configuration applies to all tables, and -s to all of the overview. A key that a table lacks
 * is ignored for it. */
static void keep_fitting(struct sort_keys *keys, const struct table_spec *spec)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < keys->nr; i++)
		if (column_fits(keys->v[i].column, spec->by, spec->nr_by))
			keys->v[nr++] = keys->v[i];
	keys->nr = nr;
}

static int set_sort(const struct build *b, const struct kmem_table *t, int account,
		    const struct table_spec *spec, const char *defaults, struct sort_keys *ret_keys,
		    struct error *err)
{
	const struct kmem_sort *candidates[] = {
		&t->sort,
		&b->tables->sort,
		&b->config->sort,
	};
	enum allocator allocators;

	for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
		struct sort_keys keys = candidates[i]->v[account];

		if (candidates[i] == &b->config->sort || t->kind == TABLE_OVERVIEW)
			keep_fitting(&keys, spec);
		if (keys.nr) {
			*ret_keys = keys;
			return 0;
		}
	}
	return sort_keys_parse(ret_keys, defaults, &allocators, err);
}

/* --stack adds a key. */
static int add_stack(struct table_spec *spec, struct error *err)
{
	if (table_spec_has(spec, KEY_STACK))
		return 0;
	if (spec->nr_by == STAT_BY_MAX)
		return error_set(err, E2BIG,
				 "--stack groups by one more key, and %d is the most: leave one "
				 "out of --by",
				 STAT_BY_MAX);
	spec->by[spec->nr_by++] = KEY_STACK;
	return 0;
}

static bool is_stock(enum table_kind kind)
{
	return kind == TABLE_CALLER || kind == TABLE_ALLOC;
}

static int build_table(const struct build *b, const struct kmem_table *t, int account,
		       struct error *err)
{
	unsigned int *nr = &b->kmem->tables[account].nr;
	struct table_spec *spec = &b->kmem->tables[account].v[*nr];
	struct table_options *options = &b->report->by[account][*nr];
	const char *defaults;

	if (!spec_of(t, account_table[account]->allocator, spec, &defaults))
		return 0;
	/* keys that --caller shows beside the call site may be unknown */
	for (unsigned int i = 0; i < spec->nr_by; i++)
		if (t->is_form_default || (t->kind == TABLE_CALLER && i))
			b->kmem->optional_keys |= KEY_BIT(spec->by[i]);
	if (b->tables->stacks && add_stack(spec, err))
		return -E2BIG;
	options->lines = t->has_lines ? t->lines : b->tables->lines;
	options->stock = is_stock(t->kind) && !b->tables->stacks;
	if (t->kind == TABLE_OVERVIEW) {
		options->overview = account_table[account]->allocator->overview[t->number].title;
		options->is_aside = t->number > 0;
	}
	spec->timeline = b->kmem->timeline && !*nr;
	++*nr;
	return set_sort(b, t, account, spec, defaults, &options->sort, err);
}

static void select_in(struct kmem_options *o, unsigned int allocators)
{
	accounts_want_any(o->wanted, allocators);
}

/* Whether an allocator may be reported. Without a selection the recording decides. */
static bool is_selected(const struct build *b, int account)
{
	const bool *wanted = b->kmem->wanted;

	return account_table[account]->allocator &&
	       (wanted[account] || !accounts_any(wanted, ACCOUNTS_ALL));
}

/* "--sort: no row is grouped by 'cpu' (group by it, too: --by comm,cpu)" */
static int error_not_grouped(const char *option, const struct column *c,
			     const struct table_spec *spec, struct error *err)
{
	struct strbuf by = STRBUF_INIT;
	int ret;

	for (unsigned int i = 0; i < spec->nr_by; i++)
		strbuf_addf(&by, "%s%s", i ? "," : "", kmem_key_name(spec->by[i]));
	if (spec->nr_by == STAT_BY_MAX)
		ret = error_set(err, EINVAL, "%s: the rows by %s are not grouped by '%s'", option,
				by.buf, c->name);
	else
		ret = error_set(err, EINVAL,
				"%s: the rows by %s are not grouped by '%s' (--by %s,%s would do "
				"that)",
				option, by.buf, c->name, by.buf, c->name);
	strbuf_deinit(&by);
	return ret;
}

/*
 * Each column must fit a table. If no allocator is selected and only one allocator's tables fit,
 * that one is selected.
 */
static int check_column(const struct build *b, const char *option, const struct column *c,
			struct error *err)
{
	const struct table_spec *last = NULL;
	unsigned int fits = 0, nr = 0;

	for (int id = 0; id < ACCOUNTS_NR; id++) {
		const struct tables_spec *tables = &b->kmem->tables[id];
		unsigned int bit = account_allocator_bit(id);

		if (!is_selected(b, id))
			continue;
		nr += tables->nr;
		for (unsigned int i = 0; c->allocators & bit && i < tables->nr; i++) {
			last = &tables->v[i];
			if (column_fits(c, last->by, last->nr_by))
				fits |= bit;
		}
	}
	if (last && !fits)
		return error_not_grouped(option, c, last, err);
	if (nr && !fits)
		return error_set(err, EINVAL,
				 "%s: '%s' is of the %s allocator, which has no table here", option,
				 c->name, accounts_of(c->allocators)->id);
	if (c->kind == COLUMN_KEY)
		select_in(b->kmem, fits);
	return 0;
}

static int check_sort_keys(const struct build *b, const struct kmem_sort *sort, struct error *err)
{
	int ret = 0;

	for (int k = 0; k < ACCOUNTS_NR; k++)
		for (unsigned int i = 0; !ret && i < sort->v[k].nr; i++)
			ret = check_column(b, "--sort", sort->v[k].v[i].column, err);
	return ret;
}

/* The first sort key that a table lacks, or NULL. */
static const struct column *misfit_of(const struct table_spec *spec, const struct sort_keys *keys)
{
	for (unsigned int i = 0; i < keys->nr; i++)
		if (!column_fits(keys->v[i].column, spec->by, spec->nr_by))
			return keys->v[i].column;
	return NULL;
}

/* Each table must have its sort keys. */
static int check_sort(const struct build *b, struct error *err)
{
	const struct table_spec *bad = NULL;
	const struct column *misfit = NULL, *c;
	unsigned int fits = 0, misfits = 0;

	for (int id = 0; id < ACCOUNTS_NR; id++) {
		const struct tables_spec *tables = &b->kmem->tables[id];

		if (!is_selected(b, id))
			continue;
		for (unsigned int i = 0; i < tables->nr; i++) {
			c = misfit_of(&tables->v[i], &b->report->by[id][i].sort);
			*(c ? &misfits : &fits) |= account_allocator_bit(id);
			if (c && !bad) {
				misfit = c;
				bad = &tables->v[i];
			}
		}
	}
	fits &= ~misfits;
	if (misfits && (!fits || accounts_any(b->kmem->wanted, ACCOUNTS_ALLOCATORS)))
		return error_not_grouped("--sort", misfit, bad, err);
	if (misfits)
		select_in(b->kmem, fits);
	return 0;
}

/* "--by: --page has no 'cache', which is of --slab (--page has: callsite stack page ...)" */
static int error_lacks_key(const struct account_ops *ops, enum kmem_key key, struct error *err)
{
	struct strbuf owners = STRBUF_INIT, keys = STRBUF_INIT;
	int ret;

	for (int id = 0; id < ACCOUNTS_NR; id++)
		if (account_allocator_bit(id) & kmem_key_allocators(key))
			strbuf_addf(&owners, " --%s", account_table[id]->id);
	for (enum kmem_key k = 0; k < KEY_NR; k++)
		if (kmem_key_allocators(k) & ops->allocator->bit)
			strbuf_addf(&keys, " %s", kmem_key_name(k));
	ret = error_set(err, EINVAL, "--by: --%s has no '%s', which is of%s (--%s has:%s)", ops->id,
			kmem_key_name(key), owners.buf, ops->id, keys.buf);
	strbuf_deinit(&owners);
	strbuf_deinit(&keys);
	return ret;
}

/* A table must apply to an allocator that was chosen. */
static int check_table(const struct build *b, const struct kmem_table *t, struct error *err)
{
	const struct account_ops *chosen = NULL;
	struct table_spec spec;
	const char *sort;

	for (int id = 0; id < ACCOUNTS_NR; id++) {
		if (!is_selected(b, id))
			continue;
		if (!chosen)
			chosen = account_table[id];
		if (spec_of(t, account_table[id]->allocator, &spec, &sort))
			return 0;
	}
	for (unsigned int i = 0; chosen && i < t->nr_by; i++)
		if (!(kmem_key_allocators(t->by[i]) & chosen->allocator->bit))
			return error_lacks_key(chosen, t->by[i], err);
	return 0;
}

int kmem_tables_build(const struct kmem_tables *t, const struct kmem_config *config,
		      struct kmem_options *kmem, struct report_options *report, struct error *err)
{
	static const enum table_kind order[] = {TABLE_CALLER, TABLE_ALLOC, TABLE_PICTURES,
						TABLE_OVERVIEW, TABLE_BY};
	const struct build b = {t, config, kmem, report};
	int ret = 0;

	kmem->max_stack = (unsigned int)t->max_stack;
	kmem->user_stacks = t->user_stacks;
	report->lines = t->lines;
	for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++)
		for (unsigned int i = 0; !ret && i < t->nr; i++) {
			if (t->v[i].kind != order[k])
				continue;
			for (int id = 0; !ret && id < ACCOUNTS_NR; id++)
				if (account_table[id]->allocator)
					ret = build_table(&b, &t->v[i], id, err);
			if (!ret)
				ret = check_table(&b, &t->v[i], err);
		}
	if (!ret)
		ret = check_sort(&b, err);
	if (!ret)
		ret = check_sort_keys(&b, &t->sort, err);
	for (unsigned int i = 0; !ret && i < t->nr; i++)
		ret = check_sort_keys(&b, &t->v[i].sort, err);
	for (unsigned int i = 0; !ret && i < report->fields.nr; i++)
		ret = check_column(&b, "--fields", report->fields.v[i], err);
	return ret;
}
