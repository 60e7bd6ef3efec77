// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/host/slab_counts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/host/cpulist.h"

#define ONLINE_NODES "/sys/devices/system/node/online"

/* The kernel's constants: see the header. */
#define SHEAVES_OF_CPU	3
#define SHEAVES_OF_NODE 10
#define SLABS_COUNTED	10000

#define KMALLOC_COPY "kmalloc-rnd-"

void slab_counts_deinit(struct slab_counts *c)
{
	for (size_t i = 0; i < c->nr; i++)
		free(c->v[i].name);
	free(c->v);
	*c = (struct slab_counts){0};
}

/* ---- the list -------------------------------------------------------------------------------- */

static int by_name(const void *x, const void *y)
{
	return strcmp(((const struct slab_count *)x)->name, ((const struct slab_count *)y)->name);
}

/* Find a name among the first nr caches, which are sorted. */
static struct slab_count *find(const struct slab_counts *c, size_t nr, const char *name)
{
	const struct slab_count key = {.name = (char *)name};

	return nr ? bsearch(&key, c->v, nr, sizeof(*c->v), by_name) : NULL;
}

struct slab_count *slab_counts_add(struct slab_counts *c, const char *name)
{
	char *copy = strdup(name);

	if (copy && c->nr == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 256;
		struct slab_count *v = reallocarray(c->v, cap, sizeof(*v));

		if (v) {
			c->v = v;
			c->cap = cap;
		}
	}
	if (!copy || c->nr == c->cap) {
		free(copy);
		return NULL;
	}
	c->v[c->nr] = (struct slab_count){.name = copy};
	return &c->v[c->nr++];
}

void slab_counts_restart(struct slab_counts *c)
{
	c->time_ns[SLAB_START] = c->time_ns[SLAB_LATEST];
	for (size_t i = 0; i < c->nr; i++) {
		c->v[i].used[SLAB_START] = c->v[i].used[SLAB_LATEST];
		c->v[i].objects[SLAB_START] = c->v[i].objects[SLAB_LATEST];
	}
	c->nr_readings = c->nr_readings ? 1 : 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The machine, and where its caches are described. */
struct reading {
	struct slab_counts *counts;
	size_t nr_sorted;
	int caches; /* descriptor of the directory, or -1 */
	uint64_t cpus, nodes;
};

static uint64_t count_nodes(void)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	_cleanup_(cpulist_deinit) struct cpulist nodes = CPULIST_INIT;

	if (strbuf_read_file(&text, ONLINE_NODES) || cpulist_parse(&nodes, text.buf, NULL))
		return 1;
	return nodes.nr ? nodes.nr : 1;
}

/* Returns a number in the cache's directory, or `missing`. */
static uint64_t attribute(const struct reading *r, const char *cache, const char *name,
			  uint64_t missing)
{
	char path[PATH_MAX], digits[24];
	ssize_t len = -1;
	int fd;

	if (r->caches < 0 ||
	    snprintf(path, sizeof(path), "%s/%s", cache, name) >= (int)sizeof(path))
		return missing;
	fd = openat(r->caches, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		len = read(fd, digits, sizeof(digits) - 1);
		close(fd);
	}
	if (len <= 0)
		return missing;
	digits[len] = '\0';
	return strtoull(digits, NULL, 10);
}

/* The default: set_cpu_partial() of mm/slub.c. */
static uint64_t usual_cpu_partial(uint64_t object_bytes)
{
	return object_bytes >= 4096   ? 6
	       : object_bytes >= 1024 ? 24
	       : object_bytes >= 256  ? 52
				      : 120;
}

static uint64_t find_hidden(const struct reading *r, const struct slabinfo_cache *line)
{
	uint64_t per_slab = line->per_slab ? line->per_slab : 1, partial, sheaf;

	if (line->limit)
		return r->cpus * line->limit + r->nodes * line->shared * line->batch;
	partial = attribute(r, line->name, "cpu_partial",
			    r->caches < 0 ? usual_cpu_partial(line->object_bytes) : 0);
	sheaf = attribute(r, line->name, "sheaf_capacity", 0);
	return r->cpus * per_slab * (1 + (2 * partial + per_slab - 1) / per_slab) +
	       sheaf * (SHEAVES_OF_CPU * r->cpus + SHEAVES_OF_NODE * r->nodes);
}

static int take_line(struct reading *r, const struct slabinfo_cache *line)
{
	char copied[SLABINFO_NAME_MAX + 8];
	const char *name = line->name;
	struct slab_count *cache;
	uint64_t unused;

	if (!strncmp(name, KMALLOC_COPY, strlen(KMALLOC_COPY)) && strrchr(name, '-')) {
		snprintf(copied, sizeof(copied), "kmalloc%s", strrchr(name, '-'));
		name = copied;
	}
	cache = find(r->counts, r->nr_sorted, name);
	for (size_t i = r->nr_sorted; !cache && i < r->counts->nr; i++)
		if (!strcmp(r->counts->v[i].name, name))
			cache = &r->counts->v[i];
	if (!cache)
		cache = slab_counts_add(r->counts, name);
	if (!cache)
		return -ENOMEM;
	cache->object_bytes = line->object_bytes;
	cache->per_slab = line->per_slab;
	cache->used[SLAB_LATEST] += line->active;
	cache->objects[SLAB_LATEST] += line->objects;
	/* most caches are empty: do not look at their attributes before they are not */
	if (line->objects && !cache->hidden)
		cache->hidden = find_hidden(r, line);
	unused = line->objects > line->active ? line->objects - line->active : 0;
	if (unused > SLABS_COUNTED + cache->hidden)
		cache->hidden = unused - SLABS_COUNTED;
	return 0;
}

static int take_text(struct reading *r, char *text)
{
	struct slabinfo_cache line;
	int ret = 0;

	while (!ret && *text) {
		size_t len = strcspn(text, "\n");
		char *next = text + len + (text[len] == '\n');

		text[len] = '\0';
		if (*text != '#' && slabinfo_parse(text, len, &line))
			ret = take_line(r, &line);
		text = next;
	}
	return ret;
}

int slab_counts_read(struct slab_counts *c, const char *slabinfo, const char *caches,
		     uint64_t time_ns)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	struct reading r = {.counts = c, .nr_sorted = c->nr};
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int ret;

	if (strbuf_read_file(&text, slabinfo))
		return 0;
	r.cpus = cpus > 0 ? (uint64_t)cpus : 1;
	r.nodes = count_nodes();
	r.caches = open(caches, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < c->nr; i++)
		c->v[i].used[SLAB_LATEST] = c->v[i].objects[SLAB_LATEST] = 0;
	ret = take_text(&r, text.buf);
	if (r.caches >= 0)
		close(r.caches);
	if (ret)
		return ret;
	c->time_ns[SLAB_LATEST] = time_ns;
	if (!c->nr_readings++)
		slab_counts_restart(c);
	if (c->nr != r.nr_sorted)
		qsort(c->v, c->nr, sizeof(*c->v), by_name);
	return 0;
}

/* ---- growth ---------------------------------------------------------------------------------- */

static bool is_kmalloc(const char *name)
{
	return !strncmp(name, "kmalloc-", strlen("kmalloc-"));
}

/*
 * Objects in the buckets of this size ("-256"). Buckets are caches of all sizes, up to 8k, which
 * recognises them.
 */
static uint64_t in_buckets(const struct slab_counts *c, const char *size)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < c->nr; i++) {
		const char *name = c->v[i].name, *end = strrchr(name, '-');
		char largest[SLABINFO_NAME_MAX + 8];

		if (!end || strcmp(end, size) != 0 || strstr(name, "kmalloc"))
			continue;
		snprintf(largest, sizeof(largest), "%.*s-8k", (int)(end - name), name);
		if (find(c, c->nr, largest))
			nr += c->v[i].used[SLAB_LATEST];
	}
	return nr;
}

bool slab_counts_growth(const struct slab_counts *c, const char *name, struct slab_growth *ret)
{
	const struct slab_count *cache = c->nr_readings > 1 ? find(c, c->nr, name) : NULL;

	if (!cache)
		return false;
	*ret = (struct slab_growth){
		.used = cache->used[SLAB_LATEST],
		.before = cache->used[SLAB_START],
		.objects = (int64_t)(cache->used[SLAB_LATEST] - cache->used[SLAB_START]),
		.uncertainty = cache->hidden,
		.elsewhere = is_kmalloc(name) ? in_buckets(c, strrchr(name, '-')) : 0,
	};
	return true;
}

struct slab_totals slab_counts_totals(const struct slab_counts *c)
{
	const unsigned int latest = c->nr_readings > 1 ? SLAB_LATEST : SLAB_START;
	struct slab_totals t = {.used = 0};

	for (size_t i = 0; c->nr_readings && i < c->nr; i++) {
		const struct slab_count *cache = &c->v[i];

		t.used += cache->used[latest];
		t.objects += cache->objects[latest];
		t.used_bytes += cache->used[latest] * cache->object_bytes;
		t.bytes += cache->objects[latest] * cache->object_bytes;
	}
	return t;
}

/* ---- a line ---------------------------------------------------------------------------------- */

/* A name may contain blanks: the figures are the five words before the first " : tunables ". */
bool slabinfo_parse(char *text, size_t len, struct slabinfo_cache *ret)
{
	static const char tunables[] = " : tunables ", slabdata[] = " : slabdata ";
	char *figures = strstr(text, tunables), *slabs = figures ? strstr(figures, slabdata) : NULL;
	uint64_t active_slabs;
	int words = 0;

	if (!slabs || strlen(text) != len)
		return false;
	*figures = '\0';
	/* sscanf() also accepts signs */
	if (strchr(figures + 1, '-') || sscanf(slabs + strlen(slabdata), "%" SCNu64 " %" SCNu64,
					       &active_slabs, &ret->slabs) != 2)
		return false;
	ret->limit = ret->batch = ret->shared = 0;
	sscanf(figures + strlen(tunables), "%" SCNu64 " %" SCNu64 " %" SCNu64, &ret->limit,
	       &ret->batch, &ret->shared);
	/* five words back */
	while (figures > text && words < 5) {
		while (figures > text && figures[-1] == ' ')
			figures--;
		while (figures > text && figures[-1] != ' ')
			figures--;
		words++;
	}
	if (figures == text || words < 5 || strchr(figures, '-') ||
	    sscanf(figures, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &ret->active, &ret->objects, &ret->object_bytes, &ret->per_slab,
		   &ret->slab_pages) != 5)
		return false;
	while (figures > text && figures[-1] == ' ')
		figures--;
	len = (size_t)(figures - text);
	if (!len || len > SLABINFO_NAME_MAX)
		return false;
	memcpy(ret->name, text, len);
	ret->name[len] = '\0';
	return true;
}
