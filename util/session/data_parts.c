// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/session/data_parts.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/base/array.h"
#include "util/base/cleanup.h"

static int by_number(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return x < y ? -1 : x > y;
}

static int add_part(struct data_parts *p, unsigned int number)
{
	unsigned int *v = array_room(p->v, p->nr, &p->cap, sizeof(*v));

	if (!v)
		return -ENOMEM;
	p->v = v;
	p->v[p->nr++] = number;
	return 0;
}

int data_parts_list(const char *path, struct data_parts *p)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int ret = 0;

	*p = (struct data_parts){.v = NULL};
	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir))) {
		unsigned int number;
		char rest;

		if (strlen(entry->d_name) < sizeof("data.4294967295") &&
		    sscanf(entry->d_name, "data.%9u%c", &number, &rest) == 1)
			ret = add_part(p, number);
	}
	closedir(dir);
	if (p->nr)
		qsort(p->v, p->nr, sizeof(*p->v), by_number);
	return ret;
}

void data_parts_deinit(struct data_parts *p)
{
	free(p->v);
}

uint64_t data_parts_bytes(const char *path)
{
	struct data_parts p;
	uint64_t bytes = 0;

	if (data_parts_list(path, &p))
		p.nr = 0;
	for (size_t i = 0; i < p.nr; i++) {
		_cleanup_free_ char *part = NULL;
		struct stat st;

		if (asprintf(&part, "%s/data.%u", path, p.v[i]) < 0)
			part = NULL;
		else if (!stat(part, &st) && S_ISREG(st.st_mode))
			bytes += (uint64_t)st.st_size;
	}
	data_parts_deinit(&p);
	return bytes;
}
