/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys, one per line: id, name, allocators, how values compare, heading, look.
 *
 * enum kmem_key, the tables of key.c and util/report/key_column.c, the columns and the texts for
 * users are generated from this list; completion.c fills in the values.  The look names a function
 * of key_column.c: callsite stands for look_callsite().
 */
#ifndef KMEM_KEY_LIST_H
#define KMEM_KEY_LIST_H

/* clang-format off */
#define KMEM_KEYS(KEY)                                                                             \
	KEY(CALLSITE, "callsite", BOTH, UNSIGNED, "Callsite", callsite)  /* address; 0: unknown */  \
	KEY(STACK, "stack", BOTH, UNSIGNED, "Stack", stack)              /* interned callchain */   \
	KEY(PTR, "ptr", SLAB, UNSIGNED, "Alloc Ptr", hex)                                           \
	KEY(PAGE, "page", PAGE, UNSIGNED, "Page", hex)  /* pfn; struct page in old recordings */    \
	KEY(CACHE, "cache", SLAB, STRING, "Cache", cache)                                           \
	KEY(COMM, "comm", BOTH, STRING, "Command", string)                                          \
	KEY(PID, "pid", BOTH, SIGNED, "PID", signed)                                                \
	KEY(TID, "tid", BOTH, SIGNED, "TID", signed)                                                \
	KEY(CPU, "cpu", BOTH, SIGNED, "CPU", signed)                                                \
	KEY(NODE, "node", BOTH, SIGNED, "Node", signed) /* asked for, else the CPU's; -1: unknown */\
	KEY(MODULE, "module", BOTH, STRING, "Module", string)            /* of the call site */     \
	KEY(GFP, "gfp", BOTH, UNSIGNED, "GFP flags", gfp)                                           \
	KEY(ORDER, "order", PAGE, UNSIGNED, "Order", unsigned)                                      \
	KEY(MIGRATETYPE, "migtype", PAGE, UNSIGNED, "Mig.type", migratetype)                        \
	KEY(ACCOUNTED, "accounted", BOTH, UNSIGNED, "Accounted", bool)   /* 0, 1 */                 \
	KEY(SIZE, "size", BOTH, UNSIGNED, "Size up to", unsigned)        /* power of two */         \
	KEY(CGROUP, "cgroup", BOTH, STRING, "Cgroup", string)            /* path; its id if unknown */\
	KEY(MEMCG, "memcg", PAGE, STRING, "Memory cgroup", string)       /* that is charged */       \
	KEY(BLOCK_MIGRATETYPE, "block_migtype", PAGE, UNSIGNED, "Block type", migratetype)          \
	KEY(MIGRATE_REASON, "migrate_reason", PAGE, UNSIGNED, "Migrated for", migrate_reason)       \
	KEY(AGE, "age", PAGE, UNSIGNED, "Age up to", age)                /* class: age_class.h */    \
	KEY(USTACK, "ustack", BOTH, UNSIGNED, "User stack", stack)       /* interned callchain */   \
	KEY(USYM, "usym", BOTH, STRING, "User function", string)         /* outside of libc */      \
	KEY(UDSO, "udso", BOTH, STRING, "Program or library", string)    /* that this is in */      \
	KEY(USRCLINE, "usrcline", BOTH, STRING, "Source line", string)   /* where it does */        \
	/* insert a new key above this line */
/* clang-format on */

/* "callsite stack ptr ...", for users. */
#define KMEM_KEY_NAME(id, name, ...) " " name
#define KMEM_KEY_NAMES		     KMEM_KEYS(KMEM_KEY_NAME)

#endif
