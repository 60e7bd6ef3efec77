/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys, one a line: id, name, allocators, comparison, heading, look, cut, member, value.
 *
 * enum kmem_key, the tables of key.c and util/report/key_column.c, the columns and the texts for
 * users are generated from this list. The look names a function of key_column.c: callsite stands
 * for look_callsite(). The cut is 0 for a number, and for a name the order in which columns are cut
 * if there is no room, from 1. The last two are for event_key.h: the member of struct kmem_event
 * that the key comes from, and the key's value computed from the member's (`it`), which is
 * sign-extended if it is signed. completion.c sets members that are not fields of the tracepoint.
 */
#ifndef EVENT_KEY_LIST_H
#define EVENT_KEY_LIST_H

/* clang-format off */
#define KMEM_KEYS(KEY)                                                                                          \
	KEY(CALLSITE, "callsite", ALL, UNSIGNED, "Callsite", callsite, 1, call_site, it) /* address; 0: unknown */ \
	KEY(STACK, "stack", ALL, UNSIGNED, "Stack", stack, 2, stack, it) /* interned callchain */                 \
	KEY(PTR, "ptr", POINTERS, UNSIGNED, "Alloc Ptr", hex, 0, ptr, it)                                              \
	KEY(PAGE, "page", PAGE, UNSIGNED, "Page", hex, 0, page, it) /* pfn; struct page in old recordings */       \
	KEY(CACHE, "cache", SLAB, STRING, "Cache", cache, 4, cache, it)                                            \
	KEY(COMM, "comm", ALL, STRING, "Command", string, 6, comm, it)                                            \
	KEY(PID, "pid", ALL, SIGNED, "PID", signed, 0, pid, (int32_t)it)                                          \
	KEY(TID, "tid", ALL, SIGNED, "TID", signed, 0, tid, (int32_t)it)                                          \
	KEY(CPU, "cpu", ALL, SIGNED, "CPU", signed, 0, cpu, it)                                                   \
	KEY(NODE, "node", ALL, SIGNED, "Node", signed, 0, node, it) /* requested, otherwise the CPU's; -1: unknown */  \
	KEY(MODULE, "module", ALL, STRING, "Module", string, 7, module, it) /* of the call site */                \
	KEY(GFP, "gfp", GFP, UNSIGNED, "GFP flags", gfp, 5, gfp_flags, it)                                        \
	KEY(ORDER, "order", PAGE, UNSIGNED, "Order", unsigned, 0, order, kmem_kind_is_slab(ev->kind) ? 0 : it)     \
	KEY(MIGRATETYPE, "migtype", PAGE, UNSIGNED, "Mig.type", migratetype, 8, migratetype, kmem_kind_is_slab(ev->kind) ? 0 : it) \
	KEY(ACCOUNTED, "accounted", GFP, UNSIGNED, "Accounted", bool, 0, accounted, it) /* 0, 1 */                \
	KEY(SIZE, "size", ALL, UNSIGNED, "Size up to", unsigned, 0, bytes_req, kmem_size_class(it)) /* power of two */ \
	KEY(CGROUP, "cgroup", ALL, STRING, "Cgroup", string, 3, cgroup, it) /* path; its id if unknown */         \
	KEY(MEMCG, "memcg", PAGE, STRING, "Memory cgroup", string, 9, memcg, it) /* the charged cgroup */             \
	KEY(BLOCK_MIGRATETYPE, "block_migtype", PAGE, UNSIGNED, "Block type", migratetype, 10, block_migratetype, it) \
	KEY(MIGRATE_REASON, "migrate_reason", PAGE, UNSIGNED, "Migrated for", migrate_reason, 11, migrate_reason, it) \
	KEY(AGE, "age", PAGE, UNSIGNED, "Age up to", age, 12, age_class, it) /* enum age_class */                    \
	KEY(USTACK, "ustack", ALL, UNSIGNED, "User stack", stack, 13, ustack, it) /* interned callchain */         \
	KEY(USYM, "usym", ALL, STRING, "User function", string, 16, usym, it) /* first frame outside of libc */                \
	KEY(UDSO, "udso", ALL, STRING, "Program or library", string, 15, udso, it) /* its file */           \
	KEY(USRCLINE, "usrcline", ALL, STRING, "Source line", string, 14, usrcline, it) /* its source line */        \
	KEY(USE, "purpose", VMALLOC, STRING, "Purpose", string, 17, use, it) /* enum area_use */                     \
	KEY(CONTAINER, "container", ALL, STRING, "Container", string, 18, container, it) /* of the control group */ \
	KEY(POD, "pod", ALL, STRING, "Pod", string, 19, pod, it) /* of the control group */                         \
	KEY(UNIT, "unit", ALL, STRING, "Unit", string, 20, unit, it) /* of systemd, of the control group */         \
	/* insert a new key above this line */
/* clang-format on */

/* "callsite stack ptr ...", for users. */
#define KMEM_KEY_NAME(id, name, ...) " " name
#define KMEM_KEY_NAMES		     KMEM_KEYS(KMEM_KEY_NAME)

#endif
