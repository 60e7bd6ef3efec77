// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/top/details.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/units.h"
#include "util/render/value_text.h"
#include "util/report/key_column.h"

#define ROWS_EACH   8
#define STACKS_EACH 10

struct details {
	struct strbuf *sb;
	const struct naming *naming;
	bool raw_ip;
	bool live_unknown;
};

/* The row with this name, or TABLE_NO_ROW if it is gone. */
static uint32_t find_row(const struct details *d, const struct top_groups *groups, const char *name)
{
	for (uint32_t i = 0; i < groups->rows.nr; i++) {
		struct row_view row = top_groups_row(groups, i);
		char *text = top_row_name(d->naming, &row, d->raw_ip);
		bool found = text && !strcmp(text, name);

		free(text);
		if (found)
			return i;
	}
	return TABLE_NO_ROW;
}

static void add_figures(const struct details *d, const struct row_view *row)
{
	const struct stat_counts *c = row->counts;
	char rate[UNITS_BUF], bytes[UNITS_BUF], live[UNITS_BUF];

	strbuf_addf(d->sb, "%10" PRIu64 " %10s %10s", top_column_at(0)->value(row),
		    units_bytes(rate, sizeof(rate), top_column_at(1)->value(row)),
		    units_bytes(bytes, sizeof(bytes), c->bytes_alloc));
	if (!d->live_unknown)
		strbuf_addf(d->sb, " %10s", units_bytes(live, sizeof(live), c->live_bytes));
}

static void add_headings(const struct details *d, const char *what)
{
	strbuf_addf(d->sb, "\n%10s %10s %10s", "Hits/s", "Bytes/s", "Bytes");
	if (!d->live_unknown)
		strbuf_addf(d->sb, " %10s", "Live");
	strbuf_addf(d->sb, "  %s\n", what);
}

/* A call stack below its figures, one frame a line. */
static void add_stack(const struct details *d, enum kmem_key key, uint64_t stack)
{
	struct strbuf scratch = STRBUF_INIT;
	struct value v = key_value(d->naming, key, stack, &scratch);

	strbuf_addch(d->sb, '\n');
	for (size_t i = 0; i < v.stack.nr; i++) {
		const struct value_callsite site = v.stack.name(v.stack.naming, v.stack.frames[i]);

		strbuf_addstr(d->sb, "              ");
		value_add_callsite(d->sb, &site, d->raw_ip);
		strbuf_addch(d->sb, '\n');
	}
	if (!v.stack.nr)
		strbuf_addstr(d->sb, "              unknown\n");
	strbuf_deinit(&scratch);
}

static int add_grouping(const struct details *d, const struct stat_table *table,
			const struct top_intervals *intervals, const struct top_grouping *by,
			const struct top_where *where)
{
	bool stacks = by->by[0] == KEY_STACK || by->by[0] == KEY_USTACK;
	const struct top_order order = {.column = column_find("bytes", strlen("bytes")),
					.idle = true,
					.lines = stacks ? STACKS_EACH : ROWS_EACH};
	struct top_groups groups;
	uint64_t nr = 0, total = 0;
	uint32_t *rows = NULL;
	int ret = top_groups_init(&groups, intervals, table, by->by, by->nr_by, where, NULL, NULL);

	if (!ret)
		ret = top_groups_sort(&groups, &order, &rows, &nr, &total);
	if (ret) {
		top_groups_deinit(&groups);
		return ret;
	}
	add_headings(d, by->by[0] == KEY_STACK	  ? "call stacks"
			: by->by[0] == KEY_USTACK ? "call stacks of programs"
						  : by->name);
	for (uint64_t i = 0; i < nr; i++) {
		struct row_view row = top_groups_row(&groups, rows[i]);
		char *name = stacks ? NULL : top_row_name(d->naming, &row, d->raw_ip);

		add_figures(d, &row);
		if (stacks)
			add_stack(d, by->by[0], row.key[0]);
		else
			strbuf_addf(d->sb, "  %s\n", name ? name : "");
		free(name);
	}
	if (total > nr)
		strbuf_addf(d->sb, "%*s and %" PRIu64 " more\n", 10, "", total - nr);
	free(rows);
	top_groups_deinit(&groups);
	return 0;
}

/* Whether it has anything beyond the row's own keys. */
static bool tells_more(const struct top_grouping *g, const struct stat_table *shape)
{
	for (unsigned int i = 0; i < g->nr_by; i++)
		if (!stat_table_has(shape, g->by[i]))
			return true;
	return false;
}

int top_add_details(struct strbuf *sb, const struct naming *naming, const struct stat_table *table,
		    const struct top_groupings *groupings, const struct top_groups *groups,
		    const char *name, bool raw_ip)
{
	const struct details d = {sb, naming, raw_ip, table->live_unknown};
	uint32_t number = find_row(&d, groups, name);
	bool stacks = stat_table_has(table, KEY_STACK);
	struct row_view row;
	struct top_where where;
	int ret = 0;

	strbuf_addf(sb, "%s\n", name);
	if (number == TABLE_NO_ROW) {
		strbuf_addstr(sb, "\nIt is gone: nothing of it is live, and nothing happens.\n");
		return sb->failed ? -ENOMEM : 0;
	}
	row = top_groups_row(groups, number);
	where = (struct top_where){groups->shape.by, row.key, groups->shape.nr_by};
	add_headings(&d, "in all");
	add_figures(&d, &row);
	strbuf_addch(sb, '\n');
	for (unsigned int i = 0; !ret && i < groupings->nr; i++)
		if (tells_more(&groupings->v[i], &groups->shape))
			ret = add_grouping(&d, table, &groups->intervals, &groupings->v[i], &where);
	if (!stacks && !table->live_unknown)
		strbuf_addstr(sb,
			      "\nCall stacks are not collected: start top with -g for those.\n");
	return ret ? ret : sb->failed ? -ENOMEM : 0;
}

static void add_key(struct strbuf *sb, const struct naming *naming, enum kmem_key key,
		    uint64_t value, bool raw_ip)
{
	const struct render_options plain = {.thousands_sep = "", .raw_ip = raw_ip};
	struct strbuf scratch = STRBUF_INIT;
	struct value v = key_value(naming, key, value, &scratch);

	value_add_text(sb, &plain, &v);
	strbuf_deinit(&scratch);
}

char *top_row_name(const struct naming *naming, const struct row_view *row, bool raw_ip)
{
	struct strbuf name = STRBUF_INIT;
	char *text;

	for (unsigned int i = 0; i < row->table->nr_by; i++) {
		if (i)
			strbuf_addch(&name, ' ');
		add_key(&name, naming, row->table->by[i], row->key[i], raw_ip);
	}
	strbuf_addch(&name, '\0'); /* on the heap, even if empty */
	text = name.failed ? NULL : strbuf_detach(&name);
	strbuf_deinit(&name);
	return text;
}
