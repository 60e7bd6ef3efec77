// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/machine/cgroups.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/base/label.h"

struct cgroup_row {
	uint64_t id;
	uint32_t names[CGROUP_PARTS];
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

static bool set_names(struct cgroups *c, const char *path, uint32_t names[CGROUP_PARTS])
{
	char name[CGROUP_PART_MAX];

	names[CGROUP_PATH] = label_intern(c->strings, path, strnlen(path, PATH_MAX), false);
	for (int i = CGROUP_PATH + 1; i < CGROUP_PARTS; i++) {
		size_t len = cgroup_part_name(path, i, name);

		names[i] = len ? label_intern(c->strings, name, len, false)
			       : intern_add_str(c->strings, LABEL_NONE);
	}
	for (int i = 0; i < CGROUP_PARTS; i++)
		if (names[i] == INTERN_NONE)
			return false;
	return true;
}

int cgroups_set_path(struct cgroups *c, uint64_t id, const char *path)
{
	uint32_t names[CGROUP_PARTS];
	struct cgroup_row *row = set_names(c, path, names) ? table_insert(&c->rows, &id) : NULL;

	c->last = NULL;
	if (!row)
		return -ENOMEM;
	memcpy(row->names, names, sizeof(names));
	return 0;
}

static uint32_t name_of_nameless(struct cgroups *c, uint64_t id, enum cgroup_part part)
{
	char number[24];

	if (!id || part != CGROUP_PATH)
		return intern_add_str(c->strings, label_unknown);
	snprintf(number, sizeof(number), "%" PRIu64, id);
	return intern_add_str(c->strings, number);
}

uint32_t cgroups_name(struct cgroups *c, uint64_t id, enum cgroup_part part)
{
	const struct cgroup_row *row = c->last;

	if (!row || row->id != id)
		row = table_find(&c->rows, &id);
	if (!row)
		return name_of_nameless(c, id, part);
	c->last = row;
	return row->names[part];
}
