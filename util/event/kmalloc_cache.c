// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/event/kmalloc_cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NORMAL, DMA, RECLAIMABLE, ACCOUNTED, OTHER };

_Static_assert(OTHER + 1 == KMALLOC_FAMILIES, "families are numbered without a gap");

static const char *const prefixes[] = {
	[NORMAL] = "kmalloc",	    [DMA] = "dma-kmalloc",  [RECLAIMABLE] = "kmalloc-rcl",
	[ACCOUNTED] = "kmalloc-cg", [OTHER] = "kmem_cache", /* an event from before 6.1 */
};

/* Whether the family is in "kmalloc dma-kmalloc ..." or, if that list is unknown, exists in this
 * version. */
static bool exists(const struct source_facts *r, int family, unsigned int major, unsigned int minor)
{
	size_t len = strlen(prefixes[family]);
	const char *p = r->kmalloc_caches;

	if (!p)
		return source_facts_kernel_at_least(r, major, minor);
	while (*p) {
		size_t n = strcspn(p, " ");

		if (n == len && !memcmp(p, prefixes[family], len))
			return true;
		p += n + (p[n] == ' ');
	}
	return false;
}

void kmalloc_caches_init(struct kmalloc_caches *k, const struct source_facts *recording,
			 const struct gfp_masks *masks, uint32_t page_size)
{
	*k = (struct kmalloc_caches){
		.cached_bytes_max = 2ull * page_size,
		.long_names = !source_facts_kernel_at_least(recording, 4, 20),
	};
	if (exists(recording, DMA, 0, 0))
		k->dma = masks->dma;
	if (exists(recording, RECLAIMABLE, 4, 20))
		k->reclaimable = masks->reclaimable;
	if (exists(recording, ACCOUNTED, 5, 14))
		k->account = masks->account;
}

unsigned int kmalloc_caches_family(const struct kmalloc_caches *k, const struct kmem_event *ev)
{
	if (!ev->is_kmalloc)
		return OTHER;
	if (ev->bytes_alloc > k->cached_bytes_max)
		return NORMAL;
	if (ev->gfp_flags & k->dma)
		return DMA;
	if (ev->gfp_flags & k->reclaimable)
		return RECLAIMABLE;
	return ev->gfp_flags & k->account ? ACCOUNTED : NORMAL;
}

const char *kmalloc_caches_name(const struct kmalloc_caches *k, unsigned int family,
				uint64_t bytes_alloc, char *buf, size_t size)
{
	const char *prefix = prefixes[family];

	if (!k->long_names && bytes_alloc >= 1024 && bytes_alloc % 1024 == 0)
		snprintf(buf, size, "%s-%" PRIu64 "k", prefix, bytes_alloc / 1024);
	else
		snprintf(buf, size, "%s-%" PRIu64, prefix, bytes_alloc);
	return buf;
}
