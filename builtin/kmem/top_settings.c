// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/kmem/top_settings.h"

#include <stdio.h>
#include <string.h>

#include "util/cli/config_edit.h"

unsigned int top_settings_grouping(const struct kmem_top_settings *s, const struct top_groupings *g)
{
	for (unsigned int i = 0; s->by && i < g->nr; i++)
		if (!strcmp(g->names[i], s->by))
			return i;
	return g->first;
}

/* Whether the screen can sort by the column now. */
static bool is_shown(const struct top_view *v, unsigned int column)
{
	unsigned int shown[TOP_SHOWN], nr = top_view_columns(v, shown);

	for (unsigned int i = 0; i < nr; i++)
		if (shown[i] == column)
			return true;
	return false;
}

void top_settings_apply(const struct kmem_top_settings *s, struct top_view *v, bool has_sort)
{
	/* a column of the command line is one of rates or one of sums, as it says */
	if (!has_sort) {
		v->total |= s->total;
		if (s->sort) {
			const bool ascending = *s->sort == '-';
			const unsigned int column = top_column_find(s->sort + ascending);

			if (is_shown(v, column)) {
				v->order[v->total] = column;
				v->ascending = ascending;
			}
		}
	}
	if (s->filter)
		snprintf(v->filter, sizeof(v->filter), "%s", s->filter);
}

int top_settings_keep(const struct top_view *v, struct strbuf *ret_path, struct error *err)
{
	char sort[32];
	const struct config_setting settings[] = {
		{"kmem.top-sort", sort},
		{"kmem.top-by", v->groupings[v->request.account][v->request.grouping]},
		{"kmem.top-total", v->total ? "true" : "false"},
		{"kmem.top-filter", v->filter},
	};
	int ret = config_user_path(ret_path, err);

	if (ret)
		return ret;
	snprintf(sort, sizeof(sort), "%s%s", v->ascending ? "-" : "",
		 top_column_at(v->order[v->total])->name);
	return config_set_all(ret_path->buf, settings, sizeof(settings) / sizeof(settings[0]), err);
}
