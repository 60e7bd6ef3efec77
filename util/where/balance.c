// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/where/balance.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/array.h"
#include "util/base/strbuf.h"

int64_t balance_sum(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

static void free_strings(struct balance_line *l)
{
	free(l->id);
	free(l->label);
	free(l->who);
}

static char *copy(struct balance *b, const char *text)
{
	char *copied = text ? strdup(text) : NULL;

	b->failed |= text && !copied;
	return copied;
}

uint32_t balance_add_new(struct balance *b, uint32_t parent, const char *id, const char *label,
			 int64_t bytes)
{
	struct balance_line *v;

	if (parent == BALANCE_NONE || b->nr >= BALANCE_LINES_MAX)
		return BALANCE_NONE;
	v = array_room(b->v, b->nr, &b->cap, sizeof(*v));
	if (!v) {
		b->failed = true;
		return BALANCE_NONE;
	}
	b->v = v;
	v[b->nr] = (struct balance_line){
		.id = copy(b, id),
		.label = copy(b, label),
		.parent = parent,
		.depth = b->nr ? (uint8_t)(v[parent].depth + 1) : 0,
		.bytes = bytes,
	};
	if (b->failed) {
		free_strings(&v[b->nr]);
		return BALANCE_NONE;
	}
	return (uint32_t)b->nr++;
}

uint32_t balance_add(struct balance *b, uint32_t parent, const char *id, const char *label,
		     int64_t bytes)
{
	if (parent == BALANCE_NONE)
		return BALANCE_NONE;
	for (uint32_t i = 1; i < b->nr; i++)
		if (b->v[i].parent == parent && !strcmp(b->v[i].id, id)) {
			b->v[i].bytes = balance_sum(b->v[i].bytes, bytes);
			return i;
		}
	return balance_add_new(b, parent, id, label, bytes);
}

void balance_init(struct balance *b, int64_t total)
{
	*b = (struct balance){.v = NULL};
	balance_add_new(b, BALANCE_ROOT, "total", "total memory", total);
}

void balance_deinit(struct balance *b)
{
	for (size_t i = 0; i < b->nr; i++)
		free_strings(&b->v[i]);
	free(b->v);
}

void balance_set_rank(struct balance *b, uint32_t line, uint8_t rank)
{
	if (line < b->nr)
		b->v[line].rank = rank;
}

void balance_set_who(struct balance *b, uint32_t line, const char *who)
{
	if (line >= b->nr || !*who)
		return;
	free(b->v[line].who);
	b->v[line].who = copy(b, who);
}

uint32_t balance_add_rest(struct balance *b, uint32_t line, const char *id, const char *label)
{
	uint32_t rest, nr = 0;
	int64_t sum = 0;

	for (uint32_t i = 1; i < b->nr; i++)
		if (b->v[i].parent == line) {
			sum = balance_sum(sum, b->v[i].bytes);
			nr++;
		}
	if (!nr || sum == b->v[line].bytes)
		return BALANCE_NONE;
	rest = balance_add(b, line, id, label, balance_sum(b->v[line].bytes, -sum));
	if (rest == BALANCE_NONE)
		return BALANCE_NONE;
	b->v[rest].rank = UINT8_MAX;
	return rest;
}

/* ---- order ----------------------------------------------------------------------------------- */

struct sortable {
	const struct balance_line *line;
	uint32_t number;
};

/* Children of one parent become neighbours. */
static int in_order(const void *x, const void *y)
{
	const struct sortable *a = x, *b = y;
	const struct balance_line *l = a->line, *m = b->line;

	if (l->parent != m->parent)
		return l->parent < m->parent ? -1 : 1;
	if (l->rank != m->rank)
		return l->rank < m->rank ? -1 : 1;
	if (l->bytes != m->bytes)
		return l->bytes > m->bytes ? -1 : 1;
	return strcmp(l->id, m->id);
}

struct sorting {
	const struct sortable *sorted; /* without the root */
	size_t nr;
	const size_t *first; /* by number: index of its first child in `sorted` */
	struct balance_line *to;
	size_t nr_to;
};

/* The depth does not depend on input: the partition has three levels. */
static void copy_below(struct sorting *s, uint32_t number, uint32_t parent)
{
	for (size_t i = s->first[number]; i < s->nr && s->sorted[i].line->parent == number; i++) {
		uint32_t at = (uint32_t)s->nr_to++;

		s->to[at] = *s->sorted[i].line;
		s->to[at].parent = parent;
		copy_below(s, s->sorted[i].number, at);
		s->to[at].is_leaf = s->nr_to == at + 1;
	}
}

static int sort(struct balance *b)
{
	struct sortable *sorted = calloc(b->nr, sizeof(*sorted));
	size_t *first = calloc(b->nr, sizeof(*first));
	struct balance_line *to = calloc(b->nr, sizeof(*to));
	struct sorting s = {sorted, b->nr - 1, first, to, 1};

	if (!sorted || !first || !to) {
		free(to);
	} else {
		for (uint32_t i = 1; i < b->nr; i++)
			sorted[i - 1] = (struct sortable){&b->v[i], i};
		qsort(sorted, s.nr, sizeof(*sorted), in_order);
		for (size_t i = 0; i < b->nr; i++)
			first[i] = s.nr;
		for (size_t i = s.nr; i-- > 0;)
			first[sorted[i].line->parent] = i;
		to[0] = b->v[0];
		copy_below(&s, BALANCE_ROOT, BALANCE_ROOT);
		free(b->v);
		b->v = to;
		b->cap = b->nr;
		to = NULL;
	}
	free(sorted);
	free(first);
	return to ? -1 : 0;
}

void balance_finish(struct balance *b)
{
	if (b->failed || !b->nr || sort(b))
		b->failed = true;
}

/* ---- paths ----------------------------------------------------------------------------------- */

const struct balance_line *balance_find(const struct balance *b, const char *path)
{
	uint32_t parent = BALANCE_ROOT;

	/* an id may contain '/': the rest of the path is tried first */
	for (uint32_t i = 1; i < b->nr; i++) {
		const struct balance_line *l = &b->v[i];
		size_t len = strlen(l->id);

		if (l->parent != parent || strncmp(l->id, path, len) != 0)
			continue;
		if (!path[len])
			return l;
		if (path[len] != '/' || l->is_leaf)
			continue;
		parent = i;
		path += len + 1;
	}
	return NULL;
}

void balance_add_path(const struct balance *b, const struct balance_line *line, bool labels,
		      const char *separator, struct strbuf *sb)
{
	if (line->depth > 1) {
		balance_add_path(b, &b->v[line->parent], labels, separator, sb);
		strbuf_addstr(sb, separator);
	}
	strbuf_addstr(sb, labels && line->label ? line->label : line->id);
}
