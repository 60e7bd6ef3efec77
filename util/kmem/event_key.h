/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The value of a key for an allocation.
 *
 * What the tracepoint does not say must have been determined: event_completer_fill().
 */
#ifndef KMEM_EVENT_KEY_H
#define KMEM_EVENT_KEY_H

#include <stddef.h>

#include "util/kmem/key.h"
#include "util/kmem/kmem_event.h"

/* The smallest power of two that this many bytes fit into. */
static inline uint64_t kmem_size_class(uint64_t bytes)
{
	if (bytes <= 1)
		return bytes;
	if (bytes > 1ull << 63)
		return UINT64_MAX;
	return 1ull << (64 - __builtin_clzll(bytes - 1));
}

static inline uint64_t kmem_event_key(const struct kmem_event *ev, enum kmem_key key)
{
	switch (key) {
	case KEY_CALLSITE:
		return ev->call_site;
	case KEY_STACK:
		return ev->stack;
	case KEY_PTR:
		return ev->ptr;
	case KEY_PAGE:
		return ev->page;
	case KEY_CACHE:
		return ev->cache;
	case KEY_COMM:
		return ev->comm;
	case KEY_PID:
		return (uint64_t)(int64_t)(int32_t)ev->pid;
	case KEY_TID:
		return (uint64_t)(int64_t)(int32_t)ev->tid;
	case KEY_CPU:
		return (uint64_t)(int64_t)ev->cpu;
	case KEY_NODE:
		return (uint64_t)(int64_t)ev->node;
	case KEY_MODULE:
		return ev->module;
	case KEY_GFP:
		return ev->gfp_flags;
	case KEY_ORDER:
		return kmem_kind_is_slab(ev->kind) ? 0 : ev->order;
	case KEY_MIGRATETYPE:
		return kmem_kind_is_slab(ev->kind) ? 0 : (uint64_t)(int64_t)ev->migratetype;
	case KEY_ACCOUNTED:
		return ev->accounted;
	case KEY_SIZE:
		return kmem_size_class(ev->bytes_req);
	case KEY_CGROUP:
		return ev->cgroup;
	case KEY_MEMCG:
		return ev->memcg;
	case KEY_BLOCK_MIGRATETYPE:
		return (uint64_t)(int64_t)ev->block_migratetype;
	case KEY_MIGRATE_REASON:
		return ev->migrate_reason;
	case KEY_AGE:
		return ev->age_class;
	case KEY_USTACK:
		return ev->ustack;
	case KEY_USYM:
		return ev->usym;
	case KEY_UDSO:
		return ev->udso;
	case KEY_USRCLINE:
		return ev->usrcline;
	case KEY_NR:
		break;
	}
	return 0;
}

/* Bytes from the start of an event up to the end of the key's member. */
static inline size_t kmem_event_key_end(enum kmem_key key)
{
#define END_OF(member)                                                                             \
	(offsetof(struct kmem_event, member) + sizeof(((struct kmem_event *)0)->member))
	switch (key) {
	case KEY_STACK:
		return END_OF(stack);
	case KEY_CACHE:
		return END_OF(cache);
	case KEY_MEMCG:
		return END_OF(memcg);
	case KEY_COMM:
		return END_OF(comm);
	case KEY_MODULE:
		return END_OF(module);
	case KEY_CGROUP:
		return END_OF(cgroup);
	case KEY_BLOCK_MIGRATETYPE:
		return END_OF(block_migratetype);
	case KEY_MIGRATE_REASON:
		return END_OF(migrate_reason);
	case KEY_AGE:
		return END_OF(age_class);
	case KEY_USTACK:
	case KEY_USYM:
	case KEY_UDSO:
	case KEY_USRCLINE:
		return sizeof(struct kmem_event);
	default: /* of all events */
		return offsetof(struct kmem_event, cache_id);
	}
#undef END_OF
}

/*
 * How much of an event of these kinds is looked at if allocations are grouped by these keys (bits
 * of both): its first so many bytes, a multiple of 8.
 */
static inline size_t kmem_event_extent(uint32_t kinds, uint32_t keys)
{
	size_t end = offsetof(struct kmem_event, cache_id);

	if (kinds & (KIND_BIT(KMEM_SLAB_ALLOC) | KIND_BIT(KMEM_SLAB_FREE)))
		end += sizeof(((struct kmem_event *)0)->cache_id);
	if (kinds & ~(KMEM_ALLOCATIONS | KIND_BIT(KMEM_SLAB_FREE) | KIND_BIT(KMEM_PAGE_FREE)))
		return sizeof(struct kmem_event);
	for (int key = 0; key < KEY_NR; key++)
		if (keys >> key & 1 && kmem_event_key_end((enum kmem_key)key) > end)
			end = kmem_event_key_end((enum kmem_key)key);
	return (end + 7) & ~(size_t)7;
}

_Static_assert(offsetof(struct kmem_event, cache_id) == 64, "what all keys need is one cache line");

#endif
