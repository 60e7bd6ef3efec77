/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The value of a key for an allocation.
 *
 * Values that the tracepoint lacks must have been determined: event_completer_fill().
 */
#ifndef EVENT_EVENT_KEY_H
#define EVENT_EVENT_KEY_H

#include <stddef.h>

#include "util/event/key.h"
#include "util/event/kmem_event.h"

/* The smallest power of two that is at least this number of bytes. */
static inline uint64_t kmem_size_class(uint64_t bytes)
{
	if (bytes <= 1)
		return bytes;
	if (bytes > 1ull << 63)
		return UINT64_MAX;
	return 1ull << (64 - __builtin_clzll(bytes - 1));
}

/* Inlined, because each event of a table calls it for each key. */
static inline __attribute__((always_inline)) uint64_t kmem_event_key(const struct kmem_event *ev,
								     enum kmem_key key)
{
	switch (key) {
#define KEY_VALUE(id, name, allocator, kind, heading, look, cut, member, value)                    \
	case KEY_##id: {                                                                           \
		const __typeof__(ev->member) it = ev->member;                                      \
                                                                                                   \
		return (uint64_t)(value);                                                          \
	}
		KMEM_KEYS(KEY_VALUE)
#undef KEY_VALUE
	case KEY_NR:
		break;
	}
	return 0;
}

/* The offset of the end of the member that the key comes from, in bytes. */
static inline size_t kmem_event_key_end(enum kmem_key key)
{
#define KEY_END(id, name, allocator, kind, heading, look, cut, member, value)                      \
	[KEY_##id] = offsetof(struct kmem_event, member) + sizeof(((struct kmem_event *)0)->member),
	static const size_t ends[KEY_NR] = {KMEM_KEYS(KEY_END)};
#undef KEY_END

	return ends[key];
}

/*
 * The number of bytes of an event, from its start, that are used for these kinds grouped by these
 * keys (bits of both); a multiple of 8.
 */
static inline size_t kmem_event_extent(uint32_t kinds, key_mask_t keys)
{
	const uint32_t slab =
		KIND_BIT(KMEM_SLAB_ALLOC) | KIND_BIT(KMEM_SLAB_FREE) | KIND_BIT(KMEM_SLAB_FREE_RCU);
	size_t end = offsetof(struct kmem_event, cache_id);

	if (kinds & slab)
		end += sizeof(((struct kmem_event *)0)->cache_id);
	if (kinds & ~(slab | KMEM_ALLOCATIONS | KIND_BIT(KMEM_PAGE_FREE) |
		      KIND_BIT(KMEM_VMALLOC_FREE) | KIND_BIT(KMEM_PERCPU_FREE)))
		return sizeof(struct kmem_event);
	for (int key = 0; key < KEY_NR; key++)
		if (keys >> key & 1 && kmem_event_key_end((enum kmem_key)key) > end)
			end = kmem_event_key_end((enum kmem_key)key);
	return (end + 7) & ~(size_t)7;
}

_Static_assert(offsetof(struct kmem_event, cache_id) == 64,
	       "what most keys need is one cache line");

#endif
