/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions for arrays that grow by one element at a time, and for sorted arrays.
 *
 * Inline, except when an array is full. Then its memory is doubled, so n elements cost O(n).
 *
 *	struct range *v = array_room(r->v, r->nr, &r->cap, sizeof(*v));
 *
 *	if (!v)
 *		return -ENOMEM;
 *	r->v = v;
 *	r->v[r->nr++] = range;
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* The number of elements of an array that is not a pointer. */
#define NR_OF(v) (sizeof(v) / sizeof((v)[0]))

/* array_room() for a full array. */
void *array_grow(void *v, size_t *cap, size_t size);

/*
 * Returns the array, possibly moved, with room for one more element after its nr elements. v: the
 * array, or NULL at first. cap: number of elements allocated. size: of an element. If out of
 * memory, returns NULL and the array is unchanged.
 */
static inline void *array_room(void *v, size_t nr, size_t *cap, size_t size)
{
	return nr < *cap ? v : array_grow(v, cap, size);
}

/*
 * Returns the number of elements that are at most `key`, which is also the index after the last of
 * them. Elements are sorted by the uint64_t that they start with; a range starts with its start.
 */
static inline size_t array_count_upto(const void *v, size_t nr, size_t size, uint64_t key)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*(const uint64_t *)((const char *)v + middle * size) <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
