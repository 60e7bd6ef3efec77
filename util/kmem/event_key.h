/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The value of a key for an allocation.
 *
 * What the tracepoint does not say must have been determined: event_completer_fill().
 */
#ifndef KMEM_EVENT_KEY_H
#define KMEM_EVENT_KEY_H

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

#endif
