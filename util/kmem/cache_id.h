/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which cache an object is of, as a number: enough to tell that a free cannot be that of an
 * allocation.
 *
 * Objects that were allocated in bulk are freed with an event, and allocated without one
 * (kmem_cache_alloc_bulk(): skbs, requests of io_uring).  Where they lie in what was once the slab
 * of another cache, whose objects were freed without an event, such a free has the address of an
 * object that is long gone, and only the cache says that it is not the one.
 *
 * kfree() frees objects of any cache (since 6.4 the kernel allows that), and does not say which.
 */
#ifndef KMEM_CACHE_ID_H
#define KMEM_CACHE_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_ID_BITS 28

enum {
	CACHE_ID_ANY,	  /* nothing is known */
	CACHE_ID_KMALLOC, /* from kmalloc(), which names none */
	CACHE_ID_OWN,	  /* of kmem_cache_alloc() or kmem_cache_free(), but not named */
};

/* Of a cache with this name of len bytes; 0: CACHE_ID_OWN. Names that differ hardly ever have the
 * same. */
uint32_t cache_id_of(const char *name, size_t len);

/* False if they may be the same. */
static inline bool cache_ids_differ(uint32_t a, uint32_t b)
{
	if (a == b || a == CACHE_ID_ANY || b == CACHE_ID_ANY)
		return false;
	return a == CACHE_ID_KMALLOC || b == CACHE_ID_KMALLOC ||
	       (a != CACHE_ID_OWN && b != CACHE_ID_OWN);
}

#endif
