/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory for arrays that are accessed at random: starts a cache line and, if it is large, is in
 * huge pages where the kernel has them.
 *
 * With pages of 4 KiB most accesses to a table of megabytes also miss the TLB, which in a virtual
 * machine costs more than the cache miss itself.  The caller remembers the size.
 */
#ifndef BASE_LARGE_MEMORY_H
#define BASE_LARGE_MEMORY_H

#include <stddef.h>

/*
 * Move what the array holds to one of `size` bytes, more than `old_size`; NULL and 0 at first.
 * NULL: no memory, and the old array stays. What is new is not initialized.
 */
void *large_memory_grow(void *old, size_t old_size, size_t size);

/* A new one, all zero, every page of which has been written to. NULL: no memory. */
void *large_memory_zeroed(size_t size);

/* memory may be NULL. */
void large_memory_free(void *memory, size_t size);

#endif
