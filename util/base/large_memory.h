/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory for arrays with random access: starts at a cache line and, if large, is in huge pages if
 * the kernel has them.
 *
 * With pages of 4 KiB most accesses to a table of megabytes also miss the TLB, which in a virtual
 * machine costs more than the cache miss itself. The caller keeps the size.
 */
#ifndef BASE_LARGE_MEMORY_H
#define BASE_LARGE_MEMORY_H

#include <stddef.h>

/*
 * Move the array's content to memory of `size` bytes, more than `old_size`. At first, old is NULL
 * and old_size 0. NULL if out of memory; the old array is unchanged then. The added bytes are not
 * initialized.
 */
void *large_memory_grow(void *old, size_t old_size, size_t size);

/* Returns zeroed memory, all of whose pages have been written to. NULL if out of memory. */
void *large_memory_zeroed(size_t size);

/* memory may be NULL. */
void large_memory_free(void *memory, size_t size);

#endif
