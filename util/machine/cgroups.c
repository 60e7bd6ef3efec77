// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/machine/cgroups.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "util/base/label.h"

struct cgroup_row {
	uint64_t id;
	uint32_t path;
};

void cgroups_init(struct cgroups *c, struct intern *strings)
{
	*c = (struct cgroups){.strings = strings};
	table_init(&c->rows, sizeof(struct cgroup_row), sizeof(uint64_t));
}

void cgroups_deinit(struct cgroups *c)
{
	table_deinit(&c->rows);
}

int cgroups_set_path(struct cgroups *c, uint64_t id, const char *path)
{
	uint32_t number = label_intern(c->strings, path, strnlen(path, PATH_MAX), false);
	struct cgroup_row *row = number == INTERN_NONE ? NULL : table_insert(&c->rows, &id);

	if (!row)
		return -ENOMEM;
	row->path = number;
	c->last_id = 0;
	return 0;
}

static uint32_t find_path(struct cgroups *c, uint64_t id)
{
	const struct cgroup_row *row = table_find(&c->rows, &id);
	char number[24];

	if (row)
		return row->path;
	if (!id)
		return intern_add_str(c->strings, label_unknown);
	snprintf(number, sizeof(number), "%" PRIu64, id);
	return intern_add_str(c->strings, number);
}

uint32_t cgroups_path(struct cgroups *c, uint64_t id)
{
	uint32_t path;

	if (id && id == c->last_id)
		return c->last_path;
	path = find_path(c, id);
	if (path != INTERN_NONE) {
		c->last_id = id;
		c->last_path = path;
	}
	return path;
}
