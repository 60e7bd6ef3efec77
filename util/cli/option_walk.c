// SPDX-License-Identifier: GPL-2.0-or-later
/* An option table with all that it includes. */
#include "util/cli/options.h"

void option_walk_init(struct option_walk *w, const struct option *table, void *into)
{
	*w = (struct option_walk){.depth = 1};
	w->level[0].at = table;
	w->level[0].into = into;
}

const struct option *option_walk_next(struct option_walk *w, void **ret_into)
{
	while (w->depth) {
		const struct option *opt = w->level[w->depth - 1].at;
		char *into = w->level[w->depth - 1].into;
		char *inner = into ? into + opt->offset : NULL;

		if (opt->type == OPTION_END) {
			w->depth--;
			continue;
		}
		if (opt->type == OPTION_EACH && opt->make(w->nr_made, &w->made)) {
			w->nr_made++;
			*ret_into = inner;
			return &w->made;
		}
		w->nr_made = 0;
		w->level[w->depth - 1].at++;
		if (opt->type == OPTION_INCLUDE && w->depth < OPTION_DEPTH_MAX) {
			w->level[w->depth].at = opt->table;
			w->level[w->depth].into = inner;
			w->depth++;
		} else if (opt->type != OPTION_INCLUDE && opt->type != OPTION_EACH) {
			*ret_into = into;
			return opt;
		}
	}
	return NULL;
}
