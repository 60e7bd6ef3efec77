/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct kmalloc_caches: the name of the cache of a kmalloc, as in slabtop.
 *
 * The event does not name it. The gfp flags determine the family and the size its member, as in
 * kmalloc_type() of include/linux/slab.h: dma-kmalloc-N, kmalloc-rcl-N since 4.20, kmalloc-cg-N
 * since 5.14, kmalloc-N. The families depend on the kernel's configuration: they are taken from the
 * source's kmalloc_caches, or assumed from the kernel's version. An allocation of more than two
 * pages does not come from a cache, but is called kmalloc-N, too. The random copies
 * (kmalloc-rnd-NN-N, since 6.6) and separate buckets (memdup_user-N, msg_msg-N, since 6.11) cannot
 * be distinguished from kmalloc-N.
 */
#ifndef EVENT_KMALLOC_CACHE_H
#define EVENT_KMALLOC_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/event/gfp.h"
#include "util/event/kmem_event.h"
#include "util/source/facts.h"

/* Zeroed memory: kmalloc-N, in the newest kernels' spelling. */
struct kmalloc_caches {
	uint32_t dma, reclaimable, account; /* gfp flags; 0 if there is no such family */
	uint64_t cached_bytes_max;
	bool long_names; /* kmalloc-1024 instead of kmalloc-1k, before 4.20 */
};

void kmalloc_caches_init(struct kmalloc_caches *k, const struct source_facts *recording,
			 const struct gfp_masks *masks, uint32_t page_size);

/* A number below KMALLOC_FAMILIES; it and bytes_alloc determine the name. */
#define KMALLOC_FAMILIES 5
unsigned int kmalloc_caches_family(const struct kmalloc_caches *k, const struct kmem_event *ev);

/* "kmalloc-cg-1k". Returns buf. */
#define KMALLOC_NAME_BUF 48
const char *kmalloc_caches_name(const struct kmalloc_caches *k, unsigned int family,
				uint64_t bytes_alloc, char *buf, size_t size);

#endif
