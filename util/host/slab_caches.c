// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/host/slab_caches.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/cleanup.h"

/* Each family has a cache of one of these sizes, in every configuration of the kernel. */
static const char *const sizes[] = {"-64", "-128"};
static const char *const families[] = {"kmalloc", "dma-kmalloc", "kmalloc-rcl", "kmalloc-cg"};

#define NR_FAMILIES (sizeof(families) / sizeof(families[0]))

struct cache_name {
	char *name;
	char *target; /* links: the directory of the group; NULL: a directory */
	bool reclaimable;
};

struct cache_names {
	struct cache_name *v;
	size_t nr, cap;
	size_t nr_reclaimable_known; /* number of caches whose reclaim_account could be read */
};

static void cache_names_deinit(struct cache_names *c)
{
	for (size_t i = 0; i < c->nr; i++) {
		free(c->v[i].name);
		free(c->v[i].target);
	}
	free(c->v);
}

/* target: NULL if it is not a link. */
static int add_name(struct cache_names *c, const char *name, size_t len, const char *target)
{
	struct cache_name n = {strndup(name, len), target ? strdup(target) : NULL, false};

	if (n.name && (n.target || !target) && c->nr == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 256;
		struct cache_name *v = reallocarray(c->v, cap, sizeof(*v));

		if (v) {
			c->v = v;
			c->cap = cap;
		}
	}
	if (!n.name || (target && !n.target) || c->nr == c->cap) {
		free(n.name);
		free(n.target);
		return -ENOMEM;
	}
	c->v[c->nr++] = n;
	return 0;
}

/* Only root may read reclaim_account. */
static void read_reclaimable(struct cache_names *c, int dir)
{
	struct cache_name *n = &c->v[c->nr - 1];
	char path[PATH_MAX], digit;
	int fd;

	if (snprintf(path, sizeof(path), "%s/reclaim_account", n->name) >= (int)sizeof(path))
		return;
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (read(fd, &digit, 1) == 1) {
		n->reclaimable = digit == '1';
		c->nr_reclaimable_known++;
	}
	close(fd);
}

static int read_dir(struct cache_names *c, DIR *dir)
{
	const struct dirent *e;
	int ret = 0;

	while (!ret && (e = readdir(dir))) {
		char target[PATH_MAX];
		ssize_t len;

		/* ":A-0001152" is a group, not a name */
		if (e->d_name[0] == '.' || e->d_name[0] == ':' || strpbrk(e->d_name, "\n\r"))
			continue;
		len = readlinkat(dirfd(dir), e->d_name, target, sizeof(target) - 1);
		target[len > 0 ? len : 0] = '\0';
		ret = add_name(c, e->d_name, strlen(e->d_name), len > 0 ? target : NULL);
		if (!ret)
			read_reclaimable(c, dirfd(dir));
	}
	return ret;
}

/* Lines of /proc/slabinfo start with a name; the first two are headings. */
static int read_slabinfo(struct cache_names *c, const char *text)
{
	int ret = 0;

	for (; !ret && *text; text += strcspn(text, "\n"), text += *text == '\n')
		if (*text != '#' && strncmp(text, "slabinfo ", 9) != 0)
			ret = add_name(c, text, strcspn(text, " \n"), NULL);
	return ret;
}

static bool has_cache(const struct cache_names *c, const char *family)
{
	size_t len = strlen(family);

	for (size_t i = 0; i < c->nr; i++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
			if (!strncmp(c->v[i].name, family, len) &&
			    !strcmp(c->v[i].name + len, sizes[s]))
				return true;
	return false;
}

static void add_families(struct strbuf *sb, const struct cache_names *c)
{
	for (size_t i = 0; i < NR_FAMILIES; i++)
		if (has_cache(c, families[i]))
			strbuf_addf(sb, "%s%s", sb->len ? " " : "", families[i]);
}

/* Names of one group become neighbours, sorted by name. */
static int by_group(const void *x, const void *y)
{
	const struct cache_name *a = x, *b = y;
	int ret;

	if (!a->target || !b->target)
		return (a->target != NULL) - (b->target != NULL);
	ret = strcmp(a->target, b->target);
	return ret ? ret : strcmp(a->name, b->name);
}

static void add_aliases(struct strbuf *sb, struct cache_names *c)
{
	size_t i = 0, end;

	qsort(c->v, c->nr, sizeof(*c->v), by_group);
	for (; i < c->nr; i = end) {
		for (end = i + 1; end < c->nr && c->v[i].target && c->v[end].target &&
				  !strcmp(c->v[i].target, c->v[end].target);)
			end++;
		if (end - i < 2)
			continue;
		for (size_t k = i; k < end; k++)
			strbuf_addf(sb, "%s%s", k > i ? "/" : "", c->v[k].name);
		strbuf_addch(sb, '\n');
	}
}

/* Sort by name: the order of the directory is arbitrary. */
static int by_name(const void *x, const void *y)
{
	const struct cache_name *a = x, *b = y;

	return strcmp(a->name, b->name);
}

static void add_reclaimable(struct strbuf *sb, struct cache_names *c)
{
	qsort(c->v, c->nr, sizeof(*c->v), by_name);
	for (size_t i = 0; i < c->nr; i++)
		if (c->v[i].reclaimable && !strchr(c->v[i].name, '/'))
			strbuf_addf(sb, "%s%s", sb->len ? "/" : "", c->v[i].name);
}

int slab_caches_init(struct slab_caches *c, const char *dir_path, const char *slabinfo)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	_cleanup_(cache_names_deinit) struct cache_names names = {NULL};
	DIR *dir = opendir(dir_path);
	int ret = 0;

	*c = (struct slab_caches){
		.families = STRBUF_INIT, .aliases = STRBUF_INIT, .reclaimable = STRBUF_INIT};
	if (dir) {
		ret = read_dir(&names, dir);
		closedir(dir);
	} else if (!strbuf_read_file(&text, slabinfo)) {
		ret = read_slabinfo(&names, text.buf);
	}
	c->known = !ret && names.nr;
	if (c->known) {
		add_families(&c->families, &names);
		add_aliases(&c->aliases, &names);
		c->reclaimable_known = names.nr_reclaimable_known > 0;
		add_reclaimable(&c->reclaimable, &names);
		ret = c->families.failed || c->aliases.failed || c->reclaimable.failed ? -ENOMEM
										       : 0;
	}
	if (ret)
		slab_caches_deinit(c);
	return ret;
}

void slab_caches_deinit(struct slab_caches *c)
{
	strbuf_deinit(&c->families);
	strbuf_deinit(&c->aliases);
	strbuf_deinit(&c->reclaimable);
}
