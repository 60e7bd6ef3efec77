// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/report.h"

#include <string.h>

#define FORMAT_ROW(name) {#name, report_##name},

static const struct {
	const char *name;
	report_fn fn;
} formats[] = {REPORT_FORMATS(FORMAT_ROW)};

report_fn report_format(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].name, name))
			return formats[i].fn;
	return NULL;
}

bool report_table_at(const struct kmem_analysis *a, const struct report_options *o, unsigned int i,
		     struct report_table *ret_table)
{
	unsigned int nr_slab = a->accounts.do_slab ? a->options.nr_slab_tables : 0;
	unsigned int nr_page = a->accounts.do_page ? a->options.nr_page_tables : 0;

	if (i < nr_slab)
		*ret_table = (struct report_table){&a->accounts.slab.tables[i], &o->slab[i],
						   ALLOCATOR_SLAB};
	else if (i < nr_slab + nr_page)
		*ret_table = (struct report_table){&a->accounts.page.tables[i - nr_slab],
						   &o->page[i - nr_slab], ALLOCATOR_PAGE};
	else
		return false;
	return true;
}

const struct live_peak *report_peak(const struct kmem_analysis *a, enum allocator allocator)
{
	return allocator == ALLOCATOR_SLAB ? &a->accounts.slab_peak : &a->accounts.page_peak;
}

static void add_column(struct column_list *l, const char *name, enum allocator allocator)
{
	const struct column *c = column_find(name, strlen(name));

	if ((c->allocators & allocator) && l->nr < COLUMNS_MAX)
		l->v[l->nr++] = c;
}

void report_table_columns(const struct report_table *t, const struct report_options *o,
			  struct column_list *ret_columns)
{
	/* what is asked for stands left: a narrow terminal leaves out the last ones */
	static const char *const usual[] = {"bytes", "hit"};
	static const char *const lives[] = {"freed", "lifetime", "p50", "p99", "short"};
	static const char *const rest[] = {"req", "pingpong", "frag"};
	struct column_list *l = ret_columns;

	l->nr = 0;
	for (unsigned int i = 0; i < o->fields.nr; i++)
		if ((o->fields.v[i]->allocators & t->allocator) &&
		    column_fits(o->fields.v[i], t->table->by, t->table->nr_by))
			l->v[l->nr++] = o->fields.v[i];
	if (l->nr)
		return;
	for (unsigned int i = 0; i < t->table->nr_by; i++)
		l->v[l->nr++] = column_of_key(t->table->by[i]);
	if (t->table->nr_by == 1 && t->table->by[0] == KEY_PAGE)
		add_column(l, "callsite", t->allocator);
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		add_column(l, usual[i], t->allocator);
	for (size_t i = 0; o->lifetimes && i < sizeof(lives) / sizeof(lives[0]); i++)
		add_column(l, lives[i], t->allocator);
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		add_column(l, rest[i], t->allocator);
}
