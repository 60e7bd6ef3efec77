// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/where/growth.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"

/* The path of a line, or its labels. */
static char *path_of(const struct balance *b, const struct balance_line *l, bool labels)
{
	struct strbuf sb = STRBUF_INIT;

	balance_add_path(b, l, labels, labels ? " > " : "/", &sb);
	if (!sb.failed)
		return strbuf_detach(&sb);
	strbuf_deinit(&sb);
	return NULL;
}

/* Whether a line above it is a leaf in the other balance, whose row has its bytes, too. */
static bool is_below_leaf(const struct balance *b, const struct balance_line *l,
			  const struct balance *other)
{
	while (l->depth > 1) {
		const struct balance_line *same;
		char *path;

		l = &b->v[l->parent];
		path = path_of(b, l, false);
		same = path ? balance_find(other, path) : NULL;
		free(path);
		if (same && same->is_leaf)
			return true;
	}
	return false;
}

static void add(struct growth *g, const struct balance *b, const struct balance_line *l,
		const struct balance *other, bool is_new)
{
	struct growth_row *r = &g->v[g->nr];
	const struct balance_line *same;

	*r = (struct growth_row){.path = path_of(b, l, false), .label = path_of(b, l, true)};
	g->nr++;
	if (!r->path || !r->label) {
		g->failed = true;
		return;
	}
	same = balance_find(other, r->path);
	/* the new balance's lines come first */
	if ((!l->is_leaf && !(same && same->is_leaf)) || (!is_new && same) ||
	    is_below_leaf(b, l, other)) {
		free(r->path);
		free(r->label);
		g->nr--;
		return;
	}
	r->line = l;
	r->old = !is_new ? l->bytes : same ? same->bytes : 0;
	r->new = is_new ? l->bytes : 0;
	r->change = balance_sum(r->new, -r->old);
}

static int by_change(const void *x, const void *y)
{
	const struct growth_row *a = x, *b = y;

	if (a->change != b->change)
		return a->change > b->change ? -1 : 1;
	return strcmp(a->path, b->path);
}

void growth_init(struct growth *g, const struct balance *old, const struct balance *new,
		 double hours)
{
	*g = (struct growth){.v = calloc(old->nr + new->nr, sizeof(*g->v)), .hours = hours};
	g->failed = !g->v;
	for (size_t i = 1; !g->failed && i < new->nr; i++)
		add(g, new, &new->v[i], old, true);
	for (size_t i = 1; !g->failed && i < old->nr; i++)
		add(g, old, &old->v[i], new, false);
	if (!g->failed)
		qsort(g->v, g->nr, sizeof(*g->v), by_change);
}

void growth_deinit(struct growth *g)
{
	for (size_t i = 0; i < g->nr; i++) {
		free(g->v[i].path);
		free(g->v[i].label);
	}
	free(g->v);
}
