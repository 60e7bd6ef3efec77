// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/base/large_memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Size on x86-64 and, with pages of 4 KiB, on arm64. Larger huge pages are not used. */
#define HUGE_PAGE  ((size_t)2 << 20)
#define CACHE_LINE 64

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* linux/mman.h, since 5.14 */
#endif

static size_t round_up(size_t size, size_t to)
{
	return (size + to - 1) & ~(to - 1);
}

static bool is_large(size_t size)
{
	return size >= HUGE_PAGE;
}

/* Reserve addresses for whole huge pages. NULL if there are none left. */
static void *map(size_t size)
{
	uint8_t *mapped, *start;

	if (size > SIZE_MAX - 2 * HUGE_PAGE)
		return NULL;
	size = round_up(size, HUGE_PAGE);
	mapped = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (mapped == MAP_FAILED)
		return NULL;
	start = (uint8_t *)round_up((uintptr_t)mapped, HUGE_PAGE);
	if (start > mapped)
		munmap(mapped, (size_t)(start - mapped));
	munmap(start + size, (size_t)(mapped + HUGE_PAGE - start));
	madvise(start, size, MADV_HUGEPAGE);
	return start;
}

static void *allocate(size_t size)
{
	return is_large(size) ? map(size) : aligned_alloc(CACHE_LINE, round_up(size, CACHE_LINE));
}

/* Both are large: move the pages without copying. */
static void *move_pages(void *old, size_t old_size, void *to)
{
	old_size = round_up(old_size, HUGE_PAGE);
	return mremap(old, old_size, old_size, MREMAP_MAYMOVE | MREMAP_FIXED, to);
}

void *large_memory_grow(void *old, size_t old_size, size_t size)
{
	void *memory = allocate(size);

	if (!memory || !old)
		return memory;
	if (!is_large(old_size)) {
		memcpy(memory, old, old_size);
		free(old);
	} else if (move_pages(old, old_size, memory) == MAP_FAILED) {
		large_memory_free(memory, size);
		return NULL;
	}
	return memory;
}

void *large_memory_zeroed(size_t size)
{
	void *memory = allocate(size);

	if (!memory)
		return NULL;
	/*
	 * A page that is read first is mapped to the shared zero page. The first write then
	 * replaces that mapping in the TLBs of all CPUs that run the process; with threads, each
	 * page costs an interrupt. Kernels without this request work, too, a tenth slower.
	 */
	if (is_large(size))
		madvise(memory, round_up(size, HUGE_PAGE), MADV_POPULATE_WRITE);
	else
		memset(memory, 0, size);
	return memory;
}

void large_memory_free(void *memory, size_t size)
{
	if (memory && is_large(size))
		munmap(memory, round_up(size, HUGE_PAGE));
	else
		free(memory);
}
