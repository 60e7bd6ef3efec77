// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/event/cache_aliases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/label.h"

struct alias_row {
	uint64_t name;
	uint64_t group; /* offset + 1 in the text of the groups; 0: none yet */
};

static int add_group(struct cache_aliases *c, struct intern *strings, const char *group)
{
	const char *end = group + strcspn(group, "\n");

	for (const char *p = group; p < end;) {
		size_t len = strcspn(p, "/\n");
		uint64_t name = label_intern(strings, p, len, false);
		struct alias_row *row = name == INTERN_NONE ? NULL : table_insert(&c->rows, &name);

		if (!row)
			return -ENOMEM;
		if (!row->group)
			row->group = (uint64_t)(group - c->groups) + 1;
		p += len + (p + len < end);
	}
	return 0;
}

int cache_aliases_init(struct cache_aliases *c, struct intern *strings, const char *groups)
{
	int ret = 0;

	*c = (struct cache_aliases){.groups = strdup(groups ? groups : "")};
	table_init(&c->rows, sizeof(struct alias_row), sizeof(uint64_t));
	if (!c->groups)
		return -ENOMEM;
	for (const char *p = c->groups; !ret && *p; p += strcspn(p, "\n"), p += *p == '\n')
		ret = add_group(c, strings, p);
	return ret;
}

void cache_aliases_deinit(struct cache_aliases *c)
{
	free(c->groups);
	table_deinit(&c->rows);
	*c = (struct cache_aliases){0};
}

bool cache_aliases_next(const struct cache_aliases *c, const struct intern *strings, uint64_t cache,
			const char **at, struct strbuf *sb)
{
	const struct alias_row *row = c->rows.nr ? table_find(&c->rows, &cache) : NULL;
	const char *own, *p = *at;
	size_t own_len;

	if (!row)
		return false;
	own = intern_get(strings, (uint32_t)cache, &own_len);
	if (!p)
		p = c->groups + row->group - 1;
	while (*p && *p != '\n') {
		size_t len = strcspn(p, "/\n");
		const char *name = p;

		p += len + (p[len] == '/');
		if (!len || (len == own_len && !memcmp(name, own, len)))
			continue;
		strbuf_reset(sb);
		strbuf_add(sb, name, len);
		*at = p;
		return true;
	}
	return false;
}
