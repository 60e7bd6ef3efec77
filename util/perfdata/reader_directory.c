// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/perfdata/reader_internal.h"

struct numbers {
	unsigned int *v;
	size_t nr, cap;
};

static int by_number(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return x < y ? -1 : x > y;
}

static int add(struct numbers *n, unsigned int number)
{
	if (n->nr == n->cap) {
		size_t cap = n->cap ? n->cap * 2 : 64;
		unsigned int *v = reallocarray(n->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		n->v = v;
		n->cap = cap;
	}
	n->v[n->nr++] = number;
	return 0;
}

/* The N of each data.N, ascending; one that is missing is no reason to stop. */
static int list(const char *path, struct numbers *n)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int ret = 0;

	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir))) {
		unsigned int number;
		char rest;

		if (strlen(entry->d_name) < sizeof("data.4294967295") &&
		    sscanf(entry->d_name, "data.%9u%c", &number, &rest) == 1)
			ret = add(n, number);
	}
	closedir(dir);
	if (n->nr)
		qsort(n->v, n->nr, sizeof(*n->v), by_number);
	return ret;
}

/* What cannot be told counts as nothing: this is for the progress only. */
uint64_t reader_directory_bytes(const char *path)
{
	struct numbers n = {0};
	uint64_t bytes = 0;

	if (list(path, &n))
		n.nr = 0;
	for (size_t i = 0; i < n.nr; i++) {
		_cleanup_free_ char *part = NULL;
		struct stat st;

		if (asprintf(&part, "%s/data.%u", path, n.v[i]) < 0)
			part = NULL;
		else if (!stat(part, &st) && S_ISREG(st.st_mode))
			bytes += (uint64_t)st.st_size;
	}
	free(n.v);
	return bytes;
}

/* Records without a header of their own, one zstd stream. A file that cannot be read is damage. */
static int read_part(struct reader *r, unsigned int number, struct error *err)
{
	struct recording *recording = r->recording;
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	struct span *sp = NULL;
	struct stat st;
	int ret;

	if (asprintf(&path, "%s/data.%u", recording->facts.path, number) < 0) {
		path = NULL;
		return error_nomem(err);
	}
	snprintf(recording->part, sizeof(recording->part), "data.%u", number);
	recording->part_start = r->input.next_start;
	ret = reader_open_path(path, &r->options, &st, &fd, NULL);
	if (!ret && !S_ISREG(st.st_mode))
		ret = -EINVAL;
	if (!ret && !st.st_size)
		return 0;
	if (!ret)
		ret = spans_add_map(&r->input, fd, (uint64_t)st.st_size, &sp);
	if (ret == -ENOMEM)
		return error_nomem(err);
	if (ret) {
		recording_damage(recording, recording->part_start, "%s",
				 ret == -EINVAL ? "this is not a regular file" : strerror(-ret));
		recording->facts.damage.nr_skipped_records++;
		return 0;
	}
	ret = reader_take_span(r, sp, 0, sp->len);
	reader_unpack_end(r);
	return ret;
}

int reader_read_directory(struct reader *r, struct error *err)
{
	struct numbers n = {0};
	int ret = list(r->recording->facts.path, &n);

	for (size_t i = 0; !ret && i < n.nr; i++)
		ret = read_part(r, n.v[i], err);
	free(n.v);
	r->recording->part[0] = '\0';
	r->recording->part_start = 0;
	return ret;
}
