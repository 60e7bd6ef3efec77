// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/top/grouping.h"

#include <stdio.h>
#include <string.h>

/* In the order of the keys 1 to 9. A process is shown with its command. */
static const struct usual {
	const char *name;
	enum allocator allocators;
	enum kmem_key by[2];
	unsigned int nr_by;
} usual[] = {
	/* clang-format off */
	{"callsite", ALLOCATOR_ALL, {KEY_CALLSITE}, 1},
	{"cache", ALLOCATOR_SLAB, {KEY_CACHE}, 1},
	{"order", ALLOCATOR_PAGE, {KEY_ORDER}, 1},
	{"purpose", ALLOCATOR_VMALLOC, {KEY_USE}, 1},
	{"comm", ALLOCATOR_ALL, {KEY_COMM}, 1},
	{"pid", ALLOCATOR_ALL, {KEY_PID, KEY_COMM}, 2},
	{"cgroup", ALLOCATOR_ALL, {KEY_CGROUP}, 1},
	{"stack", ALLOCATOR_ALL, {KEY_STACK}, 1},
	{"ustack", ALLOCATOR_ALL, {KEY_USTACK}, 1},
	/* clang-format on */
};

/* Returns false if the table would have too many keys. */
static bool add_keys(struct table_spec *t, const enum kmem_key *by, unsigned int nr_by)
{
	struct table_spec to = *t;

	for (unsigned int i = 0; i < nr_by; i++) {
		if (table_spec_has(&to, by[i]))
			continue;
		if (to.nr_by == STAT_BY_MAX)
			return false;
		to.by[to.nr_by++] = by[i];
	}
	*t = to;
	return true;
}

static void add(struct top_groupings *g, const char *name, const enum kmem_key *by,
		unsigned int nr_by)
{
	struct top_grouping *to = &g->v[g->nr];

	if (g->nr == TOP_GROUPINGS_MAX || !add_keys(&g->table, by, nr_by))
		return;
	snprintf(to->name, sizeof(to->name), "%s", name);
	memcpy(to->by, by, nr_by * sizeof(*by));
	to->nr_by = nr_by;
	g->names[g->nr++] = to->name;
}

/* A single key stands for the standard grouping of that name. KEY_NR: it is not a standard one. */
static bool is_usual(const struct usual *u, enum allocator allocator, const enum kmem_key *by,
		     unsigned int nr_by)
{
	return u->allocators & allocator && nr_by == 1 && by[0] == u->by[0];
}

static bool has_keys(const struct usual *u, key_mask_t keys)
{
	for (unsigned int i = 0; i < u->nr_by; i++)
		if (!(keys >> u->by[i] & 1))
			return false;
	return true;
}

void top_groupings_init(struct top_groupings *g, enum allocator allocator, const enum kmem_key *by,
			unsigned int nr_by, key_mask_t keys)
{
	bool known = !nr_by;
	char name[64];
	size_t len = 0;

	*g = (struct top_groupings){.table.recent = true};
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		known |= is_usual(&usual[i], allocator, by, nr_by);
	for (unsigned int i = 0; i < nr_by && len < sizeof(name); i++)
		len += (size_t)snprintf(name + len, sizeof(name) - len, "%s%s", i ? "," : "",
					kmem_key_name(by[i]));
	if (!known)
		add(g, name, by, nr_by);
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
		const struct usual *u = &usual[i];
		bool asked = is_usual(u, allocator, by, nr_by);

		if (!(u->allocators & allocator) || (!has_keys(u, keys) && !asked))
			continue;
		if (asked)
			g->first = g->nr;
		add(g, u->name, u->by, u->nr_by);
	}
}
