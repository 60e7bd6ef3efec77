// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bpf/caches.h"

#include <stdlib.h>
#include <string.h>

struct row {
	uint64_t address;
	struct bpf_cache *cache; /* its name follows; NULL if unknown */
};

void bpf_caches_init(struct bpf_caches *c)
{
	table_init(&c->known, sizeof(struct row), sizeof(uint64_t));
}

void bpf_caches_deinit(struct bpf_caches *c)
{
	uint64_t at = 0;
	struct row *row;

	while ((row = table_next(&c->known, &at)))
		free(row->cache);
	table_deinit(&c->known);
}

/* A stale address may point to anything. */
static bool is_name(const char *name)
{
	size_t len = name ? strnlen(name, BPF_CACHE_NAME_MAX) : 0;

	if (!len || len == BPF_CACHE_NAME_MAX)
		return false;
	for (size_t i = 0; i < len; i++)
		if (name[i] < ' ' || name[i] > '~')
			return false;
	return true;
}

static struct bpf_cache *copy(const struct bpf_cache *from)
{
	size_t size = strlen(from->name) + 1;
	struct bpf_cache *c = malloc(sizeof(*c) + size);

	if (!c)
		return NULL;
	*c = *from;
	c->name = memcpy(c + 1, from->name, size);
	return c;
}

const struct bpf_cache *bpf_caches_find(struct bpf_caches *c, uint64_t address,
					bpf_cache_read_fn read, void *ctx)
{
	struct row *row = table_find(&c->known, &address);
	struct bpf_cache found = {0};

	if (row)
		return row->cache;
	row = table_insert(&c->known, &address);
	if (row && address && read(ctx, address, &found) && is_name(found.name))
		row->cache = copy(&found);
	return row ? row->cache : NULL;
}
