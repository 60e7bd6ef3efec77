/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys, one a line: id, name, allocators, comparison, heading, look, member, value.
 *
 * enum kmem_key, the tables of key.c and util/report/key_column.c, the columns and the texts for
 * users are generated from this list. The look names a function of key_column.c: callsite stands
 * for look_callsite(). The last two are for event_key.h: the member of struct kmem_event that the
 * key comes from, and the key's value computed from the member's (`it`), which is sign-extended if
 * it is signed. completion.c sets members that are not fields of the tracepoint.
 */
#ifndef EVENT_KEY_LIST_H
#define EVENT_KEY_LIST_H

/* clang-format off */
#define KMEM_KEYS(KEY)                                                                                          \
	KEY(CALLSITE, "callsite", BOTH, UNSIGNED, "Callsite", callsite, call_site, it) /* address; 0: unknown */ \
	KEY(STACK, "stack", BOTH, UNSIGNED, "Stack", stack, stack, it) /* interned callchain */                 \
	KEY(PTR, "ptr", SLAB, UNSIGNED, "Alloc Ptr", hex, ptr, it)                                              \
	KEY(PAGE, "page", PAGE, UNSIGNED, "Page", hex, page, it) /* pfn; struct page in old recordings */       \
	KEY(CACHE, "cache", SLAB, STRING, "Cache", cache, cache, it)                                            \
	KEY(COMM, "comm", BOTH, STRING, "Command", string, comm, it)                                            \
	KEY(PID, "pid", BOTH, SIGNED, "PID", signed, pid, (int32_t)it)                                          \
	KEY(TID, "tid", BOTH, SIGNED, "TID", signed, tid, (int32_t)it)                                          \
	KEY(CPU, "cpu", BOTH, SIGNED, "CPU", signed, cpu, it)                                                   \
	KEY(NODE, "node", BOTH, SIGNED, "Node", signed, node, it) /* requested, otherwise the CPU's; -1: unknown */  \
	KEY(MODULE, "module", BOTH, STRING, "Module", string, module, it) /* of the call site */                \
	KEY(GFP, "gfp", BOTH, UNSIGNED, "GFP flags", gfp, gfp_flags, it)                                        \
	KEY(ORDER, "order", PAGE, UNSIGNED, "Order", unsigned, order, kmem_kind_is_slab(ev->kind) ? 0 : it)     \
	KEY(MIGRATETYPE, "migtype", PAGE, UNSIGNED, "Mig.type", migratetype, migratetype, kmem_kind_is_slab(ev->kind) ? 0 : it) \
	KEY(ACCOUNTED, "accounted", BOTH, UNSIGNED, "Accounted", bool, accounted, it) /* 0, 1 */                \
	KEY(SIZE, "size", BOTH, UNSIGNED, "Size up to", unsigned, bytes_req, kmem_size_class(it)) /* power of two */ \
	KEY(CGROUP, "cgroup", BOTH, STRING, "Cgroup", string, cgroup, it) /* path; its id if unknown */         \
	KEY(MEMCG, "memcg", PAGE, STRING, "Memory cgroup", string, memcg, it) /* the charged cgroup */             \
	KEY(BLOCK_MIGRATETYPE, "block_migtype", PAGE, UNSIGNED, "Block type", migratetype, block_migratetype, it) \
	KEY(MIGRATE_REASON, "migrate_reason", PAGE, UNSIGNED, "Migrated for", migrate_reason, migrate_reason, it) \
	KEY(AGE, "age", PAGE, UNSIGNED, "Age up to", age, age_class, it) /* class: age_class.h */               \
	KEY(USTACK, "ustack", BOTH, UNSIGNED, "User stack", stack, ustack, it) /* interned callchain */         \
	KEY(USYM, "usym", BOTH, STRING, "User function", string, usym, it) /* first frame outside of libc */                \
	KEY(UDSO, "udso", BOTH, STRING, "Program or library", string, udso, it) /* its file */           \
	KEY(USRCLINE, "usrcline", BOTH, STRING, "Source line", string, usrcline, it) /* its source line */        \
	/* insert a new key above this line */
/* clang-format on */

/* "callsite stack ptr ...", for users. */
#define KMEM_KEY_NAME(id, name, ...) " " name
#define KMEM_KEY_NAMES		     KMEM_KEYS(KMEM_KEY_NAME)

#endif
