/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrays that grow by one element at a time: their memory doubles, so that n elements cost O(n);
 * and looking up a place in a sorted one.
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

/* array_room() for an array that is full. */
void *array_grow(void *v, size_t *cap, size_t size);

/*
 * The array (NULL: there is none yet), with room for one element behind the nr that it has; it may
 * have been moved.  cap: for how many it has room, size: of an element.  NULL: no memory; then the
 * array is as it was.
 */
static inline void *array_room(void *v, size_t nr, size_t *cap, size_t size)
{
	return nr < *cap ? v : array_grow(v, cap, size);
}

/*
 * How many of the elements, which are sorted by the uint64_t that each begins with, have at most
 * this one: the place behind the last of them.  Ranges begin with their start.
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
