// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem: options that mean nothing to a subcommand are refused, not ignored. */
#include "builtin/kmem.h"

#include <errno.h>

#include "util/base/strbuf.h"

static bool has_sort(const struct kmem_cli *cli)
{
	bool has = cli->tables.all_sort.slab.nr || cli->tables.all_sort.page.nr;

	for (unsigned int i = 0; i < cli->tables.nr; i++)
		has |= cli->tables.v[i].sort.slab.nr || cli->tables.v[i].sort.page.nr;
	return has;
}

static const char *command_name(enum kmem_command command)
{
	switch (command) {
	case KMEM_STAT:
		return "stat";
	case KMEM_LEAK:
		return "leak";
	case KMEM_DIFF:
		return "diff";
	default:
		return "stat and diff";
	}
}

int kmem_cli_check(const struct kmem_cli *cli, enum kmem_command command, struct error *err)
{
	const struct {
		const char *option;
		bool given;
		enum kmem_command commands; /* whose it is; two of them: bits */
	} options[] = {
		{"--caller, --alloc and --by are", cli->tables.nr,
		 KMEM_STAT | KMEM_LEAK | KMEM_DIFF},
		{"--sort is", has_sort(cli) || cli->leak_sort, KMEM_STAT | KMEM_LEAK},
		{"--fields is", cli->report.fields.nr, KMEM_STAT},
		{"--weight is", cli->report.weight, KMEM_STAT},
		{"--live is", cli->report.live, KMEM_STAT},
		{"--peak is", cli->peak, KMEM_STAT},
		{"--lifetime is", cli->report.lifetimes, KMEM_STAT},
		{"--percpu and --extfrag are", cli->analysis.percpu || cli->analysis.extfrag,
		 KMEM_STAT},
		{"--min-age is", cli->min_age_ns, KMEM_LEAK},
		{"--per-second is", cli->per_second, KMEM_DIFF},
		{"a second --kallsyms is", cli->nr_kallsyms > 1, KMEM_DIFF},
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].given && !(options[i].commands & command))
			return error_set(err, EINVAL, "%s for %s, not for %s", options[i].option,
					 command_name(options[i].commands), command_name(command));
	if (cli->sort_error.code && command == KMEM_STAT) {
		*err = cli->sort_error;
		return err->code;
	}
	return 0;
}

/* The tables of an allocator as the analysis will make them, and how they are sorted. */
struct built_tables {
	enum allocator allocator;
	const struct table_spec *specs;
	const struct table_options *options;
	unsigned int nr;
};

static void built_tables(const struct kmem_cli *cli, struct built_tables ret_built[2])
{
	const struct kmem_options *a = &cli->analysis;

	ret_built[0] = (struct built_tables){ALLOCATOR_SLAB, a->slab_tables, cli->report.slab,
					     a->nr_slab_tables};
	ret_built[1] = (struct built_tables){ALLOCATOR_PAGE, a->page_tables, cli->report.page,
					     a->nr_page_tables};
}

/* May there be a report of it? As long as nothing is selected the recording decides. */
static bool is_selected(const struct kmem_cli *cli, enum allocator allocator)
{
	const struct kmem_options *a = &cli->analysis;

	if (!a->slab && !a->page)
		return !a->percpu && !a->extfrag;
	return allocator == ALLOCATOR_SLAB ? a->slab : a->page;
}

/* "--sort: no row is grouped by 'cpu' (group by it, too: --by comm,cpu)" */
static int error_not_grouped(const char *option, const struct column *c,
			     const struct table_spec *spec, struct error *err)
{
	struct strbuf by = STRBUF_INIT;
	int ret;

	for (unsigned int i = 0; i < spec->nr_by; i++)
		strbuf_addf(&by, "%s%s", i ? "," : "", kmem_key_name(spec->by[i]));
	if (spec->nr_by == STAT_KEYS_MAX)
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

/* A field stands in each table that is grouped by it, and at least in one. */
static int check_field(struct kmem_cli *cli, const struct column *c, struct error *err)
{
	const struct table_spec *last = NULL;
	struct built_tables built[2];
	unsigned int fits = 0;

	built_tables(cli, built);
	for (int b = 0; b < 2; b++) {
		if (!(c->allocators & built[b].allocator) || !is_selected(cli, built[b].allocator))
			continue;
		for (unsigned int i = 0; i < built[b].nr; i++) {
			last = &built[b].specs[i];
			if (column_fits(c, last->by, last->nr_by))
				fits |= built[b].allocator;
		}
	}
	if (last && !fits)
		return error_not_grouped("--fields", c, last, err);
	kmem_cli_select(cli, (enum allocator)fits);
	return 0;
}

/* The first key that a table cannot be sorted by; NULL: it can be sorted as asked. */
static const struct column *misfit_of(const struct built_tables *b, unsigned int table)
{
	const struct sort_keys *keys = &b->options[table].sort;

	for (unsigned int i = 0; i < keys->nr; i++)
		if (!column_fits(keys->v[i].column, b->specs[table].by, b->specs[table].nr_by))
			return keys->v[i].column;
	return NULL;
}

/* Each table must have the keys that it is sorted by. */
static int check_sort(struct kmem_cli *cli, struct error *err)
{
	const struct table_spec *bad = NULL;
	const struct column *misfit = NULL, *c;
	struct built_tables built[2];
	unsigned int fits = 0, misfits = 0;

	built_tables(cli, built);
	for (int b = 0; b < 2; b++) {
		if (!is_selected(cli, built[b].allocator))
			continue;
		for (unsigned int i = 0; i < built[b].nr; i++) {
			c = misfit_of(&built[b], i);
			*(c ? &misfits : &fits) |= built[b].allocator;
			if (c && !bad) {
				misfit = c;
				bad = &built[b].specs[i];
			}
		}
	}
	fits &= ~misfits;
	if (misfits && (!fits || cli->analysis.slab || cli->analysis.page))
		return error_not_grouped("--sort", misfit, bad, err);
	if (misfits)
		kmem_cli_select(cli, (enum allocator)fits);
	return 0;
}

int kmem_cli_check_columns(struct kmem_cli *cli, struct error *err)
{
	int ret = check_sort(cli, err);

	for (unsigned int i = 0; !ret && i < cli->report.fields.nr; i++)
		if (cli->report.fields.v[i]->kind == COLUMN_KEY)
			ret = check_field(cli, cli->report.fields.v[i], err);
	return ret;
}
